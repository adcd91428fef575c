import ANCS
import BluetoothLE
import LinuxIO
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// A port whose phones are the test: it notes what the consumer wants and tells what the test says.
final class FakePort: ConsumerPort {
    enum Call: Equatable, Sendable {
        case open, close, stopAdvertising
        case request(ConsumerSession.LinkRequest, PhoneID)
        case readClock(PhoneID)
        case companion(CompanionRequest, PhoneID)
        case leave(PhoneID)
        case openPairingWindow(Duration?), closePairingWindow
        case disconnect(PhoneID)
    }

    private struct State {
        var calls: [Call] = []
        var deliver: (@Sendable (ConsumerPortEvent) -> Void)?
    }

    let loop: EventLoop
    /// Phones answer subscriptions, and end links, as soon as they are asked to.
    let isObliging: Bool
    private let state = Lock(State())

    init(on loop: EventLoop, isObliging: Bool = true) {
        self.loop = loop
        self.isObliging = isObliging
    }

    /// What the consumer wanted since the last time.
    func calls() -> [Call] {
        state.withLock { state in exchange(&state.calls, with: []) }
    }

    /// Something happens; returns when the consumer knows.
    func report(_ events: ConsumerPortEvent...) async {
        for event in events { await onLoop { [self] in deliver(event) } }
    }

    /// Waits until the loop has done what was asked of it so far.
    func settle() async { await onLoop {} }

    private func onLoop(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            loop.execute {
                body()
                continuation.resume()
            }
        }
    }

    private func deliver(_ event: ConsumerPortEvent) {
        let deliver = state.withLock { $0.deliver }
        deliver?(event)
    }

    private func note(_ call: Call) { state.withLock { $0.calls.append(call) } }

    private func oblige(_ event: ConsumerPortEvent) {
        guard isObliging else { return }
        loop.execute { [self] in deliver(event) }
    }

    // MARK: What the consumer wants

    func open(deliver: @escaping @Sendable (ConsumerPortEvent) -> Void) {
        note(.open)
        state.withLock { $0.deliver = deliver }
    }

    func close() {
        note(.close)
        state.withLock { $0.deliver = nil }
    }

    func stopAdvertising() { note(.stopAdvertising) }

    func request(_ request: ConsumerSession.LinkRequest, of provider: PhoneID) {
        note(.request(request, provider))
        oblige(.service(provider, .link(request.success)))
    }

    func readClock(of provider: PhoneID) { note(.readClock(provider)) }

    func request(_ request: CompanionRequest, of provider: PhoneID) {
        note(.companion(request, provider))
    }

    func openPairingWindow(for duration: Duration?) { note(.openPairingWindow(duration)) }

    func closePairingWindow() { note(.closePairingWindow) }

    var bonded: [BondedPeer] { [] }

    func forget(
        _ digest: String, _ done: @escaping @Sendable (Result<Void, DeviceError>) -> Void
    ) { loop.execute { done(.success(())) } }

    func leave(_ provider: PhoneID) {
        note(.leave(provider))
        oblige(.peer(provider, .disconnected(.link(.connectionTimeout))))
    }

    func disconnect(_ provider: PhoneID) {
        note(.disconnect(provider))
        oblige(.peer(provider, .disconnected(.link(.connectionTimeout))))
    }
}

extension ConsumerSession.LinkRequest {
    /// What is reported where it was done.
    fileprivate var success: ConsumerSession.LinkReport {
        switch self {
        case .subscribe(let characteristic): .subscribed(characteristic)
        case .unsubscribe(let characteristic): .unsubscribed(characteristic)
        case .readSubscription(let characteristic):
            .subscriptionRead(characteristic, isSubscribed: true)
        case .writeControlPoint(let command): .controlPointWritten(command, nil)
        }
    }
}

/// A consumer, its fake port and the phones 1 and 2.
struct ConsumerBench {
    static let phone = PhoneID(rawValue: 1)
    static let other = PhoneID(rawValue: 2)

    /// A clock on which no timer ends while a test runs, however busy the machine is.
    static let still = LoopClock.virtual(speed: 0.000_1)

    let consumer: NotificationConsumer
    let port: FakePort

    init(consumer: NotificationConsumer, port: FakePort) {
        (self.consumer, self.port) = (consumer, port)
    }

    init(
        attributes: [NotificationAttributeRequest] = [], isObliging: Bool = true,
        maximumPendingEvents: Int = 8192, clock: LoopClock = ConsumerBench.still
    ) throws {
        self.init(
            attributes: attributes, isObliging: isObliging,
            maximumPendingEvents: maximumPendingEvents, on: try EventLoop(clock: clock))
    }

    init(
        attributes: [NotificationAttributeRequest], isObliging: Bool = true,
        maximumPendingEvents: Int = 8192, remembering memory: RememberedNotifications? = nil,
        on loop: EventLoop
    ) {
        port = FakePort(on: loop, isObliging: isObliging)
        var configuration = ConsumerConfiguration(
            name: "Bench", attributes: attributes, maximumPendingEvents: maximumPendingEvents)
        configuration.fetchesDisplayName = false
        consumer = NotificationConsumer(configuration, port: port, memory, on: loop)
    }

    /// A phone connects and offers ANCS; returns when its session has started.
    func beginSession(
        with phone: PhoneID = ConsumerBench.phone, identity: String? = nil
    ) async {
        await port.report(
            .peer(
                phone,
                .connected(
                    PeerDescription(
                        address: "F0:F1:F2:F3:F4:F5", identity: identity, digest: "D"))),
            .service(phone, .available(hasControlPoint: true, hasDataSource: true)))
        // Each subscription is answered on the loop, and causes the next.
        for _ in 1...3 { await port.settle() }
    }

    /// The next events, a line each.
    func story(_ count: Int) async throws -> [String] {
        var lines: [String] = []
        while lines.count < count {
            guard let event = try await consumer.events.next() else { return lines + ["end"] }
            lines.append(event.line)
        }
        return lines
    }

    /// Everything until the end.
    func rest() async throws -> [String] {
        var lines: [String] = []
        for try await event in consumer.events { lines.append(event.line) }
        return lines
    }

    /// Ends the consumer and its loop.
    func end() async {
        await consumer.stop()
        consumer.loop.shutdown()
    }
}

/// A value of the Notification Source.
func announcement(
    _ event: EventID, _ uid: UInt32, flags: EventFlags = [.positiveAction]
) -> [UInt8] {
    NotificationSourceValue(
        eventID: event, eventFlags: flags,
        notificationUID: NotificationUID(rawValue: uid)
    ).octets
}

extension ConsumerEvent {
    var line: String {
        switch self {
        case .device(let event): event.line
        case .peer(let id, let event): "\(id.rawValue) \(event.line)"
        case .session(let id, .waitingForService): "\(id.rawValue) waits"
        case .session(let id, .started): "\(id.rawValue) session"
        case .session(let id, .authorizationChanged(let authorization)):
            "\(id.rawValue) \(authorization)"
        case .session(let id, .livenessChanged(let liveness)): "\(id.rawValue) \(liveness)"
        case .session(let id, .ended(_, .linkEnded)): "\(id.rawValue) session over"
        case .session(let id, .ended(_, .serviceGone)):
            "\(id.rawValue) session over, service gone"
        case .session(let id, .ended(_, .renewed(let reason))): "\(id.rawValue) renewed, \(reason)"
        case .session(let id, .announced(let call)): "\(id.rawValue) announced \(call.uid.rawValue)"
        case .session(let id, let event): "\(id.rawValue) \(caseName(of: event))"
        case .notification(let notification):
            "\(notification.provider.rawValue) \(notification.event) \(notification.uid.rawValue)"
        }
    }
}

/// What an event is called that has no words of its own here.
private func caseName(of event: Any) -> String {
    Mirror(reflecting: event).children.first?.label ?? "\(event)"
}

extension DeviceEvent {
    fileprivate var line: String {
        switch self {
        case .advertising(let isOnAir): isOnAir ? "on air" : "off air"
        case .scanning(let isScanning): isScanning ? "scanning" : "not scanning"
        case .pairingWindow(let isOpen): isOpen ? "pairing open" : "pairing closed"
        case .missed(let count): "missed \(count)"
        default: caseName(of: self)
        }
    }
}

extension PeerEvent {
    fileprivate var line: String {
        switch self {
        case .linkParameters(let link):
            "link \(link.supervisionTimeout)\(link.isKept ? ", kept" : "")"
        case .mtuChanged(let mtu): "mtu \(mtu)"
        case .named(let name): "is \(name)"
        case .pairingRefused: "may not pair"
        case .keyTrouble(let trouble):
            "key \(trouble.kind)\(trouble.isLasting ? " lasting" : "")"
        case .pairing(.compare(let comparison)): "asks to compare \(comparison.number)"
        case .pairing: "asks"
        case .pairingWithdrawn: "withdrawn"
        case .paired(_, _, .some): "paired again"
        case .bondRestored: "bond restored"
        case .securityFailed: "not secured"
        case .accessDenied: "denied"
        default: caseName(of: self)
        }
    }
}
