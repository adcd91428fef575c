internal import Octets

// The service that is used beside ANCS, if one is.
extension NotificationConsumer {
    /// How long after the start of the first session on a link it is looked for: notifications come first.
    private static var companionDelay: Duration { .seconds(1) }

    /// What becomes of the service of a phone.
    package func companion(of id: PhoneID) -> (any CompanionClient)? { provider(id)?.companion }

    /// Carries out what the client of a phone wants, after the caller has asked it for something.
    package func drainCompanion(of id: PhoneID) {
        if let provider = self.provider(id) { drain(provider) }
    }

    func receive(_ event: CompanionEvent, of id: PhoneID) {
        guard let provider = self.provider(id), let client = provider.companion else { return }
        client.receive(event, at: loop.now)
        drain(provider)
    }

    /// A session has started; the first one on a link has the service looked for.
    func planCompanion(of provider: Provider) {
        guard provider.companion != nil, provider.companionStart == nil else { return }
        provider.companionStart = loop.now + Self.companionDelay
    }

    func drain(_ client: any CompanionClient, of provider: Provider) {
        while let warning = client.nextWarning() { channel.send(.device(.warning(warning))) }
        guard let start = provider.companionStart, start <= loop.now else { return }
        while let request = client.nextRequest(isBusy: provider.machines.feed.isFetching) {
            port.request(request, of: provider.id)
        }
    }

    /// When something of the service is due; `nil` for never.
    func companionDeadline(of provider: Provider) -> MonotonicInstant? {
        guard let client = provider.companion, let start = provider.companionStart else {
            return nil
        }
        return start > loop.now ? start : client.nextDeadline
    }
}
