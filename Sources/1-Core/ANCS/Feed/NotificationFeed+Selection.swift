public import Octets

// The owner decides what is fetched, and may need to know the app first. That way, the text of an unwanted
// app's notification never leaves the phone.
extension NotificationFeed {
    /// How much of a notification is fetched before it is delivered; each level includes those before it.
    public enum Selection: UInt8, Comparable, Hashable, Sendable {
        /// Nothing but the announcement.
        case nothing
        /// The identifier of the app.
        case app
        /// The name of the app as well, as the user sees it.
        case appName
        /// All of ``Configuration/attributes``.
        case everything

        /// Whether `left` fetches less than `right`.
        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// Answers ``Output/selecting(_:known:)``.
    ///
    /// A selection that adds nothing to what is known delivers the notification as it is, marked with
    /// ``Delivery/isWithheld``. Call this before the next input; for any other notification it does nothing.
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

    /// Starts the fetch that the owner selected.
    mutating func beginFetch(_ fetch: consuming Fetch, at now: MonotonicInstant) {
        guard configuration.asksWhatToFetch, case .active = session.state, fetch.isWaitedFor else {
            return fetchAttributes(for: fetch, at: now)
        }
        outputs.append(.selecting(fetch.delivery, known: fetch.known))
        state = .selecting(fetch)
    }

    /// The first part of the selection has been fetched, or is not available: the owner decides again.
    mutating func know(_ selection: Selection, of fetch: consuming Fetch, at now: MonotonicInstant)
    {
        fetch.known = selection
        guard fetch.isWaitedFor else { return finish(fetch) }
        beginFetch(fetch, at: now)
    }

    /// The session has ended before the owner decided.
    mutating func abandonSelection() {
        guard case .selecting(var fetch) = state else { return }
        state = .idle
        fetch.delivery.failure = .sessionEnded
        finish(fetch)
    }

    private mutating func withhold(_ fetch: consuming Fetch) {
        fetch.delivery.isWithheld = true
        fetch.delivery.failure = nil
        finish(fetch)
    }
}

extension NotificationFeed.Fetch {
    /// Whether the answer is delivered.
    var isWaitedFor: Bool { !announcements.isEmpty || lack != nil }

    /// The attributes to ask for in one command.
    func requests(
        of configuration: NotificationFeed.Configuration
    ) -> [NotificationAttributeRequest] {
        wanted == .everything ? configuration.attributes : [.appIdentifier]
    }
}
