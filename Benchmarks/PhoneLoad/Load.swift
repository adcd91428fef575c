internal import ANCS
internal import ANCSKit
internal import BluetoothLE
internal import Glibc
internal import LinuxIO
internal import VirtualBluetooth

/// Why a load ended before it was done.
enum LoadFailure: Error {
    case hostGone(IOError?)
    /// A notification came without some of what was asked for.
    case incomplete(RequestError?)
    case sessionEnded(SessionEnd)
    case linkEnded(String)
}

/// Accessories that fetch the attributes of every notification, and the air between them and a phone.
actor Load {
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private nonisolated let loop: EventLoop
    private let expectedCount: Int
    private var waitingForSession = 0
    private var waitingForNotifications = 0
    /// Links stand until the end: what follows on one is no part of the figures.
    private var consumers: [NotificationConsumer] = []

    private static let attributes: [NotificationAttributeRequest] = [
        .appIdentifier, .title, .subtitle, .message, .date,
    ]

    init(expecting count: Int, on loop: EventLoop) {
        expectedCount = count
        self.loop = loop
    }

    /// Serves until every accessory has everything.
    func run(accessories: Int, path: String) async throws {
        let radio = RadioLoop(
            configuration: RadioConfiguration(timing: .immediate), toolbox: OpenSSLToolbox(),
            on: loop)
        var abilities = VirtualControllerAbilities.bluetooth5_3
        abilities.maximumConnections = max(abilities.maximumConnections, accessories)
        let socket = ServedPort(radio.addController(abilities), at: path, on: loop)
        waitingForSession = accessories
        waitingForNotifications = accessories
        try await withThrowingTaskGroup { group in
            for number in 1...accessories {
                var configuration = ConsumerConfiguration(
                    name: "Load \(number)", attributes: Self.attributes, fetchesDisplayName: false)
                // Nothing but what notifications cost is measured.
                configuration.probing = nil
                let consumer = try NotificationConsumer(
                    configuration, at: .hci(HCIConfiguration(.virtual(radio.addController()))))
                consumers.append(consumer)
                group.addTask { try await self.follow(consumer) }
            }
            group.addTask { try await self.hostHasGone(socket.serve()) }
            while waitingForNotifications > 0 { try await group.next() }
            say("DONE")
            try await group.waitForAll()
        }
        radio.close()
    }

    /// A phone that is stopped leaves unread what it is told meanwhile, and that is no mistake.
    private func hostHasGone(_ reason: IOError?) throws {
        guard waitingForNotifications == 0 else { throw LoadFailure.hostGone(reason) }
    }

    /// Takes what one accessory receives until it has everything.
    private func follow(_ consumer: NotificationConsumer) async throws {
        await consumer.start()
        var received: Set<NotificationUID> = []
        for try await event in consumer.events {
            switch event {
            case .sessionStarted:
                waitingForSession -= 1
                if waitingForSession == 0 { say("SUBSCRIBED") }
            case .notification(let notification):
                guard notification.attributes.count == Self.attributes.count else {
                    throw LoadFailure.incomplete(notification.failure)
                }
                received.insert(notification.uid)
            case .sessionEnded(_, let reason): throw LoadFailure.sessionEnded(reason)
            case .disconnected(_, let reason) where !received.isEmpty:
                throw LoadFailure.linkEnded(reason.message)
            default: break
            }
            if received.count >= expectedCount { break }
        }
        waitingForNotifications -= 1
    }
}

/// A virtual controller whose host comes over a Unix socket, once.
final class ServedPort: Sendable {
    private let port: VirtualPort
    private let transport: HCITransport

    init(_ port: VirtualPort, at path: String, on loop: EventLoop) {
        self.port = port
        // A phone that is slow to read is to be measured, and not to be given up.
        var configuration = HCITransport.Configuration()
        configuration.sendLimit = 64 << 20
        transport = HCITransport(
            .unixServer(path: path), on: loop, configuration: configuration)
    }

    /// Returns when the host has gone, and how.
    func serve() async -> IOError? {
        let ends = AsyncStream<IOError> { continuation in
            transport.open { [port, transport] event in
                switch event {
                case .listening: say("LISTENING")
                case .notice: break
                case .opened:
                    do throws(IOError) {
                        try port.attach { packets in
                            for packet in packets { transport.send(packet) }
                        }
                    } catch { continuation.yield(error) }
                case .received(let packets): for packet in packets { port.send(packet) }
                case .closed(let error): continuation.yield(error)
                }
            }
        }
        for await error in ends {
            port.detach()
            return error
        }
        return nil
    }
}

/// Writes a line at once.
func say(_ line: String, to descriptor: CInt = STDOUT_FILENO) {
    let octets = Array((line + "\n").utf8)
    _ = write(descriptor, octets, octets.count)
}
