public import Octets

// The owner decides what is fetched, and may want to know the app before it does. So the text of an app whose
// notifications nobody wants never leaves the phone.
extension NotificationFeed {
    /// What is fetched of a notification before it is delivered; each includes those before it.
    public enum Selection: UInt8, Comparable, Hashable, Sendable {
        /// Nothing: its announcement is all that is known.
        case nothing
        /// What names the app.
        case app
        /// What the user calls the app.
        case appName
        /// All of ``Configuration/attributes``.
        case everything

        /// Whether one is less than another.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// Answers ``Output/selecting(_:known:)``. A selection that brings nothing beyond what was known then has the
    /// notification delivered as it is, marked as ``Delivery/isWithheld``. It belongs to the input that the
    /// question came from; for another notification, it does nothing.
    public mutating func select(
        _ selection: Selection, of uid: NotificationUID, at now: MonotonicInstant
    ) {
        guard case .selecting(var fetch) = state, fetch.uid == uid else { return }
        state = .idle
        fetch.wanted = selection
        if selection <= fetch.known {
            withhold(fetch)
        } else if fetch.known >= .app, selection == .appName {
            fetchDisplayName(for: fetch, at: now)
        } else {
            fetchAttributes(for: fetch, at: now)
        }
        while drainStep(at: now) {}
    }

    /// Fetches what is wanted of a notification, once the owner has said what that is.
    mutating func beginFetch(_ fetch: Fetch, at now: MonotonicInstant) {
        guard configuration.asksWhatToFetch, case .active = session.state, fetch.isWaitedFor else {
            return fetchAttributes(for: fetch, at: now)
        }
        state = .selecting(fetch)
        outputs.append(.selecting(fetch.delivery, known: fetch.known))
    }

    /// What was asked for ahead of the rest is there, or cannot be had: the owner decides again.
    mutating func know(_ selection: Selection, of started: Fetch, at now: MonotonicInstant) {
        var fetch = started
        fetch.known = selection
        guard fetch.isWaitedFor else { return finish(fetch) }
        beginFetch(fetch, at: now)
    }

    /// The session ends before the owner has decided.
    mutating func abandonSelection() {
        guard case .selecting(var fetch) = state else { return }
        state = .idle
        fetch.delivery.failure = .sessionEnded
        finish(fetch)
    }

    private mutating func withhold(_ started: Fetch) {
        var fetch = started
        fetch.delivery.isWithheld = true
        fetch.delivery.failure = nil
        finish(fetch)
    }
}

extension NotificationFeed.Fetch {
    /// Whether anything is delivered with the answer.
    var isWaitedFor: Bool { !announcements.isEmpty || lack != nil }

    /// What is asked for in one command.
    func requests(
        of configuration: NotificationFeed.Configuration
    ) -> [NotificationAttributeRequest] {
        wanted == .everything ? configuration.attributes : [.appIdentifier]
    }
}
