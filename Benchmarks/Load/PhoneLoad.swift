internal import ANCS
internal import ANCSKit
internal import BluetoothLE
internal import HCITransports
internal import VirtualTransports
internal import LinuxIO
internal import VirtualBluetooth

/// Why a load ended early.
enum LoadFailure: Error {
    case hostGone(IOError?)
    /// A notification lacked some of the requested attributes.
    case incomplete(RequestError?)
    case sessionEnded(SessionEnd)
    case linkEnded(String)
}

/// Accessories that fetch the attributes of every notification, and the radio between them and a phone.
actor PhoneLoad {
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private nonisolated let loop: EventLoop
    private let expectedCount: Int
    private var waitingForSession = 0
    private var waitingForNotifications = 0
    /// Kept so that the links stay until the end, because closing one is not to be measured.
    private var consumers: [NotificationConsumer] = []

    private static let attributes: [NotificationAttributeRequest] = [
        .appIdentifier, .title, .subtitle, .message, .date,
    ]

    init(expecting count: Int, on loop: EventLoop) {
        expectedCount = count
        self.loop = loop
    }

    /// Serves until every accessory has received everything.
    func run(accessories: Int, path: String) async throws {
        let radio = RadioLoop(
            configuration: RadioConfiguration(timing: .immediate), toolbox: OpenSSLToolbox(),
            on: loop)
        var abilities = VirtualControllerAbilities.bluetooth5_3
        abilities.maximumConnections = max(abilities.maximumConnections, accessories)
        let socket = ServedPort(
            radio.addController(abilities), at: .unixServer(path: path), on: loop)
        waitingForSession = accessories
        waitingForNotifications = accessories
        try await withThrowingTaskGroup { group in
            for number in 1...accessories {
                var configuration = ConsumerConfiguration(
                    name: "Load \(number)", attributes: Self.attributes, fetchesDisplayName: false)
                // Only the cost of notifications is measured.
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

    /// A phone that is stopped leaves its last input unread, which is not an error.
    private func hostHasGone(_ reason: IOError?) throws {
        guard waitingForNotifications == 0 else { throw LoadFailure.hostGone(reason) }
    }

    /// Counts the notifications of one accessory until it has received all.
    private func follow(_ consumer: NotificationConsumer) async throws {
        await consumer.start()
        var received: Set<NotificationUID> = []
        for try await event in consumer.events {
            switch event {
            case .session(_, .started):
                waitingForSession -= 1
                if waitingForSession == 0 { say("SUBSCRIBED") }
            case .notification(let notification):
                guard notification.attributes.count == Self.attributes.count else {
                    throw LoadFailure.incomplete(notification.failure)
                }
                received.insert(notification.uid)
            case .session(_, .ended(_, let reason)): throw LoadFailure.sessionEnded(reason)
            case .peer(_, .disconnected(let reason)) where !received.isEmpty:
                throw LoadFailure.linkEnded(reason.message)
            default: break
            }
            if received.count >= expectedCount { break }
        }
        waitingForNotifications -= 1
    }
}
