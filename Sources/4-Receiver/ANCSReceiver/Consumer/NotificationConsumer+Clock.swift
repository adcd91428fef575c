internal import ANCS
internal import BluetoothTypes
internal import Glibc

// The phones' clocks.
extension NotificationConsumer {
    /// A request that went unanswered for this long may be why a link ended.
    private static var clockPatience: Duration { .seconds(20) }
    /// How long the clock of such a phone is not read again.
    private static var clockPause: Duration { .seconds(3600) }

    /// The clock of a phone that has connected.
    func makeClock(of identity: String?) -> ProviderClock {
        let isPausing = identity.flatMap { silentClocks[$0] }.map { loop.now < $0 } ?? false
        return ProviderClock(isIgnored: isPausing)
    }

    /// A phone has said its time or its zone.
    func receive(_ value: [UInt8], of characteristic: BluetoothUUID, from id: PhoneID) {
        guard let provider = self.provider(id) else { return }
        provider.machines.clock.receive(
            value, of: characteristic, utc: secondsSince1970, at: loop.now)
        provider.machines.feed.startDate = provider.machines.clock.startDate
        drain(provider)
    }

    func clockReadingEnded(_ id: PhoneID) {
        guard let provider = self.provider(id) else { return }
        provider.machines.clock.readingEnded()
        if let identity = provider.identity { silentClocks[identity] = nil }
        drain(provider)
    }

    /// A link has ended. A phone that does not answer for its clock must not lose each of its links for that.
    func noteSilentClock(of provider: Provider) {
        guard let identity = provider.identity,
            let time = provider.machines.clock.timeOfReading(at: loop.now),
            time >= Self.clockPatience
        else { return }
        silentClocks[identity] = loop.now + Self.clockPause
    }

    /// This machine's time, or that of the test bench.
    private var secondsSince1970: Int { hooks?.secondsSince1970() ?? time(nil) }
}
