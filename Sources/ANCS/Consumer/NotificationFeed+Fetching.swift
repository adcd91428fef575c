internal import Octets

// From announcements to deliveries, one after the other.
extension NotificationFeed {
    mutating func announce(_ announced: NotificationSourceValue, at now: MonotonicInstant) {
        let value = inLifeCycle(announced)
        let isPreExisting = value.eventFlags.contains(.preExisting) && value.eventID == .added
        if isPreExisting, configuration.preExisting == .ignore { return }
        if value.eventID == .removed {
            live.remove(value.notificationUID)
        } else {
            live.set(true, for: value.notificationUID)
        }
        let isInGrace = graceEnd.map { now < $0 } ?? (configuration.preExistingGrace != nil)
        let isEarly = isInGrace && value.eventID == .added
        announcements.append(Announcement(value: value, isEarly: isEarly))
        waiting[value.notificationUID, default: Waiting()].announce(value)
        // It is fetched anew, or gone.
        incomplete.removeAll { $0.delivery.source.notificationUID == value.notificationUID }
        if answered?.uid == value.notificationUID { answered = nil }
        let limit = configuration.maximumPendingNotifications
        evictedCount = max(evictedCount, announcements.count - limit)
        guard evictedCount > limit, let oldest = popAnnouncement() else { return }
        let isRemoval = oldest.value.eventID == .removed
        deliver(Delivery(source: oldest.value), missing: isRemoval ? nil : .evicted)
    }

    private mutating func popAnnouncement() -> Announcement? {
        evictedCount = max(evictedCount - 1, 0)
        return announcements.popFirst()
    }

    /// Delivers the first announcement or asks for what it lacks, and where none waits asks for what an
    /// earlier one lacks; whether there may be more to do.
    mutating func startNext(at now: MonotonicInstant) -> Bool {
        guard case .idle = state else { return false }
        let isEvicted = evictedCount > 0
        guard let next = popAnnouncement() else { return completeNext(at: now) }
        let value = next.value
        let uid = value.notificationUID
        var delivery = Delivery(source: value)
        delivery.isEarly = next.isEarly
        if value.eventID == .removed || !isFetched(delivery) {
            deliver(delivery, missing: nil)
        } else if waiting[uid]?.isRemoved ?? false {
            deliver(delivery, missing: .removed)
        } else if var shared = waiting[uid]?.shared {
            // The answer is shared; what the announcement says of itself is not.
            shared.source = value
            shared.isEarly = next.isEarly
            shared.isPreExisting = delivery.isPreExisting || isOld(shared)
            deliver(shared, missing: shared.failure)
        } else if isEvicted {
            deliver(delivery, missing: .evicted)
        } else {
            waiting[uid]?.isOutdated = false
            fetchAttributes(for: delivery, at: now)
        }
        return true
    }

    /// The same as a step of the life of its notification, which is added once (R19).
    private func inLifeCycle(_ announced: NotificationSourceValue) -> NotificationSourceValue {
        guard announced.eventID == .added, live[announced.notificationUID] != nil else {
            return announced
        }
        var value = announced
        value.eventID = .modified
        return value
    }

    private func isFetched(_ delivery: Delivery) -> Bool {
        if delivery.isPreExisting, configuration.preExisting == .headersOnly { return false }
        return !configuration.attributes.isEmpty
    }

    mutating func fetchAttributes(for started: Delivery, at now: MonotonicInstant) {
        var delivery = started
        do throws(ConsumerSession.UsageError) {
            let request = try session.fetch(
                configuration.attributes, of: delivery.source.notificationUID, at: now)
            state = .fetchingAttributes(delivery, request)
        } catch {
            delivery.failure = Self.failure(of: error)
            finish(delivery)
        }
    }

    mutating func complete(
        _ request: RequestID, _ outcome: RequestOutcome, at now: MonotonicInstant
    ) {
        switch exchange(&state, with: .idle) {
        case .fetchingAttributes(let delivery, request):
            if case .answered = outcome {
                answered = Answered(request: request, uid: delivery.source.notificationUID)
            }
            attributesCompleted(delivery, outcome, at: now)
        case .fetchingDisplayName(let delivery, let app, request):
            displayNameCompleted(delivery, of: app, outcome, at: now)
        case let other:
            state = other
            outputs.append(.completed(request, outcome))
        }
    }

    private mutating func attributesCompleted(
        _ started: Delivery, _ outcome: RequestOutcome, at now: MonotonicInstant
    ) {
        var delivery = started
        switch outcome {
        case .answered(let response):
            delivery.attributes = response.attributes
            delivery.failure = nil
        case .performed: break
        case .failed(let failure, let partial):
            delivery.failure = failure
            delivery.attributes = partial
        }
        delivery.truncatedTexts = delivery.cutTexts
        // An identifier that no command can name has no display name.
        if configuration.fetchesDisplayName, delivery.failure != .sessionEnded,
            delivery.app != nil
        {
            fetchDisplayName(for: delivery, at: now)
        } else {
            finish(delivery)
        }
    }

    /// Names come with the notification while the provider tells them; otherwise they come later.
    mutating func fetchDisplayName(for started: Delivery, at now: MonotonicInstant) {
        var delivery = started
        if let app = delivery.app {
            if let known = session.knownDisplayName(of: app, at: now) {
                delivery.take(displayName: known)
            } else if names.areTold || delivery.lack != nil {
                do throws(ConsumerSession.UsageError) {
                    let request = try session.fetchDisplayName(of: app, at: now)
                    state = .fetchingDisplayName(delivery, app, request)
                    return
                } catch { delivery.displayNameFailure = Self.failure(of: error) }
            } else {
                delivery.displayNameFailure = .timedOut
            }
        }
        finish(delivery)
    }

    private mutating func displayNameCompleted(
        _ started: Delivery, of app: AppIdentifier, _ outcome: RequestOutcome,
        at now: MonotonicInstant
    ) {
        switch outcome {
        case .answered: names.told()
        case .failed(.timedOut, _): names.notTold(at: now)
        case .performed, .failed: break
        }
        // A later answer has named another app meanwhile, whose name comes behind everything else.
        guard started.app == app else { return finish(started) }
        var delivery = started
        delivery.take(displayName: outcome)
        finish(delivery)
    }

    /// Everything about a notification is there, or cannot be had now.
    private mutating func finish(_ started: Delivery) {
        var delivery = started
        if isOld(delivery) { delivery.isPreExisting = true }
        if let lack = delivery.lack {
            finishCompletion(delivery, of: lack)
            return
        }
        let uid = delivery.source.notificationUID
        if let waiting = waiting[uid], !waiting.isOutdated, waiting.count > 1 {
            self.waiting[uid]?.shared = delivery
        }
        deliver(delivery, missing: delivery.failure)
    }

    /// Whether the date shows that a notification was there before the session (S21).
    private func isOld(_ delivery: Delivery) -> Bool {
        guard delivery.isEarly, let startDate, let date = delivery[.date]?.date else {
            return false
        }
        return date < startDate
    }

    private mutating func deliver(_ started: Delivery, missing failure: RequestFailure?) {
        var delivery = started
        delivery.failure = failure
        let uid = delivery.source.notificationUID
        let isHeldBack = isHeldBack(delivery)
        if isHeldBack { waiting[uid]?.isHeldBack = true }
        if waiting[uid, default: Waiting()].deliver(delivery.source) { waiting[uid] = nil }
        guard !isHeldBack else { return }
        output(delivery)
        remember(delivery)
    }

    /// The next session announces it again, as it is then, if it is still there (R53).
    private func isHeldBack(_ delivery: Delivery) -> Bool {
        guard delivery.failure == .sessionEnded, delivery.attributes.isEmpty else { return false }
        if delivery.isPreExisting, delivery.source.eventID == .added { return true }
        return waiting[delivery.source.notificationUID]?.isHeldBack ?? false
    }

    mutating func output(_ delivery: Delivery) {
        if answered?.uid == delivery.source.notificationUID { answered?.delivery = delivery }
        outputs.append(.notification(delivery))
    }

    /// Why the session did not take a request of the feed's own.
    static func failure(of error: ConsumerSession.UsageError) -> RequestFailure {
        switch error {
        case .notStarted: .sessionEnded
        case .tooManyRequests: .evicted
        case .invalidCommand, .actionUnavailable: .contentUnavailable
        }
    }
}
