public import AMS
public import ANCSReceiver
extension NotificationConsumer {
    /// What is playing on the phones, whenever it changes, if ``ConsumerConfiguration/media`` asks for it; otherwise the
    /// sequence ends at once. A phone without the Apple Media Service is not in it.
    ///
    ///     for await media in consumer.media { print(media.state?.title?.string ?? "–") }
    ///
    /// The newest report wins: at most one of each phone waits for the reader, who may be as slow as it likes, and its
    /// changes are those since the last one that was read. Values that the phone had to truncate are in a first report
    /// without what is missing, and whole in a later one. The sequence ends with the consumer.
    public nonisolated var media: EventSequence<PhoneMedia, Never> {
        EventSequence(taking: { [self] (_: isolated (any Actor)?) in
            guard let use = companion as? MediaUse else { return nil }
            return await use.reports.next()
        })
    }

    /// Sends a command to the player of a phone. Returns when the phone has accepted it, which does not say that it had
    /// an effect. Throws without a request where the player does not support it.
    public func send(_ command: RemoteCommandID, to phone: PhoneID) async throws(MediaError) {
        guard companion is MediaUse else { throw .notConfigured }
        guard let client = companion(of: phone) as? MediaClient else { throw .notConnected }
        let error: MediaError? = await withCheckedContinuation { continuation in
            client.send(command, continuation)
            drainCompanion(of: phone)
        }
        if let error { throw error }
    }
}

extension NotificationSession {
    /// Sends a command to the player of the phone: see ``NotificationConsumer/send(_:to:)``.
    public func send(_ command: RemoteCommandID) async throws(MediaError) {
        try await consumer.send(command, to: provider)
    }
}
