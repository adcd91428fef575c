internal import ANCS
internal import ANCSKit
internal import BluetoothLE
internal import HCITransports
internal import VirtualTransports
internal import LinuxIO
internal import Octets
internal import VirtualBluetooth

/// How a phone and an accessory fared on a bad radio.
struct FadeFigures: Sendable {
    /// How long the accessory had a session.
    var subscribed = Duration.zero
    /// The number of links, and of those that ended because nothing was heard.
    var links = 0
    var lost = 0

    /// The length of the measurement.
    static let length = Duration.seconds(3600)

    /// Measures an hour. The phone gives its links this supervision timeout as soon as they exist.
    static func measure(
        loss: Double, fades: RadioFades?, timeout: Duration
    ) async throws -> FadeFigures {
        let loop = try EventLoop(clock: .virtual)
        defer { loop.shutdown() }
        let radio = RadioConfiguration(seed: 1, path: RadioPath(loss: loss), fades: fades)
        let run = FadeRun(timeout: timeout, on: loop)
        return try await Task(executorPreference: loop) { try await run.run(radio) }.value
    }
}

/// A phone, an accessory and the radio between them, in virtual time.
private actor FadeRun {
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private nonisolated let loop: EventLoop
    private let parameters: ConnectionParameters
    private var figures = FadeFigures()
    /// When the present session began.
    private var start: MonotonicInstant?

    init(timeout: Duration, on loop: EventLoop) {
        self.loop = loop
        var parameters = ConnectionParameters.initial
        parameters.supervisionTimeout = SupervisionTimeout(
            rawValue: UInt16(timeout / .milliseconds(10)))
        self.parameters = parameters
    }

    func run(_ configuration: RadioConfiguration) async throws -> FadeFigures {
        let radio = RadioLoop(
            configuration: configuration, toolbox: OpenSSLToolbox(simulatedFrom: 1), on: loop)
        let (phonePort, accessoryPort) = (radio.addController(), radio.addController())
        let phone = try NotificationProvider(
            ProviderConfiguration(name: "Phone"), at: .hci(Self.controller(phonePort, seed: 2)))
        // It leaves the parameters of the phone, which are what is measured.
        var consumer = ConsumerConfiguration(name: "Accessory")
        consumer.linkParameters = nil
        let accessory = try NotificationConsumer(
            consumer, at: .hci(Self.controller(accessoryPort, seed: 3)))
        return try await withThrowingTaskGroup { group in
            group.addTask {
                await phone.start()
                for try await event in phone.events {
                    await self.happened(event, on: radio, phonePort, accessoryPort)
                }
            }
            group.addTask {
                await accessory.start()
                for try await event in accessory.events { await self.happened(event) }
            }
            try await loop.sleep(for: FadeFigures.length)
            ended()
            let result = figures
            await accessory.stop()
            await phone.stop()
            try await group.waitForAll()
            radio.close()
            return result
        }
    }

    private static func controller(_ port: VirtualPort, seed: UInt64) -> HCIConfiguration {
        var configuration = HCIConfiguration(.virtual(port))
        configuration.toolbox = OpenSSLToolbox(simulatedFrom: seed)
        return configuration
    }

    private func happened(
        _ event: ProviderEvent, on radio: RadioLoop, _ phone: VirtualPort, _ accessory: VirtualPort
    ) {
        switch event {
        case .peer(_, .connected):
            figures.links += 1
            guard parameters != .initial else { return }
            radio.change { [parameters] radio, now in
                radio.setParameters(
                    parameters, between: phone.controller, and: accessory.controller, at: now)
            }
        case .peer(_, .disconnected(.link(.connectionTimeout))): figures.lost += 1
        default: break
        }
    }

    private func happened(_ event: ConsumerEvent) {
        switch event {
        case .session(_, .started): start = loop.now
        case .session(_, .ended): ended()
        default: break
        }
    }

    private func ended() {
        guard let start = exchange(&start, with: nil) else { return }
        figures.subscribed += loop.now - start
    }
}
