internal import ANCS
internal import Glibc
internal import JSONText
internal import LinuxIO
internal import MQTT

/// Connects the daemon to a broker: publishes the state of phones for home automation and, if configured,
/// accepts actions. See ``MQTTPublisher`` for the messages.
///
/// If the broker is not available, it connects again after pauses that grow up to a minute; the reason is
/// logged once.
package final class MQTTSink: Sink, @unchecked Sendable {
    // Unchecked: confined to the loop's thread, as every sink.

    package let name = "mqtt"
    private let control: any ServiceControl
    private let version: String
    private let memoryPath: String
    private var configuration: ServiceConfiguration
    private var publisher: MQTTPublisher
    private var client: MQTTClient?
    /// The broker, while it is connected.
    private var place: String?
    private var problem = "not connected yet"
    /// Whether a connection was logged since the last one that lasted.
    private var hasSaidConnection = false
    private var said: Set<MQTTFailure.Code> = []
    private var hasSaidPerformance = false
    private var isDraining = false
    /// Called when everything has been published.
    private var onFinished: (() -> Void)?
    private var pause = GrowingPause(first: .seconds(1), longest: .seconds(60))
    private lazy var timer = LoopTimer(on: control.loop) { [weak self] in
        self?.step { $0.handleTimeout(at: $1) }
    }
    private lazy var pauseTimer = LoopTimer(on: control.loop) { [weak self] in self?.connect() }
    private lazy var successTimer = LoopTimer(on: control.loop) { [weak self] in self?.succeed() }

    /// How long a connection has to last before the pauses are short again: two clients with the same
    /// identifier keep ending each other's connection.
    private static let probation = Duration.seconds(30)

    /// A sink that stores its state for the next run in `directory`.
    package init(
        control: any ServiceControl, directory: String, configuration: ServiceConfiguration,
        version: String
    ) {
        (self.control, self.configuration, self.version) = (control, configuration, version)
        memoryPath = directory + "/mqtt.json"
        publisher = MQTTPublisher(
            Self.setting(configuration, version), remembering: nil, refreshDelay: Self.refreshDelay)
    }

    package var status: SinkStatus {
        let dropped = publisher.dropped + publisher.refusedCommands
        guard isOn else { return SinkStatus(isWorking: true, message: "off", dropped: dropped) }
        guard let place else {
            return SinkStatus(isWorking: false, message: problem, dropped: dropped)
        }
        return SinkStatus(isWorking: true, message: "connected to \(place)", dropped: dropped)
    }

    private var isOn: Bool { !configuration.mqtt.host.isEmpty }

    // MARK: Life

    package func open() { begin() }

    private func begin() {
        publisher = MQTTPublisher(
            Self.setting(configuration, version), remembering: readMemory(),
            refreshDelay: Self.refreshDelay)
        step { $0.adopt(control.phones, control.records, control.calls, at: $1) }
        connect()
    }

    package func reconfigure(_ configuration: ServiceConfiguration) {
        let isOther =
            configuration.mqtt != self.configuration.mqtt
            || configuration.bluetooth.name != self.configuration.bluetooth.name
        // The password may have changed in the same file.
        guard isOther || place == nil else { return }
        finish { [weak self] in
            self?.configuration = configuration
            self?.begin()
        }
    }

    package func close(_ done: @escaping @Sendable () -> Void) {
        finish { [control] in control.loop.execute(done) }
    }

    /// Closes the publisher, then calls `next`. If the broker does not acknowledge in time, it publishes the
    /// will instead.
    private func finish(_ next: @escaping () -> Void) {
        onFinished = { [weak self] in
            self?.leave()
            next()
        }
        pauseTimer.deadline = nil
        step { $0.close(at: $1) }
    }

    private func leave() {
        client?.close()
        client = nil
        place = nil
        problem = "not connected yet"
        forgetSaid()
        pause.reset()
        timer.deadline = nil
        pauseTimer.deadline = nil
        successTimer.deadline = nil
    }

    // MARK: The connection

    private func connect() {
        guard isOn else { return }
        let broker: MQTTBroker
        do throws(IOError) { broker = try self.broker() } catch {
            return fail(MQTTFailure(.invalidSettings, error.message))
        }
        let client =
            self.client ?? MQTTClient(on: control.loop) { [weak self] in self?.receive($0) }
        self.client = client
        client.connect(to: broker)
    }

    private func broker() throws(IOError) -> MQTTBroker {
        let section = configuration.mqtt
        var broker = MQTTBroker(
            host: section.host, port: section.usedPort,
            clientID: "ancs-\(publisher.setting.host)")
        if section.isSecure {
            broker.security = MQTTBroker.Security(
                authorities: section.authorities.nonEmpty,
                certificate: section.certificate.nonEmpty,
                key: section.key.nonEmpty)
        }
        broker.username = section.username.nonEmpty
        broker.password = try section.passwordFile.nonEmpty.map { path throws(IOError) in
            try SecretFile.line(of: path)
        }
        broker.will = publisher.setting.will
        return broker
    }

    private func receive(_ event: MQTTClient.Event) {
        switch event {
        case .connected: connected()
        case .acknowledged: step { $0.receiveAcknowledgement(at: $1) }
        case .message(let message): step { $0.receive(message, at: $1) }
        case .ended(let failure):
            step { $0.receiveLoss(at: $1) }
            fail(failure)
        }
    }

    private func connected() {
        let section = configuration.mqtt
        let place = "\(section.host):\(section.usedPort)"
        self.place = place
        successTimer.deadline = control.loop.now + Self.probation
        if !hasSaidConnection { control.log("connected to the broker at \(place)") }
        hasSaidConnection = true
        step { $0.receiveConnection(at: $1) }
    }

    private func succeed() {
        pause.reset()
        forgetSaid()
    }

    private func forgetSaid() {
        hasSaidConnection = false
        said = []
    }

    private func fail(_ failure: MQTTFailure) {
        place = nil
        problem = failure.message
        successTimer.deadline = nil
        // Compared by code: attempts that fail for the same reason may have different messages.
        if said.insert(failure.code).inserted {
            control.log("nothing is published: \(failure.message)")
        }
        pause.begin(at: control.loop.now)
        pauseTimer.deadline = pause.end
    }

    // MARK: What happens

    package func receive(_ event: ServiceEvent) { step { $0.receive(event, at: $1) } }

    private func step(_ input: (inout MQTTPublisher, MonotonicInstant) -> Void) {
        input(&publisher, control.loop.now)
        drain()
    }

    /// Apart from `step`, of which the optimizer makes a copy for each closure.
    @inline(never) private func drain() {
        // Outputs that an output causes are handled by the loop that is already running.
        guard !isDraining else { return }
        isDraining = true
        while let output = publisher.pollOutput() { carryOut(output) }
        isDraining = false
        timer.deadline = publisher.nextDeadline
        if let next = exchange(&finished, with: nil) { next() }
    }

    private func carryOut(_ output: MQTTPublisher.Output) {
        switch output {
        case .subscribe(let topics): client?.subscribe(to: topics)
        case .publish(let message): client?.publish(message)
        case .perform(let action, let id): perform(action, on: id)
        case .send(let command, let phone):
            control.send(command, to: phone) { [weak self] in self?.performed($0) }
        case .remember(let memory): writeMemory(memory)
        case .log(let message): control.log(message)
        case .finished: finished = exchange(&onFinished, with: nil)
        }
    }

    /// Called when all outputs have been handled, because it may replace the publisher.
    private var finished: (() -> Void)?

    private func perform(_ action: ActionID, on id: RecordID) {
        control.perform(action, on: id) { [weak self] in self?.performed($0) }
    }

    private func performed(_ result: Result<Void, ServiceError>) {
        switch result {
        case .success: hasSaidPerformance = false
        case .failure(let error): performanceFailed(error)
        }
    }

    private func performanceFailed(_ error: ServiceError) {
        guard !hasSaidPerformance else { return }
        hasSaidPerformance = true
        control.log("a command from the broker was not performed: \(error.message)")
    }

    // MARK: Memory

    private func readMemory() -> MQTTMemory? {
        do throws(IOError) {
            guard let octets = try PrivateFile.read(path: memoryPath) else { return nil }
            if let json = try? JSONValue(parsing: octets), let memory = MQTTMemory(json: json) {
                return memory
            }
            control.log(
                "\(memoryPath) is damaged; topics of forgotten phones may stay at the broker"
            )
        } catch { control.log(error.message) }
        return nil
    }

    private func writeMemory(_ memory: MQTTMemory) {
        // Without a configured broker, no file with the names of phones is created.
        guard isOn || access(memoryPath, F_OK) == 0 else { return }
        do throws(IOError) {
            try PrivateFile.write(path: memoryPath, contents: Array((memory.json.text + "\n").utf8))
        } catch { control.log("topics cannot be cleaned up after a restart: \(error.message)") }
    }

    private static func setting(
        _ configuration: ServiceConfiguration, _ version: String
    ) -> MQTTSetting {
        MQTTSetting(
            configuration.mqtt, name: configuration.bluetooth.name,
            hostName: HostName.full, version: version)
    }

    private static var refreshDelay: Duration { .milliseconds(Int.random(in: 0...3000)) }
}

extension String {
    /// `nil` if it is empty.
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
