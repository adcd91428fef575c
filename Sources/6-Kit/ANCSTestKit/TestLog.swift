internal import LinuxIO

/// An event of a device on a bench, or of a manager.
public struct TestEvent: Sendable, CustomStringConvertible {
    /// When it happened, in virtual time since the start of the run.
    public let time: Duration
    /// The name of the device or manager.
    public let source: String
    /// The event itself: a `ConsumerEvent`, a `ProviderEvent`, a `CentralManagerEvent`, …
    public let event: any Sendable

    /// The time, the device and the event, in words.
    public var description: String { "\(time.seconds)  \(source): \(EventText.text(of: event))" }
}

/// The events of a bench so far, and the devices to stop at its end.
final class TestLog: Sendable {
    private struct State {
        var events: [TestEvent] = []
        var stops: [@Sendable () async -> Void] = []
    }

    private let state = Lock(State())

    var events: [TestEvent] { state.withLock { $0.events } }

    func note(_ event: TestEvent) { state.withLock { $0.events.append(event) } }

    func willStop(_ stop: @escaping @Sendable () async -> Void) {
        state.withLock { $0.stops.append(stop) }
    }

    /// Stops the devices, the last one first: what uses an adapter was created after it.
    func stopAll() async {
        let stops = state.withLock { $0.stops }
        for stop in stops.reversed() { await stop() }
    }
}
