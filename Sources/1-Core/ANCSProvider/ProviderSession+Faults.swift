public import ANCS

extension ProviderSession {
    /// Injects a fault into the answers to the next commands.
    public mutating func inject(_ fault: AnswerFault) { faults.append(fault) }

    /// Removes the faults that have yet to affect commands.
    public mutating func clearFaults() { faults.removeAll() }

    /// Drops a subscription silently, as iOS has been seen to do: the Control Point responds, the session
    /// stays, and no values are sent (S27). Subscribing again restores it; for the Notification Source, that
    /// starts a new session.
    public mutating func loseSubscription(to characteristic: Characteristic) {
        switch characteristic {
        case .notificationSource: announcements?.isLost = true
        case .dataSource:
            isSubscribedToDataSource = false
            abandonAnswers()
            releaseHeldWrite()
        }
    }
}
