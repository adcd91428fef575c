internal import ANCS
internal import ANCSKit
internal import BluetoothLE
internal import HCITransports
internal import VirtualTransports
internal import LinuxIO
internal import Octets
internal import VirtualBluetooth

/// A phone that posts one notification after the other, each once the attributes of the previous one have
/// been sent, and the radio between it and an accessory.
actor AccessoryLoad {
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private nonisolated let loop: EventLoop
    private let count: Int
    private let place: TransportMoniker
    private var posted: [MonotonicInstant] = []
    private var fetches: [Duration] = []
    private var subscriptions: Set<ProviderEvent.Characteristic> = []

    init(posting count: Int, at place: TransportMoniker, on loop: EventLoop) {
        self.count = count
        self.place = place
        self.loop = loop
    }

    /// Serves until the accessory disconnects.
    func run() async throws {
        let radio = RadioLoop(
            configuration: RadioConfiguration(timing: .immediate), toolbox: OpenSSLToolbox(),
            on: loop)
        let phone = try NotificationProvider(
            at: .hci(HCIConfiguration(.virtual(radio.addController()))))
        let served = ServedPort(radio.addController(), at: place, on: loop)
        try await withThrowingTaskGroup { group in
            group.addTask { try await self.hostHasGone(served.serve()) }
            group.addTask { try await self.follow(phone) }
            try await group.next()
            await phone.stop()
            group.cancelAll()
        }
        radio.close()
    }

    private func hostHasGone(_ reason: IOError?) throws {
        guard fetches.count == count else { throw LoadFailure.hostGone(reason) }
    }

    private func follow(_ phone: NotificationProvider) async throws {
        await phone.start()
        for try await event in phone.events {
            switch event {
            case .session(_, .subscriptionChanged(let characteristic, true)):
                subscriptions.insert(characteristic)
                guard subscriptions.count == 2 else { break }
                say("SUBSCRIBED")
                try await post(at: phone)
            case .session(_, .answered(.decoded(.getNotificationAttributes), .sent)):
                fetches.append(loop.now - posted[fetches.count])
                if fetches.count < count { try await post(at: phone) } else { report() }
            case .peer(_, .disconnected(let reason)):
                // A pseudo-terminal waits for the next host.
                guard fetches.count == count else {
                    throw LoadFailure.linkEnded(reason.message)
                }
                return
            default: break
            }
        }
    }

    private func post(at phone: NotificationProvider) async throws {
        posted.append(loop.now)
        try await phone.post(
            ProviderNotification(
                appIdentifier: try AppIdentifier("com.apple.MobileSMS"), categoryID: .social,
                title: "Friend \(posted.count)",
                message: "A message of the day, which took a while to write.",
                date: NotificationDate(
                    year: 2026, month: 11, day: 21, hour: 9, minute: 30, second: 0),
                positiveActionLabel: "Reply", negativeActionLabel: "Clear"))
    }

    /// Prints notifications per second, and the median and 99th percentile of a fetch in microseconds. The
    /// first fetch is left out, because the accessory waits before it to see whether the phone sends more.
    private func report() {
        let all = loop.now - posted[1]
        let sorted = fetches.dropFirst().sorted()
        func microseconds(_ part: Double) -> Int {
            Int(sorted[Int(Double(sorted.count - 1) * part)] / .microseconds(1))
        }
        say(
            "DONE \(Int(Double(sorted.count) / (all / .seconds(1)))) \(microseconds(0.5)) \(microseconds(0.99))"
        )
    }
}
