@testable import BluetoothLE
import Octets

/// A host at a controller that answers every command, unless it is told to keep silent.
///
/// ``story`` is what the host told its owner, a line each; ``commands`` and ``data`` are what it gave to
/// the controller.
final class HostBench {
    static let address = DeviceAddress(0xC011_2233_4455, kind: .random)
    static let handle = ConnectionHandle(rawValue: 0x0040)
    static let stranger = DeviceAddress(0xE0F1_F2F3_F4F5, kind: .random)

    var host: Host
    var controller: AnsweringController
    /// Commands that the controller does not answer.
    var unanswered: Set<HCIOpcode> = []
    /// The controller is dead: it answers nothing at all.
    var isDead = false
    /// Packets leave the controller's buffers at once.
    var completesPackets = true
    var now = MonotonicInstant.zero
    /// What the host's toolbox did.
    let operations = OperationCounter()
    /// The random address that the controller was told last.
    private(set) var onAir: DeviceAddress
    private(set) var outputs: [HostOutput] = []
    private(set) var commands: [HCICommandPacket] = []
    private(set) var data: [ACLPacket] = []
    /// What else happens when the controller is given a command, or data.
    var commandSent: (HCICommandPacket) -> Void = { _ in }
    var dataSent: (ACLPacket) -> Void = { _ in }
    private var inbox: [HCIPacket] = []
    /// Events and data come by two ways, each in its order: which is ahead is left to chance.
    var order: SeededGenerator?

    init(
        address: DeviceAddress = HostBench.address, isExtended: Bool = false,
        security: SecurityConfiguration = SecurityConfiguration(), bonds: [BondRecord] = [],
        configure: (inout HostConfiguration) -> Void = { _ in }
    ) {
        onAir = address
        var configuration = HostConfiguration(
            deviceName: "Bench", identityAddress: address, security: security)
        configure(&configuration)
        var toolbox = BenchToolbox()
        toolbox.operations = operations
        // Two devices never have the same key pair, and a peer that shows ours is refused.
        if address != Self.address { _ = toolbox.makeKeyPair() }
        host = Host(configuration: configuration, toolbox: toolbox, bonds: bonds)
        controller = AnsweringController(
            commands: isExtended ? ControllerSetupTests.extended : ControllerSetupTests.legacy,
            features: isExtended ? ControllerSetupTests.features : [])
    }

    /// A host that is set up, with nothing told yet.
    static func ready(
        isExtended: Bool = false, bonds: [BondRecord] = [],
        configure: (inout HostConfiguration) -> Void = { _ in }
    ) -> HostBench {
        let bench = HostBench(isExtended: isExtended, bonds: bonds, configure: configure)
        bench.start()
        bench.forget()
        return bench
    }

    // MARK: What happens

    func start() {
        host.start(at: now)
        run()
    }

    func advertise() throws {
        try host.startAdvertising(Advertisement(data: AdvertisingData()), at: now)
        run()
    }

    /// Somebody connects to the advertisement, or is connected to.
    func connect(
        _ handle: ConnectionHandle = HostBench.handle, as role: LinkRole = .peripheral,
        to peer: DeviceAddress = HostBench.stranger, status: HCIStatus = .success
    ) {
        inject(
            HCI.LEConnectionComplete(
                status: status, handle: handle, role: role, peerAddress: peer,
                interval: ConnectionInterval(rawValue: 24), latency: 0,
                supervisionTimeout: SupervisionTimeout(rawValue: 72), centralClockAccuracy: 0))
    }

    func disconnect(
        _ handle: ConnectionHandle = HostBench.handle,
        reason: HCIStatus = .remoteUserTerminatedConnection
    ) {
        inject(HCI.DisconnectionComplete(status: .success, handle: handle, reason: reason))
    }

    /// The controller sends an event.
    func inject(_ event: some HCIEventParameters) {
        inbox.append(.event(event.eventPacket))
        run()
    }

    /// The peer sends a PDU on a channel.
    func receive(
        _ payload: [UInt8], on channel: L2CAPChannelID,
        of handle: ConnectionHandle = HostBench.handle
    ) {
        let pdu = L2CAPPDU(channel: channel, payload: payload).octets
        inbox.append(.acl(ACLPacket(handle: handle, boundary: .first, data: pdu).octets))
        run()
    }

    /// Time passes, and every deadline in it.
    func advance(by duration: Duration) {
        let end = now + duration
        while let deadline = host.nextDeadline, deadline <= end {
            now = max(now, deadline)
            host.handleTimeout(at: now)
            run()
        }
        now = end
    }

    /// Delivers until nothing is on its way.
    func run() {
        while step() {}
    }

    /// Delivers one packet; false where nothing is on its way.
    @discardableResult func step() -> Bool {
        drain()
        guard !inbox.isEmpty else { return false }
        host.receive(inbox.remove(at: nextInInbox()), at: now)
        drain()
        return true
    }

    private func nextInInbox() -> Int {
        guard order?.chance(0.5) == true else { return 0 }
        let other = inbox.firstIndex { $0.isEvent != inbox[0].isEvent }
        return other ?? 0
    }

    /// Puts a packet in the host's way.
    func enqueue(_ packet: HCIPacket) { inbox.append(packet) }
    func enqueue(_ event: some HCIEventParameters) { inbox.append(.event(event.eventPacket)) }

    // MARK: What comes out

    /// What the host told since the last time.
    func story() -> [String] {
        let lines = outputs.map(\.line)
        outputs = []
        return lines
    }

    /// As ``story()``, but the outputs themselves.
    func takeOutputs() -> [HostOutput] {
        defer { outputs = [] }
        return outputs
    }

    /// The PDUs that the host sent on a channel since the last time.
    func sent(on channel: L2CAPChannelID) -> [[UInt8]] {
        defer { data = [] }
        return data.compactMap { packet in
            guard let pdu = try? L2CAPPDU(decoding: packet.data.span), pdu.channel == channel else {
                return nil
            }
            return pdu.payload
        }
    }

    /// The controller hears an advertisement.
    func hear(_ address: DeviceAddress = HostBench.stranger, _ data: [UInt8] = [0x02, 0x01, 0x06]) {
        inject(
            HCI.LEAdvertisingReport(reports: [
                .init(eventType: 0, address: address, data: data, rssi: -40)
            ]))
    }

    /// The controller gave up connecting.
    func confirmCancel() {
        connect(as: .central, status: .unknownConnectionIdentifier)
    }

    func opcodes() -> [HCIOpcode] {
        defer { commands = [] }
        return commands.map(\.opcode)
    }

    func forget() {
        outputs = []
        commands = []
        data = []
    }

    var bonds: [BondRecord] { host.bonds }

    private func drain() {
        while let output = host.pollOutput() {
            switch output {
            case .send(.command(let octets)):
                guard let command = try? HCICommandPacket(decoding: octets.span) else { continue }
                commands.append(command)
                if let set = try? HCI.LESetRandomAddress(decoding: command.parameters.span),
                    command.opcode == .leSetRandomAddress
                {
                    onAir = set.address
                }
                answer(command)
                commandSent(command)
            case .send(.acl(let octets)):
                guard let packet = try? ACLPacket(decoding: octets.span) else { continue }
                data.append(packet)
                if completesPackets {
                    enqueue(
                        HCI.NumberOfCompletedPackets(entries: [
                            .init(handle: packet.handle, count: 1)
                        ]))
                }
                dataSent(packet)
            case .send(.event), .controller, .air, .link, .security, .attribute, .bondChanged:
                outputs.append(output)
            }
        }
    }

    private func answer(_ command: HCICommandPacket) {
        guard !isDead, !unanswered.contains(command.opcode) else { return }
        let outcome =
            controller.answers[command.opcode] ?? Self.defaultOutcome(of: command.opcode)
        switch outcome {
        case .completed(let parameters):
            enqueue(
                HCI.CommandComplete(
                    credits: 1, opcode: command.opcode, returnParameters: parameters))
        case .status(let status):
            enqueue(HCI.CommandStatus(status: status, credits: 1, opcode: command.opcode))
        case .timedOut: break
        }
    }

    /// Commands that take time get a status, all others are done at once.
    private static func defaultOutcome(of opcode: HCIOpcode) -> HCICommandResult.Outcome {
        switch opcode {
        case .disconnect, .leEnableEncryption, .leConnectionUpdate, .leCreateConnection,
            .leExtendedCreateConnection:
            .status(.success)
        default: .completed([0x00])
        }
    }
}

extension HCIPacket {
    fileprivate var isEvent: Bool {
        if case .event = self { true } else { false }
    }
}

extension HostOutput {
    /// One line of a story: the number of the link where it is about one, and what happens.
    var line: String {
        switch self {
        case .send: "send"
        case .controller(let event): event.text
        case .air(let event): event.text
        case .link(let handle, let event): "\(handle.text) \(event.text)"
        case .security(let handle, let event): "\(handle.text) \(event.text)"
        case .attribute(let handle, let event): "\(handle.text) \(event.text)"
        case .bondChanged: "bond changed"
        }
    }
}

extension HostOutput.ControllerEvent {
    fileprivate var text: String {
        switch self {
        case .ready: "ready"
        case .resetting(.hardwareError(let code)): "resetting: hardware error \(code)"
        case .resetting(.unresponsive): "resetting: unresponsive"
        case .resetting(.requested): "resetting: requested"
        case .failed: "failed"
        }
    }
}

extension HostOutput.AirEvent {
    fileprivate var text: String {
        switch self {
        case .advertisingStarted: "on air"
        case .advertisingStopped(.requested): "off air: requested"
        case .advertisingStopped(.connected): "off air: connected"
        case .advertisingStopped(.ended(let status)): "off air: \(status.rawValue)"
        case .advertisingFailed: "advertising failed"
        case .scanningStarted: "scanning"
        case .scanningStopped: "not scanning"
        case .scanningFailed(let failure): "scanning failed: \(failure)"
        case .discovered(let discovery):
            "heard \(discovery.address.text)"
                + (discovery.identity == nil ? "" : ", bonded")
                + (discovery.isConnectable == true ? ", connectable" : "")
        case .connectingFailed(let address, let failure):
            "no link to \(address.text): \(failure)"
        }
    }
}

extension HostOutput.LinkEvent {
    fileprivate var text: String {
        switch self {
        case .connected(let description):
            "connected to \(description.peerIdentity == nil ? "stranger" : "bonded")"
        case .disconnected(let reason): "disconnected: \(Hexadecimal.text([reason.rawValue]))"
        case .hasRoom: "has room"
        case .rssi(let rssi): "heard at \(rssi.map { "\($0)" } ?? "unknown")"
        case .parameters(let outcome): "parameters \(outcome)"
        case .parametersRequested(let wanted): "wants interval \(wanted.intervalMaximum.rawValue)"
        case .changed(let link): "interval \(link.interval.rawValue)"
        }
    }
}

extension HostOutput.SecurityEvent {
    fileprivate var text: String {
        switch self {
        case .changed(let security):
            (security.isEncrypted ? "encrypted" : "open")
                + (security.isAuthenticated ? ", authenticated" : "")
                + (security.isBonded ? ", bonded" : "")
        case .ask(let question): "asks: \(question)"
        case .paired(let isBonded, let replacesBond):
            "paired" + (isBonded ? "" : " without bonding") + (replacesBond ? " again" : "")
        case .failed(let failure): "failed: \(failure)"
        }
    }
}

extension ATTBearer.Event {
    fileprivate var text: String {
        switch self {
        case .mtuChanged(let mtu): "mtu \(mtu)"
        case .value(.notification(_, let value)): "notified \(Hexadecimal.text(value))"
        case .value(.indication(_, let value)): "indicated \(Hexadecimal.text(value))"
        case .completed(_, .success): "done"
        case .completed(_, .failure(let failure)): "not done: \(failure)"
        case .server(let event): event.text
        case .failed: "bearer failed"
        }
    }
}

extension ATTBearer.ServerEvent {
    fileprivate var text: String {
        switch self {
        case .indicationConfirmed: "confirmed"
        case .subscriptionChanged(_, let value): "subscribed \(value.rawValue)"
        case .valueWritten(_, let value): "written \(value.count) octets"
        case .readRequested: "read requested"
        case .writeRequested(_, let writes):
            "write requested \(writes.map { "\($0.value.count)" }.joined(separator: "+")) octets"
        case .accessDenied(_, let code):
            "denied: \(Hexadecimal.text([code.rawValue]))"
        }
    }
}

extension ConnectionHandle {
    var text: String { String(rawValue, radix: 16) }
}
