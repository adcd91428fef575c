import Octets

@testable import BluetoothLE

/// A ``Host`` with a controller that answers most commands and sends what the script gives.
struct HostTarget {
    private var input: FuzzInput
    private let host: ScriptedHost
    private var controller: ScriptedController
    private var now = MonotonicInstant.zero
    /// Commands that have not been answered yet.
    private var commands: [HCICommandPacket] = []

    static func run(_ script: [UInt8]) throws {
        var target = Self(FuzzInput(script))
        try target.take(target.host.start(at: target.now))
        // Most scripts start with a controller that is set up.
        if target.input.choice(8) > 0 { try target.answerAll() }
        while !target.input.isAtEnd { try target.event() }
        try target.host.closeTransport(at: target.now)
    }

    private init(_ script: FuzzInput) {
        input = script
        host = ScriptedHost(&input, seed: 1)
        controller = ScriptedController(&input)
    }

    private mutating func event() throws {
        switch input.choice(16) {
        case 0, 1, 2: try take(host.act(&input, at: now))
        case 3, 4: try answerAll()
        case 5: try answerWrongly()
        case 6, 7, 8: try receive(.event(ScriptedTraffic.event(&input)))
        case 9, 10, 11:
            for packet in ScriptedTraffic.packets(&input) { try receive(.acl(packet.octets)) }
        case 12: try receive(input.flag() ? .acl(input.octets()) : .event(input.octets()))
        case 13: try receive(.command(input.octets()))
        case 14: try pass(input.duration())
        default:
            now = now + input.duration()
            try take(host.handleTimeout(at: now))
        }
    }

    private mutating func receive(_ packet: HCIPacket) throws {
        try take(host.receive(packet, at: now))
    }

    private mutating func take(_ packets: [HCIPacket]) throws {
        for case .command(let octets) in packets {
            commands.append(try HCICommandPacket(decoding: octets.span))
        }
        try check(commands.count < 100, "commands pile up at the controller")
    }

    /// The controller answers commands until there are no more.
    private mutating func answerAll() throws {
        var count = 0
        while !commands.isEmpty {
            count += 1
            try check(count < 1000, "the host has commands without end")
            try receive(.event(controller.answer(to: commands.removeFirst(), status: 0)))
        }
    }

    private mutating func answerWrongly() throws {
        guard !commands.isEmpty else { return }
        let command = commands.removeFirst()
        // No answer, an error, or meaningless parameters.
        switch input.choice(4) {
        case 0: break
        case 1, 2:
            try receive(.event(controller.answer(to: command, status: input.octet())))
        default:
            let event = HCI.CommandComplete(
                credits: UInt8(input.choice(3)), opcode: command.opcode,
                returnParameters: input.octets())
            try receive(.event(event.eventPacket))
        }
    }

    private mutating func pass(_ duration: Duration) throws {
        let end = now + duration
        var clock = ClockRule()
        for _ in 0..<200 {
            guard let deadline = host.host.nextDeadline, deadline <= end else { break }
            now = max(now, deadline)
            try clock.wake(at: now)
            try take(host.handleTimeout(at: now))
        }
        now = max(now, end)
    }
}

/// The answers of a controller, correct as far as the host examines them.
struct ScriptedController {
    private var answers: [HCIOpcode: [UInt8]] = [:]

    init(_ input: inout FuzzInput) {
        let isExtended = input.flag()
        var commands = SupportedCommands.assumed
        if isExtended {
            for opcode in Self.extended { commands.insert(opcode) }
        }
        if input.flag() { commands.insert(.readRSSI) }
        add(
            HCI.ReadLocalVersionInformation.self,
            .init(
                status: .success, hciVersion: 9, hciSubversion: 1, lmpVersion: 9,
                manufacturer: 0x004C, lmpSubversion: 2))
        add(HCI.ReadLocalSupportedCommands.self, .init(status: .success, commands: commands))
        add(
            HCI.ReadLocalSupportedFeatures.self,
            .init(status: .success, features: 1 << 37 | 1 << 38))
        add(
            HCI.ReadBDADDR.self,
            .init(status: .success, address: DeviceAddress(0xC011_2233_4455, kind: .public)))
        add(
            HCI.ReadBufferSize.self,
            .init(status: .success, aclLength: 310, scoLength: 0, aclCount: 10, scoCount: 0))
        add(
            HCI.LEReadBufferSize.self,
            .init(
                status: .success, aclLength: input.element(of: [251, 27, 0, 7]),
                aclCount: input.element(of: [8, 1, 0])))
        add(
            HCI.LEReadLocalSupportedFeatures.self,
            .init(status: .success, features: isExtended ? .extendedAdvertising : []))
        add(HCI.LEReadNumberOfSupportedAdvertisingSets.self, .init(status: .success, count: 4))
        add(HCI.LEReadMaximumAdvertisingDataLength.self, .init(status: .success, length: 1650))
    }

    private static let extended: [HCIOpcode] = [
        .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters,
        .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData,
        .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength,
        .leReadNumberOfSupportedAdvertisingSets, .leSetExtendedScanParameters,
        .leSetExtendedScanEnable, .leExtendedCreateConnection,
    ]

    private mutating func add<Command: HCICommand>(
        _ command: Command.Type, _ parameters: Command.ReturnParameters
    ) {
        answers[Command.opcode] = parameters.octets
    }

    /// The answer of the controller; a status other than 0 replaces it.
    func answer(to command: HCICommandPacket, status: UInt8) -> [UInt8] {
        switch command.opcode {
        case .disconnect, .leEnableEncryption, .leConnectionUpdate, .leCreateConnection,
            .leExtendedCreateConnection:
            return HCI.CommandStatus(
                status: HCIStatus(rawValue: status), credits: 1, opcode: command.opcode
            ).eventPacket
        default:
            let parameters = status == 0 ? answers[command.opcode] ?? [0] : [status]
            return HCI.CommandComplete(
                credits: 1, opcode: command.opcode, returnParameters: parameters
            ).eventPacket
        }
    }
}
