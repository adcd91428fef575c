internal import ANCS
internal import ANCSKit
internal import ANCSService
internal import BluetoothLE
internal import Glibc
internal import HCITransports
internal import VirtualTransports
internal import LinuxIO
internal import MQTT
internal import Octets
internal import VirtualBluetooth

/// A phone, the daemon and a subscriber of the broker, on one loop.
actor Home {
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Why a run failed.
    enum Failure: Error {
        case notReached(MQTTFailure)
    }

    private nonisolated let loop: EventLoop
    private nonisolated let watcher: Watcher
    private let configuration: ServiceConfiguration

    init(port: UInt16, on loop: EventLoop) throws {
        self.loop = loop
        var configuration = ServiceConfiguration()
        configuration.bluetooth.name = "Desk"
        configuration.mqtt.host = "127.0.0.1"
        configuration.mqtt.port = Int(port)
        configuration.mqtt.name = "benchmark"
        self.configuration = configuration
        watcher = Watcher(
            MQTTBroker(host: "127.0.0.1", port: port, clientID: "watcher"),
            topic: "ancs/benchmark/+/call/ringing", on: loop)
    }

    /// Makes this many calls. Returns the time that each took, the shortest first.
    func run(calls: Int) async throws -> [Duration] {
        let radio = RadioLoop(
            configuration: RadioConfiguration(seed: 1, timing: .immediate),
            toolbox: OpenSSLToolbox(), on: loop)
        let phone = try NotificationProvider(
            ProviderConfiguration(
                name: "Phone", allowedAccessories: ["Desk"], maximumAccessories: 1),
            at: .hci(HCIConfiguration(.virtual(radio.addController()))))
        try await phone.install(.phone, displayName: "Phone")
        let service = self.service(at: .hci(HCIConfiguration(.virtual(radio.addController()))))
        let directory = try TemporaryDirectory()
        let (configuration, watcher) = (configuration, watcher)
        async let serving: Void = service.run { control in
            [
                MQTTSink(
                    control: control, directory: directory.path, configuration: configuration,
                    version: "0")
            ]
        }
        await phone.start()
        let events = Task { for try await _ in phone.events {} }
        try await watcher.wait(for: "OFF")
        var times: [Duration] = []
        for _ in 0..<calls { times.append(try await ring(phone)) }
        await service.stop()
        await phone.stop()
        try await serving
        try await events.value
        watcher.close()
        radio.close()
        return times.sorted()
    }

    private func ring(_ phone: NotificationProvider) async throws -> Duration {
        let start = loop.now
        let call = try await phone.ring(IncomingCall(caller: "Ada"))
        let end = try await watcher.wait(for: "ON")
        _ = try await phone.stopRinging(call)
        try await watcher.wait(for: "OFF")
        // Let the texts of the call and its outcome arrive first.
        try await loop.sleep(for: .milliseconds(20))
        return end - start
    }

    private nonisolated func service(at place: Bluetooth) -> NotificationService {
        let configuration = configuration
        return NotificationService(
            configuration, on: loop,
            .init(
                makeConsumer: { configuration, selection throws(DeviceError) in
                    var consumer = ConsumerConfiguration(name: configuration.bluetooth.name)
                    consumer.selection = selection
                    return try NotificationConsumer(consumer, at: place)
                },
                readConfiguration: { configuration }, log: { _ in }))
    }
}

/// A subscriber of one topic. To be used on its loop only.
final class Watcher: @unchecked Sendable {
    // Unchecked: see the type's comment.

    private let loop: EventLoop
    private let topic: String
    private var client: MQTTClient?
    private var failure: MQTTFailure?
    private var wanted = ""
    private var waiter: CheckedContinuation<Result<MonotonicInstant, Home.Failure>, Never>?

    init(_ broker: MQTTBroker, topic: String, on loop: EventLoop) {
        self.loop = loop
        self.topic = topic
        loop.execute { [self] in
            let client = MQTTClient(on: loop) { [weak self] in self?.receive($0) }
            self.client = client
            client.connect(to: broker)
        }
    }

    /// Waits for a value. Returns the time at which it arrived.
    @discardableResult
    func wait(for value: String) async throws(Home.Failure) -> MonotonicInstant {
        if let failure { throw .notReached(failure) }
        wanted = value
        return try await withCheckedContinuation { waiter = $0 }.get()
    }

    func close() { client?.close() }

    private func receive(_ event: MQTTClient.Event) {
        switch event {
        case .connected: client?.subscribe(to: [topic])
        case .acknowledged: break
        case .message(let message):
            guard message.payload == Array(wanted.utf8) else { return }
            exchange(&waiter, with: nil)?.resume(returning: .success(loop.now))
        case .ended(let failure):
            self.failure = failure
            exchange(&waiter, with: nil)?.resume(returning: .failure(.notReached(failure)))
        }
    }
}
