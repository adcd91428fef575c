extension ProviderSession {
    /// Lets something go wrong with the next commands.
    public mutating func inject(_ fault: AnswerFault) { faults.append(fault) }

    /// Forgets the faults that still wait for commands.
    public mutating func clearFaults() { faults.removeAll() }

    /// Drops a subscription without a word, as iOS is seen to do: the Control Point lives, the session
    /// goes on and nothing comes (S27). When the accessory subscribes again, to the Notification
    /// Source that starts a new session.
    public mutating func loseSubscription(to characteristic: Characteristic) {
        switch characteristic {
        case .notificationSource:
            announcements?.isLost = true
        case .dataSource:
            isSubscribedToDataSource = false
            abandonAnswers()
            releaseHeldWrite()
        }
    }
}
