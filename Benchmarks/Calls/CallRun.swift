internal import ANCS
internal import ANCSKit
internal import BluetoothLE
internal import LinuxIO
internal import Octets
internal import VirtualBluetooth

/// Why a run did not come to its end.
enum CallFailure: Error {
    case deviceEnded
    case incomplete(RequestError?)
}

/// How long a call took, from the phone's Added to what the accessory reports.
struct CallFigures {
    var announced: Duration
    var added: Duration
}

/// A phone and an accessory, and a call while the accessory fetches other notifications, in virtual time.
actor CallRun {
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private nonisolated let loop: EventLoop
    private let waitingCount: Int
    private let losesAnswer: Bool
    /// When the phone announced the call, and when the accessory reported it.
    private var ringing: MonotonicInstant?
    private var announced: MonotonicInstant?

    init(waiting: Int, losesAnswer: Bool, on loop: EventLoop) {
        self.loop = loop
        waitingCount = waiting
        self.losesAnswer = losesAnswer
    }

    func run() async throws -> CallFigures {
        let radio = RadioLoop(
            configuration: RadioConfiguration(seed: 1), toolbox: OpenSSLToolbox(), on: loop)
        defer { radio.close() }
        let phone = try NotificationProvider(
            ProviderConfiguration(name: "Phone"),
            at: .hci(HCIConfiguration(.virtual(radio.addController()))))
        let accessory = try NotificationConsumer(
            name: "Accessory", at: .hci(HCIConfiguration(.virtual(radio.addController()))))
        async let ends: Void = follow(phone)
        let figures = try await follow(accessory, of: phone)
        await accessory.stop()
        await phone.stop()
        try await ends
        return figures
    }

    private func follow(_ phone: NotificationProvider) async throws {
        await phone.start()
        for try await event in phone.events {
            if case .announced(_, _, let value) = event, value.categoryID == .incomingCall {
                ringing = ringing ?? loop.now
            }
        }
    }

    private func follow(
        _ accessory: NotificationConsumer, of phone: NotificationProvider
    ) async throws -> CallFigures {
        await accessory.start()
        for try await event in accessory.events {
            switch event {
            case .sessionStarted: try await postAndRing(phone)
            case .announced: announced = loop.now
            case .notification(let notification)
            where notification.category == .incomingCall:
                guard notification.failure == nil else {
                    throw CallFailure.incomplete(notification.failure)
                }
                guard let ringing, let announced else { throw CallFailure.deviceEnded }
                return CallFigures(announced: announced - ringing, added: loop.now - ringing)
            default: break
            }
        }
        throw CallFailure.deviceEnded
    }

    private func postAndRing(_ phone: NotificationProvider) async throws {
        let app = try AppIdentifier("com.apple.MobileSMS")
        try await phone.install(app, displayName: "Messages")
        try await phone.install(.phone, displayName: "Phone")
        for number in 0..<waitingCount {
            try await phone.post(
                ProviderNotification(
                    appIdentifier: app, categoryID: .social, title: "Friend \(number)",
                    message: "A message of the day, which took a while to write."))
        }
        if losesAnswer { await phone.inject(AnswerFault(.lose, count: 1)) }
        // All of them are announced, and most are not asked about yet.
        try await loop.sleep(for: .seconds(3))
        try await phone.ring(IncomingCall(caller: "Ada"))
    }
}
