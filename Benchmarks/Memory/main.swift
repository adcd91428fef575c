// Measures the memory that one more connection takes: the host's side of a link and an ANCS session on it.
// Creates many of them in one process and divides what the allocator has handed out.
internal import ANCS
internal import ANCSKit
internal import BluetoothLE
internal import CHeap
internal import Octets

let linkCount = 1000
let notificationCount = 10

/// The measured operation did not take place, which ends the run.
struct Incomplete: Error {}

/// The octets of heap memory per value that `make` returns.
func heapOctets<Kept>(of count: Int, _ make: () throws -> [Kept]) throws -> Double {
    let before = heap_octets_in_use()
    let kept = try make()
    let after = heap_octets_in_use()
    guard kept.count == count else { throw Incomplete() }
    return Double(after - before) / Double(count)
}

/// The value in KiB with one decimal.
func kibibytes(_ octets: Double) -> String {
    let tenths = Int((octets / 102.4).rounded())
    return "\(tenths / 10).\(tenths % 10) KiB"
}

// MARK: Links

/// A host with a controller that accepts every command.
struct Bench: ~Copyable {
    var host: Host
    private(set) var connectionCount = 0

    init() {
        var configuration = HostConfiguration(
            deviceName: "Bench", identityAddress: DeviceAddress(0xC011_2233_4455, kind: .random))
        configuration.maximumConnections = linkCount + 1
        host = Host(configuration: configuration, toolbox: OpenSSLToolbox())
        host.start(at: .zero)
        drain()
    }

    /// A peer connects; the link is idle.
    mutating func connect(_ number: UInt16) {
        receive(
            HCI.LEConnectionComplete(
                status: .success, handle: ConnectionHandle(rawValue: number), role: .peripheral,
                peerAddress: DeviceAddress(0xC000_0000_0000 + UInt64(number), kind: .random),
                interval: ConnectionInterval(rawValue: 24), latency: 0,
                supervisionTimeout: SupervisionTimeout(rawValue: 72), centralClockAccuracy: 0))
    }

    private mutating func receive(_ event: some HCIEventParameters) {
        host.receive(.event(event.eventPacket), at: .zero)
        drain()
    }

    private mutating func drain() {
        while let output = host.pollOutput() {
            switch output {
            case .send(.command(let octets)): answer(octets)
            case .link(_, .connected): connectionCount += 1
            default: break
            }
        }
    }

    private mutating func answer(_ octets: [UInt8]) {
        guard let command = try? HCICommandPacket(decoding: octets.span) else { return }
        receive(
            HCI.CommandComplete(credits: 1, opcode: command.opcode, returnParameters: [0x00]))
    }
}

// MARK: Sessions

/// A session that has fetched a few notifications and waits for more.
final class Session {
    private var feed = NotificationFeed()

    init() throws {
        feed.serviceDiscovered(hasControlPoint: true, hasDataSource: true, at: .zero)
        feed.receive(.subscribed(.dataSource), at: .zero)
        feed.receive(.subscribed(.notificationSource), at: .zero)
        var delivered = 0
        for number in 0..<UInt32(notificationCount) {
            let value = NotificationSourceValue(
                eventID: .added, notificationUID: NotificationUID(rawValue: number))
            feed.receive(.notificationSource(value.octets), at: .zero)
            while let output = feed.pollOutput() {
                switch output {
                case .link(.writeControlPoint(let command)): answer(command, &feed)
                case .notification: delivered += 1
                default: break
                }
            }
        }
        guard delivered == notificationCount else { throw Incomplete() }
    }
}

/// Answers a command as a phone does.
func answer(_ octets: [UInt8], _ feed: inout NotificationFeed) {
    guard let command = try? ControlPointCommand(decoding: octets.span),
        let identity = ResponseIdentity(answering: command)
    else { return }
    let attributes: [AttributeValue]
    switch command {
    case .getNotificationAttributes(let command):
        attributes = command.attributes.map {
            $0.id == .appIdentifier
                ? AttributeValue($0.id, "com.apple.MobileSMS") : AttributeValue($0.id, "some text")
        }
    case .getAppAttributes(let command):
        attributes = command.attributes.map { AttributeValue($0, "Messages") }
    case .performNotificationAction: return
    }
    feed.receive(.controlPointWritten(octets, nil), at: .zero)
    let response = AttributeResponse(identity: identity, attributes: attributes)
    feed.receive(.dataSource(response.octets), at: .zero)
}

// MARK: The figures

var bench = Bench()
bench.connect(0)
let link = try heapOctets(of: linkCount) {
    for number in 1...UInt16(linkCount) { bench.connect(number) }
    guard bench.connectionCount == linkCount + 1 else { throw Incomplete() }
    return [Void](repeating: (), count: linkCount)
}
_ = try Session()
let session = try heapOctets(of: linkCount) { try (0..<linkCount).map { _ in try Session() } }
print("a link (HCI, L2CAP, ATT, SMP): \(kibibytes(link))")
print("a session after \(notificationCount) notifications: \(kibibytes(session))")
print("together: \(kibibytes(link + session)) for a connection, of \(linkCount) at once")
