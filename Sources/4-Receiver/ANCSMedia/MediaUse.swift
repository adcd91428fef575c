public import AMS
package import ANCSReceiver
internal import LinuxIO

extension ConsumerConfiguration {
    /// What phones are asked to report of their media; `nil`, the default, asks for nothing, and makes no request.
    ///
    ///     var configuration = ConsumerConfiguration(name: "Desk")
    ///     configuration.media = MediaRemoteSession.Configuration()
    ///
    /// bluetoothd broadcasts what is read: there, values that the phone had to truncate stay so, unless texts may be on the
    /// bus.
    public var media: MediaRemoteSession.Configuration? {
        get { companion as? MediaRemoteSession.Configuration }
        set { companion = newValue }
    }
}

extension MediaRemoteSession.Configuration: CompanionPlan {
    package func makeUse() -> any CompanionUse { MediaUse(self) }
}

/// The media of all phones of one consumer.
final class MediaUse: CompanionUse {
    private struct Memory {
        /// How many links to a phone were lost right after a registration, and what was said of it.
        var losses = BoundedDictionary<String, Int>(limit: 64)
        var said = BoundedDictionary<String, Bool>(limit: 256)
    }

    let configuration: MediaRemoteSession.Configuration
    let reports = MediaReports()
    private let memory = Lock(Memory())

    init(_ configuration: MediaRemoteSession.Configuration) { self.configuration = configuration }

    func makeClient(of phone: PhoneID, identity: String?) -> any CompanionClient {
        MediaClient(of: phone, identity: identity, for: self)
    }

    func finish() { reports.finish() }

    /// What is asked of a phone: all that is wanted, and less after each link that was lost right after a registration,
    /// because its server seems to crash when it is asked (openradar 21283910).
    func attributes(for identity: String?) -> MediaAttributeSet {
        let losses = identity.flatMap { identity in memory.withLock { $0.losses[identity] } } ?? 0
        let unasked: [MediaAttributeSet] = [
            [], [.init(.playerName), .init(.bundleIdentifier)], .all(of: .player), .all,
        ]
        return configuration.attributes.subtracting(unasked[min(losses, unasked.count - 1)])
    }

    /// The link to a phone was lost right after a registration.
    func lostAfterRegistration(_ identity: String?) {
        guard let identity else { return }
        memory.withLock { memory in
            memory.losses.set(min((memory.losses[identity] ?? 0) + 1, 3), for: identity)
        }
    }

    /// Whether this was not said of the phone before.
    func isNews(_ trouble: String, of identity: String?) -> Bool {
        guard let identity else { return true }
        return memory.withLock { memory in
            let key = identity + trouble
            defer { memory.said.set(true, for: key) }
            return memory.said[key] == nil
        }
    }
}
