import ANCS
import BluetoothLE
import LinuxIO
import Octets

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// A port whose accessories are the test: it notes what the provider wants and tells what the test says.
final class FakeProviderPort: ProviderPort {
    private struct State {
        var calls: [String] = []
        var hasRoom = true
        var values = PhoneValues(zone: PhoneTimeZone())
        var deliver: (@Sendable (ProviderPortEvent) -> Void)?
    }

    /// One that is never started.
    let adapter: BluetoothAdapter
    private let state = Lock(State())

    var loop: EventLoop { adapter.loop }

    init() throws {
        adapter = try BluetoothAdapter(name: "", at: .hci("tcp-client:127.0.0.1:1"))
    }

    /// What the provider wanted since the last time, a line each.
    func calls() -> [String] { state.withLock { exchange(&$0.calls, with: []) } }

    var passedOver: [String] { [] }

    /// Whether links have room from now on.
    func setRoom(_ hasRoom: Bool) { state.withLock { $0.hasRoom = hasRoom } }

    func request(_ request: MediaSourceSession.LinkRequest, of accessory: AccessoryID) {
        state.withLock { $0.calls.append("media \(accessory.rawValue): \(request)") }
    }

    func setMediaService(_ service: MediaService?, announcing: Bool) {
        state.withLock { $0.calls.append(service == nil ? "no media" : "media") }
    }

    /// Something happens; returns when the provider knows.
    func setMaximumMTU(_ maximum: Int) {}

    func report(_ events: ProviderPortEvent...) async {
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

    private func deliver(_ event: ProviderPortEvent) {
        let deliver = state.withLock { $0.deliver }
        deliver?(event)
    }

    private func note(_ call: String) { state.withLock { $0.calls.append(call) } }

    // MARK: What the provider wants

    func open(deliver: @escaping @Sendable (ProviderPortEvent) -> Void) {
        note("open")
        state.withLock { $0.deliver = deliver }
    }

    func close() {
        note("close")
        state.withLock { $0.deliver = nil }
    }

    func accessory(of peer: PeerIdentifier) -> AccessoryID? { nil }

    func stopScanning() { note("stop scanning") }

    func restart() { note("restart") }

    func hasRoom(for accessory: AccessoryID) -> Bool { state.withLock { $0.hasRoom } }
    func isIdle(for accessory: AccessoryID) -> Bool { state.withLock { $0.hasRoom } }

    func request(_ request: ProviderSession.LinkRequest, of accessory: AccessoryID) {
        switch request {
        case .notify(let characteristic, let value):
            note("\(accessory.rawValue) \(characteristic) \(Hexadecimal.text(value))")
        case .respond(let error):
            note("\(accessory.rawValue) responds \(error.map(\.description) ?? "well")")
        }
    }

    func setPublished(at handle: UInt16?, announcing: Bool) {
        note("published \(handle.map { "at \($0)" } ?? "nowhere"), announcing \(announcing)")
    }

    func setHiddenUntilEncrypted(_ isHidden: Bool) {}

    var values: PhoneValues {
        get { state.withLock { $0.values } }
        set { state.withLock { $0.values = newValue } }
    }

    func notify(_ attribute: PhoneAttribute) { note("notify \(attribute)") }

    func pair(_ accessory: AccessoryID) { note("\(accessory.rawValue) pair") }

    func setLinkNumbers(_ numbers: ProviderBehavior.LinkNumbers) {
        note("link \(numbers.rawValue)")
    }

    func inject(_ fault: ParameterFault, count: Int, at accessory: AccessoryID?) {
        note("parameters \(fault.rawValue), \(count)")
    }

    func clearParameterFaults(at accessory: AccessoryID?) { note("parameters as usual") }

    func discoverServices(of accessory: AccessoryID) { note("\(accessory.rawValue) services") }

    func changeParameters(_ parameters: LinkParameters, of accessory: AccessoryID) {
        note("\(accessory.rawValue) parameters \(parameters.interval)")
    }

    func disconnect(_ accessory: AccessoryID) {
        note("\(accessory.rawValue) disconnect")
        loop.execute { [self] in deliver(.peer(accessory, .disconnected(.left))) }
    }

    func fade(_ accessory: AccessoryID?, for length: Duration?) -> Bool {
        note("\(accessory.map { "\($0.rawValue)" } ?? "all") fade")
        return true
    }

    func leave(_ accessory: AccessoryID) { disconnect(accessory) }

    func forget(_ accessory: AccessoryID) { note("\(accessory.rawValue) forget") }
}

/// A provider, its fake port and the accessories 1 and 2.
struct ProviderBench {
    static let one = AccessoryID(rawValue: 1)
    static let two = AccessoryID(rawValue: 2)

    let provider: NotificationProvider
    let port: FakeProviderPort

    init(_ change: (inout ProviderConfiguration) -> Void = { _ in }) throws {
        port = try FakeProviderPort()
        var configuration = ProviderConfiguration()
        change(&configuration)
        provider = NotificationProvider(configuration, port: port)
    }

    /// An accessory connects.
    func connect(_ accessory: AccessoryID = ProviderBench.one) async {
        let description = PeerDescription(
            name: "A\(accessory.rawValue)", address: "C0:00:00:00:00:01", digest: "D")
        await port.report(
            .known(accessory, description, isBonded: false),
            .peer(accessory, .connected(description)))
    }

    /// An accessory connects and subscribes to both.
    func beginSession(_ accessory: AccessoryID = ProviderBench.one) async {
        await connect(accessory)
        await port.report(
            .link(accessory, .subscribed(.dataSource)),
            .link(accessory, .subscribed(.notificationSource)))
    }

    /// An accessory writes a command.
    func write(_ hexadecimal: String, by accessory: AccessoryID = ProviderBench.one) async {
        await port.report(
            .link(accessory, .controlPointWritten(Hexadecimal.octets(hexadecimal) ?? [])))
    }

    /// A notification with a title and, where they are given, action labels.
    static func notification(
        _ title: String, positive: String? = nil, negative: String? = nil
    ) -> ProviderNotification {
        ProviderNotification(
            appIdentifier: .phone, categoryID: .social, title: title,
            positiveActionLabel: positive, negativeActionLabel: negative)
    }

    /// Ends the provider and its loop; what happened until then, a line each.
    func end() async throws -> [String] {
        await provider.stop()
        var lines: [String] = []
        for try await event in provider.events { lines.append(event.line) }
        provider.loop.shutdown()
        return lines
    }
}

extension ProviderEvent {
    var line: String {
        switch self {
        case .peer(let id, .connected): "\(id.rawValue) connected"
        case .peer(let id, .disconnected(let reason)):
            "\(id.rawValue) disconnected: \(reason.message)"
        case .session(let id, .started): "\(id.rawValue) session"
        case .session(let id, .ended): "\(id.rawValue) session over"
        case .session(let id, .subscriptionChanged(let characteristic, let isOn)):
            "\(id.rawValue) \(characteristic) \(isOn)"
        case .session(let id, .announced(let notification, let source)):
            "\(id.rawValue) \(source.eventID) \(notification.rawValue) "
                + "as \(source.notificationUID.rawValue)"
        case .session(let id, .action(let request, let isPerformed)):
            "\(id.rawValue) \(request.actionID) on \(request.notificationID.rawValue) \(isPerformed)"
        case .notification(let change, let id): "\(change) \(id.rawValue)"
        case .session(let id, .command): "\(id.rawValue) command"
        case .session(let id, .answered(_, let outcome)): "\(id.rawValue) \(outcome)"
        case .device(.missed(let count)): "missed \(count)"
        default: "\(self)".split(separator: "(").first.map(String.init) ?? ""
        }
    }
}
