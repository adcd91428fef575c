/// What happens to a call: each at most once, in this order. Every call ends.
package enum CallEvent: String, Equatable, Sendable, CaseIterable {
    /// It rings. A call that the phone's user has made, or that was answered before the session, does not.
    case incoming
    /// It is active: it was answered, or the phone's user has made it.
    case answered
    /// It is over: see ``CallOutcome``.
    case ended
}
