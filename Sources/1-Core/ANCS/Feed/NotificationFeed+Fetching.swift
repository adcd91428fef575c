internal import Octets

// From announcements to deliveries, one notification at a time.
extension NotificationFeed {
    /// A notification whose attributes are being fetched.
    struct Fetch: Sendable {
        /// What is known so far. The source is that of the first announcement, or of the earlier delivery.
        var delivery: Delivery
        /// The announcements that are delivered with the answer; empty if it was removed meanwhile.
        var announcements: [Announcement] = []
        /// Whether one of them is a ringing call that was reported.
        var isReported = false
        /// What an earlier delivery lacked, and this fetch is to complete.
        var lack: Incomplete.Lack?
        /// The requests for its content that were not answered in time.
        var tries = Tries()
        /// How many octets had belonged to no answer when it was requested.
        var discardedOctets = 0
        /// What has been fetched so far.
        var known = Selection.nothing
        /// What is being fetched.
        var wanted = Selection.everything
        /// When it is delivered without the name that is being fetched.
        var nameDue: MonotonicInstant?

        var uid: NotificationUID { delivery.source.notificationUID }

        /// The same without announcements to deliver.
        var withNothingToDeliver: Fetch {
            var fetch = self
            (fetch.announcements, fetch.isReported, fetch.lack) = ([], false, nil)
            return fetch
        }
    }

    mutating func announce(_ announced: NotificationSourceValue, at now: MonotonicInstant) {
        let value = inLifeCycle(announced)
        let isInGrace = graceEnd.map { now < $0 } ?? (configuration.preExistingGrace != nil)
        lastAnnouncement += 1
        let announcement = Announcement(
            value: value, number: lastAnnouncement, isEarly: isInGrace && value.eventID == .added)
        if announcement.isPreExisting, configuration.preExisting == .none { return }
        forgetContent(of: value.notificationUID)
        if value.eventID == .removed { return remove(announcement) }
        live.set(true, for: value.notificationUID)
        if announcement.isRingingCall { outputs.append(.announced(value)) }
        wait(announcement, isReported: announcement.isRingingCall)
        evict()
    }

    /// What is known of a notification is out of date: it was modified or removed.
    private mutating func forgetContent(of uid: NotificationUID) {
        incomplete.removeAll { $0.delivery.source.notificationUID == uid }
        if answered?.uid == uid { answered = nil }
    }

    /// A removal is delivered at once.
    private mutating func remove(_ removal: Announcement) {
        let uid = removal.value.notificationUID
        live.remove(uid)
        let current = takeCurrent(uid)
        let waiting = takeWaiting(uid)
        if current?.isReported != true, waiting?.isReported != true {
            deliver(current?.announcements ?? [], as: current?.delivery, missing: .removed)
            deliver(waiting?.announcements ?? [], missing: .removed)
        }
        output(Delivery(of: removal))
    }

    /// Takes the announcements out of the fetch in progress; its answer will not be delivered.
    private mutating func takeCurrent(_ uid: NotificationUID) -> Fetch? {
        switch state {
        case .selecting(let fetch) where fetch.uid == uid:
            state = .selecting(fetch.withNothingToDeliver)
            return fetch
        case .fetchingAttributes(let fetch, let request) where fetch.uid == uid:
            state = .fetchingAttributes(fetch.withNothingToDeliver, request)
            return fetch
        case .fetchingDisplayName(let fetch, let app, let request) where fetch.uid == uid:
            state = .fetchingDisplayName(fetch.withNothingToDeliver, app, request)
            return fetch
        case .idle, .selecting, .fetchingAttributes, .fetchingDisplayName: return nil
        }
    }

    /// The queue is full: the least urgent notification is delivered without a fetch. If its fetch is in
    /// progress, that delivery comes first.
    private mutating func evict() {
        guard waitingCount > configuration.maximumPendingNotifications,
            let uid = turns.popLeastUrgent(), let evicted = takeWaiting(uid)
        else { return }
        let current = takeCurrent(uid)
        deliver(current?.announcements ?? [], as: current?.delivery, missing: .evicted)
        deliver(evicted.announcements, missing: .evicted)
    }

    /// Fetches the next notification or, if none is queued, what an earlier one lacks; returns whether there
    /// may be more to do.
    mutating func startNext(at now: MonotonicInstant) -> Bool {
        guard case .idle = state else { return false }
        guard let next = takeFirst(), let first = next.announcements.first else {
            return completeNext(at: now)
        }
        let configuration = configuration
        guard next.announcements.contains(where: { configuration.fetches($0) }) else {
            deliver(next.announcements, missing: nil)
            return true
        }
        if let refusal = standingRefusal(at: now) {
            deliver(next.announcements, missing: refusal)
            return true
        }
        let fetch = Fetch(
            delivery: Delivery(of: first), announcements: next.announcements,
            isReported: next.isReported)
        beginFetch(fetch, at: now)
        return true
    }

    /// The event as the life of its notification has it: a notification is added only once (R19).
    private func inLifeCycle(_ announced: NotificationSourceValue) -> NotificationSourceValue {
        guard announced.eventID == .added, live[announced.notificationUID] != nil else {
            return announced
        }
        var value = announced
        value.eventID = .modified
        return value
    }

    mutating func fetchAttributes(for fetch: consuming Fetch, at now: MonotonicInstant) {
        fetch.discardedOctets = session.discardedDataSourceOctets
        do throws(ConsumerSession.UsageError) {
            let request = try session.fetch(
                fetch.requests(of: configuration), of: fetch.uid, at: now)
            state = .fetchingAttributes(fetch, request)
        } catch {
            fetch.delivery.failure = Self.failure(of: error)
            finish(fetch)
        }
    }

    mutating func complete(
        _ request: RequestID, _ outcome: RequestOutcome, at now: MonotonicInstant
    ) {
        if let index = lateNames.firstIndex(of: request) {
            lateNames.remove(at: index)
            return note(ofName: outcome, at: now)
        }
        switch exchange(&state, with: .idle) {
        case .fetchingAttributes(let fetch, request):
            if case .answered = outcome, fetch.wanted == .everything {
                answered = Answered(request: request, uid: fetch.uid)
            }
            attributesCompleted(fetch, outcome, at: now)
        case .fetchingDisplayName(let fetch, let app, request):
            displayNameCompleted(fetch, of: app, outcome, at: now)
        case let other:
            state = other
            outputs.append(.completed(request, outcome))
        }
    }

    private mutating func attributesCompleted(
        _ fetch: consuming Fetch, _ outcome: RequestOutcome, at now: MonotonicInstant
    ) {
        switch outcome {
        case .answered(let response):
            fetch.delivery.attributes = response.attributes
            fetch.delivery.failure = nil
        case .performed: break
        case .failed(let failure, let partial):
            fetch.delivery.failure = failure
            fetch.delivery.attributes = partial
            if failure == .timedOut { note(&fetch, at: now) }
        }
        fetch.delivery.truncatedTexts = fetch.delivery.cutTexts
        if case .failed(.refused(let error), _) = outcome, error.isAuthorization {
            refusals = refusals.suffix(1) + [now]
            finish(fetch)
            return deliverAll(missing: .refused(error))
        }
        // An identifier that no command can hold has no display name.
        let isOver = fetch.delivery.failure == .sessionEnded || fetch.delivery.failure == .removed
        if isOver || (fetch.wanted != .everything && fetch.delivery.failure != nil) {
            finish(fetch)
        } else if fetch.wanted == .app {
            know(.app, of: fetch, at: now)
        } else {
            fetchDisplayNameIfWanted(for: fetch, at: now)
        }
    }

    /// The rest of the queue would be refused too; it is completed after consent (S1).
    private mutating func deliverAll(missing failure: RequestFailure) {
        while let next = takeFirst() { deliver(next.announcements, missing: failure) }
    }

    /// After two refusals, announcements that follow soon are treated as refused without a request, so that a
    /// burst of announcements is not a burst of commands (S1).
    private func standingRefusal(at now: MonotonicInstant) -> RequestFailure? {
        guard case .unauthorized(let error) = session.authorization, refusals.count == 2,
            (refusals[0]..<refusals[0] + .seconds(4)).contains(now)
        else { return nil }
        return .refused(error)
    }

    private mutating func fetchDisplayNameIfWanted(
        for fetch: consuming Fetch, at now: MonotonicInstant
    ) {
        let isWanted = configuration.fetchesDisplayName || fetch.wanted == .appName
        guard isWanted, fetch.delivery.app != nil else { return named(fetch, at: now) }
        fetchDisplayName(for: fetch, at: now)
    }

    /// The name of the app arrived, or is not available now.
    private mutating func named(_ fetch: consuming Fetch, at now: MonotonicInstant) {
        if fetch.wanted == .appName { know(.appName, of: fetch, at: now) } else { finish(fetch) }
    }

    /// Fetches the name before delivery while the provider answers for names at once; otherwise afterwards.
    mutating func fetchDisplayName(for fetch: consuming Fetch, at now: MonotonicInstant) {
        // A rule about the name waits for it.
        let isDecisive = fetch.wanted == .appName
        if let app = fetch.delivery.app {
            if let known = session.knownDisplayName(of: app, at: now) {
                fetch.delivery.take(displayName: known)
                // It has come after all.
                if fetch.lack != nil { note(ofName: known, at: now) }
            } else if names.areAnswered && (lateNames.isEmpty || isDecisive) || fetch.lack != nil {
                do throws(ConsumerSession.UsageError) {
                    fetch.nameDue = isDecisive ? nil : now + configuration.session.namePatience
                    let request = try session.fetchDisplayName(of: app, at: now)
                    state = .fetchingDisplayName(fetch, app, request)
                    return
                } catch { fetch.delivery.displayNameFailure = Self.failure(of: error) }
            } else {
                fetch.delivery.displayNameFailure = .timedOut
            }
        }
        named(fetch, at: now)
    }

    private mutating func displayNameCompleted(
        _ fetch: consuming Fetch, of app: AppIdentifier, _ outcome: RequestOutcome,
        at now: MonotonicInstant
    ) {
        note(ofName: outcome, at: now)
        // A later answer named a different app, whose name is fetched after everything else.
        if fetch.delivery.app == app { fetch.delivery.take(displayName: outcome) }
        named(fetch, at: now)
    }

    private mutating func note(ofName outcome: RequestOutcome, at now: MonotonicInstant) {
        switch outcome {
        case .answered: names.answered()
        case .failed(.timedOut, _): names.notReported(at: now)
        case .performed, .failed: break
        }
    }

    /// No notification waits for a name: the one that does is delivered without it, and the name is an update.
    mutating func stopWaitingForName(at now: MonotonicInstant) {
        guard case .fetchingDisplayName(var fetch, _, let request) = state,
            let due = fetch.nameDue, due <= now
        else { return }
        state = .idle
        lateNames.append(request)
        fetch.delivery.displayNameFailure = .timedOut
        named(fetch, at: now)
    }

    /// The notification is as complete as it can be now.
    mutating func finish(_ fetch: consuming Fetch) {
        if let lack = fetch.lack {
            finishCompletion(fetch, of: lack)
        } else if fetch.isReported, fetch.delivery.failure == .removed {
            // The removal follows, and is the only report about the call.
            waiting[fetch.uid]?.isReported = true
        } else {
            deliver(
                fetch.announcements, as: fetch.delivery, missing: fetch.delivery.failure,
                after: fetch.tries)
        }
    }

    /// Delivers the announcements of one notification. They share the content, but each keeps its own flags
    /// and event.
    private mutating func deliver(
        _ announcements: [Announcement], as content: Delivery? = nil,
        missing failure: RequestFailure?, after tries: Tries = Tries()
    ) {
        for announcement in announcements {
            var delivery = Delivery(of: announcement)
            if configuration.fetches(announcement) {
                if let content { delivery.takeContent(of: content) }
                delivery.isPreExisting = isPreExisting(announcement, delivery)
                delivery.failure = failure
            }
            if isHeldBack(delivery) {
                // Nor are the modifications of a notification that was left out.
                _ = takeWaiting(delivery.source.notificationUID)
                return
            }
            output(delivery)
            remember(delivery, after: tries)
        }
    }

    /// A request was not answered in time. If it may never have reached the phone, or the answer may be behind
    /// octets that nobody asked for, that is no fault of its notification.
    private mutating func note(_ fetch: inout Fetch, at now: MonotonicInstant) {
        let unasked = session.discardedDataSourceOctets - fetch.discardedOctets
        let isDelivered = !session.transactions.mayBeUndelivered(fetch.uid)
        fetch.tries.note(isFair: isDelivered && unasked < Tries.unaskedOctets)
        completeAt = now + configuration.session.deadline
    }

    /// Whether a notification existed before the session, by its flags or by its date (S21).
    private func isPreExisting(_ announcement: Announcement, _ delivery: Delivery) -> Bool {
        if announcement.value.eventFlags.contains(.preExisting) { return true }
        guard announcement.isEarly, let startDate, let date = delivery[.date]?.date else {
            return false
        }
        return date < startDate
    }

    /// The next session announces it again, as it is then, if it still exists (R53).
    private func isHeldBack(_ delivery: Delivery) -> Bool {
        delivery.failure == .sessionEnded && delivery.attributes.isEmpty && delivery.isPreExisting
            && delivery.source.eventID == .added
    }

    mutating func output(_ delivery: Delivery) {
        // In a release build of Swift 6.3, `answered?.delivery = delivery` leaks the earlier delivery.
        if var answered, answered.uid == delivery.source.notificationUID {
            answered.delivery = delivery
            self.answered = answered
        }
        outputs.append(.notification(delivery))
    }

    /// Why the session did not accept a request of the feed.
    static func failure(of error: ConsumerSession.UsageError) -> RequestFailure {
        switch error {
        case .notStarted: .sessionEnded
        case .tooManyRequests: .evicted
        case .invalidCommand, .actionUnavailable, .alreadyPerformed, .notificationGone:
            .contentUnavailable
        }
    }
}
