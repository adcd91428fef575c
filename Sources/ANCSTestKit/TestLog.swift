internal import LinuxIO

/// What happened at a device of a bench, or at a manager.
public struct TestEvent: Sendable, CustomStringConvertible {
    /// When it happened, after the beginning of the run, in virtual time.
    public let time: Duration
    /// The device or manager, by its name.
    public let source: String
    /// What its readers get: a `ConsumerEvent`, a `ProviderEvent`, a `CentralManagerEvent`, …
    public let event: any Sendable

    /// The time, the device and what happened, in words.
    public var description: String { "\(time.seconds)  \(source): \(EventText.text(of: event))" }
}

/// What happened on a bench so far, and what has to be stopped at its end.
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

    /// Stops what was made, the last first: what uses an adapter was made after it.
    func stopAll() async {
        let stops = state.withLock { $0.stops }
        for stop in stops.reversed() { await stop() }
    }
}
