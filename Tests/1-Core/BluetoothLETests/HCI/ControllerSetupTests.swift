@testable import BluetoothLE
import Octets
import Testing

extension ControllerSetup {
    mutating func drain() -> [Output] {
        var outputs: [Output] = []
        while let output = pollOutput() { outputs.append(output) }
        return outputs
    }
}

/// A controller as a table of answers, for set-up dialogs.
struct AnsweringController {
    var answers: [HCIOpcode: HCICommandResult.Outcome] = [:]

    /// A controller that does these commands and answers 0x01 to everything else.
    init(commands: SupportedCommands, features: LEFeatures = []) {
        for opcode in [
            HCIOpcode.reset, .setEventMask, .leSetEventMask, .writeLEHostSupport,
            .leWriteSuggestedDefaultDataLength,
        ] {
            answers[opcode] = .completed([0x00])
        }
        answer(
            HCI.ReadLocalVersionInformation.self,
            .init(
                status: .success, hciVersion: 9, hciSubversion: 1, lmpVersion: 9,
                manufacturer: 0x004C, lmpSubversion: 2))
        answer(
            HCI.ReadLocalSupportedCommands.self, .init(status: .success, commands: commands))
        answer(
            HCI.ReadLocalSupportedFeatures.self,
            .init(status: .success, features: 1 << 37 | 1 << 38))
        answer(
            HCI.ReadBDADDR.self,
            .init(status: .success, address: DeviceAddress(0xC011_2233_4455, kind: .public)))
        answer(
            HCI.ReadBufferSize.self,
            .init(status: .success, aclLength: 310, scoLength: 0, aclCount: 10, scoCount: 0))
        answer(
            HCI.LEReadBufferSize.self, .init(status: .success, aclLength: 251, aclCount: 8))
        answer(
            HCI.LEReadLocalSupportedFeatures.self, .init(status: .success, features: features))
        answer(
            HCI.LEReadMaximumDataLength.self,
            .init(
                status: .success, maximumTransmitOctets: 251, maximumTransmitMicroseconds: 2120,
                maximumReceiveOctets: 251, maximumReceiveMicroseconds: 2120))
        answer(
            HCI.LEReadNumberOfSupportedAdvertisingSets.self, .init(status: .success, count: 4))
        answer(
            HCI.LEReadMaximumAdvertisingDataLength.self, .init(status: .success, length: 1650))
    }

    mutating func answer<Command: HCICommand>(
        _ command: Command.Type, _ parameters: Command.ReturnParameters
    ) {
        answers[Command.opcode] = .completed(parameters.octets)
    }

    /// What the controller says to a command.
    func result(of command: HCICommandPacket) -> HCICommandResult {
        HCICommandResult(
            owner: .setup, command: command,
            outcome: answers[command.opcode] ?? .status(.unknownCommand))
    }

    /// Runs the whole dialog; the commands in order, and how it ended.
    func setUp(
        _ configuration: ControllerSetup.Configuration = .init()
    ) -> (commands: [HCICommandPacket], end: ControllerSetup.Output?) {
        var setup = ControllerSetup(configuration: configuration)
        var commands: [HCICommandPacket] = []
        setup.start()
        while let output = setup.pollOutput() {
            switch output {
            case .send(let command):
                commands.append(command)
                setup.receive(result(of: command))
            case .finished, .failed: return (commands, output)
            }
        }
        return (commands, nil)
    }
}

@Suite struct ControllerSetupTests {
    static let legacy = SupportedCommands.assumed
    static let extended: SupportedCommands = {
        var commands = legacy
        for opcode in [
            HCIOpcode.leWriteSuggestedDefaultDataLength, .leReadMaximumDataLength,
            .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters,
            .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData,
            .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength,
            .leReadNumberOfSupportedAdvertisingSets, .writeLEHostSupport,
        ] { commands.insert(opcode) }
        return commands
    }()
    static let features: LEFeatures = [
        .encryption, .dataPacketLengthExtension, .extendedAdvertising,
    ]

    func abilities(_ end: ControllerSetup.Output?) throws -> ControllerAbilities {
        guard case .finished(let abilities) = try #require(end) else {
            Issue.record("\(end as Any)")
            return ControllerAbilities()
        }
        return abilities
    }

    @Test("a 4.0 controller receives no command of later versions")
    func legacyController() throws {
        let controller = AnsweringController(commands: Self.legacy, features: [.encryption])
        let (commands, end) = controller.setUp()
        #expect(
            commands.map(\.opcode) == [
                .reset, .readLocalVersionInformation, .readLocalSupportedCommands,
                .readLocalSupportedFeatures, .readBDADDR, .leReadLocalSupportedFeatures,
                .leReadBufferSize, .setEventMask, .leSetEventMask,
            ])
        #expect(commands.last == HCICommandPacket(HCI.LESetEventMask(mask: 0x1F)))
        let abilities = try abilities(end)
        #expect(abilities.hciVersion == 9)
        #expect(abilities.manufacturer == 0x004C)
        #expect(abilities.publicAddress == DeviceAddress(0xC011_2233_4455, kind: .public))
        #expect(abilities.buffers == .init(length: 251, count: 8))
        #expect(!abilities.hasExtendedAdvertising)
        #expect(abilities.maximumAdvertisingDataLength == 31)
    }

    @Test("with a 5.0 controller, the number of sets is read and long packets are enabled")
    func extendedController() throws {
        let controller = AnsweringController(commands: Self.extended, features: Self.features)
        let (commands, end) = controller.setUp()
        #expect(
            commands.suffix(6).map(\.opcode) == [
                .setEventMask, .leSetEventMask, .leReadMaximumDataLength,
                .leWriteSuggestedDefaultDataLength, .leReadNumberOfSupportedAdvertisingSets,
                .leReadMaximumAdvertisingDataLength,
            ])
        #expect(
            commands.contains(
                HCICommandPacket(
                    HCI.LEWriteSuggestedDefaultDataLength(octets: 251, microseconds: 2120))))
        #expect(
            commands.contains(
                HCICommandPacket(
                    HCI.LESetEventMask(mask: 0x1F | 1 << 6 | 1 << 12 | 1 << 16 | 1 << 17))))
        let abilities = try abilities(end)
        #expect(abilities.hasExtendedAdvertising)
        #expect(abilities.advertisingSets == 4)
        #expect(abilities.maximumAdvertisingDataLength == 1650)
    }

    @Test("commands without the feature are not used")
    func commandsWithoutFeature() throws {
        let controller = AnsweringController(commands: Self.extended, features: [])
        let (commands, end) = controller.setUp()
        #expect(!commands.contains { $0.opcode == .leReadNumberOfSupportedAdvertisingSets })
        #expect(!commands.contains { $0.opcode == .leReadMaximumDataLength })
        #expect(try !abilities(end).hasExtendedAdvertising)
    }

    @Test(
        "features without the bits of their commands are not used, and nothing else is sent either")
    func featureWithoutBits() throws {
        var supported = Self.legacy
        supported.remove(.readLocalSupportedFeatures)
        supported.remove(.setEventMask)
        var controller = AnsweringController(commands: supported, features: Self.features)
        controller.answer(
            HCI.ReadLocalSupportedFeatures.self, .init(status: .success, features: 1 << 38))
        let (commands, end) = controller.setUp()
        #expect(
            commands.map(\.opcode) == [
                .reset, .readLocalVersionInformation, .readLocalSupportedCommands, .readBDADDR,
                .leReadLocalSupportedFeatures, .leReadBufferSize, .leSetEventMask,
            ])
        #expect(try !abilities(end).hasExtendedAdvertising)
    }

    @Test("a feature whose commands answer 0x01 is not used")
    func featureWithoutCommands() throws {
        var controller = AnsweringController(commands: Self.extended, features: Self.features)
        controller.answers[.leReadNumberOfSupportedAdvertisingSets] = .completed([0x01])
        controller.answers[.leReadMaximumDataLength] = .status(.unknownCommand)
        let (commands, end) = controller.setUp()
        #expect(!commands.contains { $0.opcode == .leWriteSuggestedDefaultDataLength })
        #expect(try !abilities(end).hasExtendedAdvertising)
    }

    @Test("buffers of 0 by 0 are the shared ones")
    func sharedBuffers() throws {
        var controller = AnsweringController(commands: Self.legacy)
        controller.answer(
            HCI.LEReadBufferSize.self, .init(status: .success, aclLength: 0, aclCount: 0))
        let (commands, end) = controller.setUp()
        #expect(commands.contains { $0.opcode == .readBufferSize })
        #expect(
            try abilities(end).buffers == .init(length: 310, count: 10, isShared: true))
    }

    @Test("a controller with BR/EDR is informed that its host supports LE")
    func dualMode() throws {
        var controller = AnsweringController(commands: Self.extended)
        controller.answer(
            HCI.ReadLocalSupportedFeatures.self, .init(status: .success, features: 1 << 38))
        let (commands, _) = controller.setUp()
        #expect(
            commands.contains(
                HCICommandPacket(HCI.WriteLEHostSupport(isSupported: true, simultaneous: 0))))
        controller.answers[.readLocalSupportedFeatures] = .timedOut
        #expect(!controller.setUp().commands.contains { $0.opcode == .writeLEHostSupport })
    }

    @Test(
        "an unusable public address counts as none", arguments: [0, 0xFFFF_FFFF_FFFF] as [UInt64])
    func address(value: UInt64) throws {
        var controller = AnsweringController(commands: Self.legacy)
        controller.answer(
            HCI.ReadBDADDR.self,
            .init(status: .success, address: DeviceAddress(value, kind: .public)))
        #expect(try abilities(controller.setUp().end).publicAddress == nil)
    }

    @Test(
        "set-up succeeds if any one command except the reset is refused, unanswered or cut short",
        arguments: [
            HCICommandResult.Outcome.timedOut, .status(.unknownCommand), .completed([0x0C]),
            .completed([0x00]), .completed([]),
        ])
    func tolerance(outcome: HCICommandResult.Outcome) throws {
        let reference = AnsweringController(commands: Self.extended, features: Self.features)
        let opcodes = reference.setUp().commands.map(\.opcode).dropFirst()
        for opcode in opcodes {
            var controller = reference
            controller.answers[opcode] = outcome
            let abilities = try abilities(controller.setUp().end)
            #expect(abilities.buffers.length >= 27)
            #expect(abilities.buffers.count >= 1)
        }
    }

    @Test("a lost reset is tried again, three times in all")
    func lostReset() {
        var controller = AnsweringController(commands: Self.legacy)
        controller.answers[.reset] = .timedOut
        let (commands, end) = controller.setUp()
        #expect(commands.map(\.opcode) == [.reset, .reset, .reset])
        #expect(end == .failed(.noAnswer))
        controller.answers[.reset] = .completed([0x03])
        #expect(controller.setUp().end == .failed(.resetRefused(.hardwareFailure)))
    }

    @Test("results before the start, after the end and of other commands change nothing")
    func strangeResults() {
        let controller = AnsweringController(commands: Self.legacy)
        var setup = ControllerSetup()
        setup.receive(controller.result(of: HCICommandPacket(HCI.Reset())))
        #expect(setup.drain().isEmpty)
        setup.start()
        #expect(setup.drain() == [.send(HCICommandPacket(HCI.Reset()))])
        setup.receive(controller.result(of: HCICommandPacket(HCI.ReadBDADDR())))
        #expect(setup.drain().isEmpty)
        setup.start()
        #expect(setup.drain() == [.send(HCICommandPacket(HCI.Reset()))])
    }
}
