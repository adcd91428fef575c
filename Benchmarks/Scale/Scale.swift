internal import ANCS
internal import ANCSKit
internal import BluetoothLE
internal import CHeap
internal import Glibc
internal import HCITransports
internal import VirtualTransports
internal import LinuxIO
internal import Octets
internal import VirtualBluetooth

/// Why a run failed.
enum ScaleFailure: Error {
    case deviceEnded
    case incomplete(RequestError?)
    case sessionEnded
}

/// The results of a run.
struct ScaleFigures {
    /// The heap memory of a connected, idle pair in octets.
    var pairOctets: Double
    /// The CPU time in seconds until a pair is connected, paired and subscribed.
    var connectingSeconds: Double
    /// The CPU time in seconds of a notification, from its post until its attributes are delivered.
    var notificationSeconds: Double
    /// The duration of the run on the virtual clock.
    var virtualTime: Duration
}

/// Many phones, each with an accessory, on one radio and one loop in virtual time.
actor Scale {
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private nonisolated let loop: EventLoop
    private let pairCount: Int
    private let isInOneRoom: Bool
    private let notificationCount: Int
    private var phones: [NotificationProvider] = []
    private var accessories: [NotificationConsumer] = []
    private var isStopping = false
    /// The number of awaited events that have not happened yet.
    private var missing = 0
    private var whenNothingIsMissing: CheckedContinuation<Void, Never>?

    private static let attributes: [NotificationAttributeRequest] = [
        .appIdentifier, .title, .subtitle, .message, .date,
    ]

    init(pairs: Int, isInOneRoom: Bool, notifications: Int, on loop: EventLoop) {
        pairCount = pairs
        self.isInOneRoom = isInOneRoom
        notificationCount = notifications
        self.loop = loop
    }

    /// Runs the whole measurement.
    func run() async throws -> ScaleFigures {
        let heap = heap_octets_in_use()
        let start = processSeconds()
        let radio = RadioLoop(
            configuration: RadioConfiguration(seed: 1), toolbox: OpenSSLToolbox(), on: loop)
        for number in 0..<pairCount { try addPair(number, radio) }
        missing = pairCount
        return try await withThrowingTaskGroup { group in
            for phone in phones { group.addTask { try await self.follow(phone) } }
            for accessory in accessories { group.addTask { try await self.follow(accessory) } }
            group.addTask { await self.waitUntilNothingIsMissing() }
            try await group.next()
            let connected = processSeconds()
            let octets = heap_octets_in_use() - heap
            group.addTask { try await self.postAll() }
            try await group.next()
            let done = processSeconds()
            let time = loop.now
            await stop()
            try await group.waitForAll()
            radio.close()
            return ScaleFigures(
                pairOctets: Double(octets) / Double(pairCount),
                connectingSeconds: (connected - start) / Double(pairCount),
                notificationSeconds: (done - connected) / Double(pairCount * notificationCount),
                virtualTime: time - .zero)
        }
    }

    private func addPair(_ number: Int, _ radio: RadioLoop) throws {
        let room = isInOneRoom ? RadioRoom.first : RadioRoom(rawValue: UInt32(number))
        let name = "Accessory \(number)"
        let phone = ProviderConfiguration(
            name: "Phone \(number)", allowedAccessories: [name], maximumAccessories: 1)
        let accessory = ConsumerConfiguration(
            name: name, attributes: Self.attributes, fetchesDisplayName: false)
        func place() -> Bluetooth {
            .hci(HCIConfiguration(.virtual(radio.addController(in: room))))
        }
        phones.append(try NotificationProvider(phone, at: place()))
        accessories.append(try NotificationConsumer(accessory, at: place()))
    }

    // MARK: What happens

    private func follow(_ phone: NotificationProvider) async throws {
        await phone.start()
        for try await event in phone.events {
            if case .session(_, .ended) = event, !isStopping { throw ScaleFailure.sessionEnded }
        }
        if !isStopping { throw ScaleFailure.deviceEnded }
    }

    private func follow(_ accessory: NotificationConsumer) async throws {
        await accessory.start()
        for try await event in accessory.events {
            switch event {
            case .session(_, .started): oneLess()
            case .notification(let notification):
                guard notification.attributes.count == Self.attributes.count else {
                    throw ScaleFailure.incomplete(notification.failure)
                }
                oneLess()
            default: break
            }
        }
        if !isStopping { throw ScaleFailure.deviceEnded }
    }

    private func postAll() async throws {
        missing = pairCount * notificationCount
        for number in 0..<notificationCount {
            let notification = ProviderNotification(
                appIdentifier: try AppIdentifier("com.apple.MobileSMS"), categoryID: .social,
                title: "Friend \(number)",
                message: "A message of the day, which took a while to write.",
                date: NotificationDate(
                    year: 2026, month: 11, day: 21, hour: 9, minute: 30, second: 0))
            for phone in phones { try await phone.post(notification) }
        }
        await waitUntilNothingIsMissing()
    }

    private func oneLess() {
        missing -= 1
        if missing == 0 { exchange(&whenNothingIsMissing, with: nil)?.resume() }
    }

    private func waitUntilNothingIsMissing() async {
        guard missing > 0 else { return }
        await withCheckedContinuation { whenNothingIsMissing = $0 }
    }

    private func stop() async {
        isStopping = true
        for accessory in accessories { await accessory.stop() }
        for phone in phones { await phone.stop() }
    }
}

/// The CPU time of the process.
func processSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
