@testable import BluetoothLE
import Octets
import Testing

extension Scanner {
    /// Lets the controller answer every command in this way, until there is none; the commands, and
    /// what else came out.
    mutating func run(
        _ answer: (HCICommandPacket) -> HCICommandResult.Outcome = { _ in .completed([0x00]) }
    ) -> (commands: [HCICommandPacket], events: [Output]) {
        var commands: [HCICommandPacket] = []
        var events: [Output] = []
        while let output = pollOutput() {
            if case .send(let command) = output {
                commands.append(command)
                receive(
                    HCICommandResult(owner: .scanner, command: command, outcome: answer(command)))
            } else {
                events.append(output)
            }
        }
        return (commands, events)
    }
}

/// Scanners and what they send, for the tests of both suites.
protocol ScannerTesting {}

extension ScannerTesting {
    static var parameters: ScanParameters { ScanParameters() }
    static var enable: HCICommandPacket {
        HCICommandPacket(HCI.LESetScanEnable(isEnabled: true, filtersDuplicates: true))
    }
    static var disable: HCICommandPacket {
        HCICommandPacket(HCI.LESetScanEnable(isEnabled: false, filtersDuplicates: false))
    }
    static var extendedAbilities: ControllerAbilities {
        var commands = ControllerSetupTests.extended
        for opcode in [
            HCIOpcode.leSetExtendedScanParameters, .leSetExtendedScanEnable,
            .leExtendedCreateConnection,
        ] {
            commands.insert(opcode)
        }
        return ControllerAbilities(
            commands: commands, features: [.extendedAdvertising], advertisingSets: 1,
            maximumAdvertisingDataLength: 300)
    }

    func legacy() -> Scanner {
        Scanner(configuration: .init(abilities: ControllerAbilities()))
    }

    func extended() -> Scanner {
        Scanner(configuration: .init(abilities: Self.extendedAbilities))
    }
}

/// What a scanner tells the controller.
@Suite struct ScannerTests: ScannerTesting {
    @Test("legacy scanning is parameters and enable")
    func legacyStart() {
        var scanner = legacy()
        scanner.start(Self.parameters)
        let (commands, events) = scanner.run()
        #expect(
            commands == [
                HCICommandPacket(
                    HCI.LESetScanParameters(
                        isActive: true, interval: .milliseconds(60), window: .milliseconds(30),
                        ownAddressType: .random, filterPolicy: 0)),
                Self.enable,
            ])
        #expect(events == [.started])
        #expect(scanner.isWanted == true && scanner.isQuiet == false)
        scanner.stop()
        let end = scanner.run()
        #expect(end.commands == [Self.disable])
        #expect(end.events == [.stopped])
        #expect(scanner.isWanted == false && scanner.isQuiet == true)
    }

    @Test("extended scanning is the same with other commands")
    func extendedStart() {
        var scanner = extended()
        scanner.start(ScanParameters(isActive: false, filtersDuplicates: false))
        let (commands, events) = scanner.run()
        #expect(
            commands == [
                HCICommandPacket(
                    HCI.LESetExtendedScanParameters(
                        ownAddressType: .random, filterPolicy: 0,
                        entries: [
                            .init(
                                phy: .le1M, isActive: false, interval: .milliseconds(60),
                                window: .milliseconds(30))
                        ])),
                HCICommandPacket(
                    HCI.LESetExtendedScanEnable(
                        isEnabled: true, duplicateFilter: 0, duration: 0, period: 0)),
            ])
        #expect(events == [.started])
    }

    @Test("other parameters are set off air")
    func change() {
        var scanner = legacy()
        scanner.start(Self.parameters)
        _ = scanner.run()
        scanner.start(ScanParameters(isActive: false))
        let (commands, events) = scanner.run()
        #expect(
            commands.map(\.opcode) == [.leSetScanEnable, .leSetScanParameters, .leSetScanEnable])
        #expect(events.isEmpty)
    }

    @Test("starting again makes the controller forget which devices it has filtered out")
    func startAgain() {
        var scanner = legacy()
        scanner.start(Self.parameters)
        _ = scanner.run()
        scanner.start(Self.parameters)
        #expect(scanner.run().commands == [Self.disable, Self.enable])
        scanner.stop()
        scanner.stop()
        #expect(scanner.run().events == [.stopped])
        scanner.stop()
        #expect(scanner.run().events.isEmpty)
    }

    @Test("stopping while it starts ends off air")
    func stopWhileStarting() {
        var scanner = legacy()
        scanner.start(Self.parameters)
        var commands: [HCICommandPacket] = []
        while case .send(let command)? = scanner.pollOutput() {
            commands.append(command)
            if command == Self.enable { scanner.stop() }
            scanner.receive(
                HCICommandResult(owner: .scanner, command: command, outcome: .completed([0])))
        }
        #expect(commands.suffix(2) == [Self.enable, Self.disable])
        #expect(scanner.isQuiet == true)
    }

    @Test("while held, it is off air without a report; released, it continues")
    func held() {
        var scanner = legacy()
        scanner.setHeld(true)
        scanner.start(Self.parameters)
        #expect(scanner.run().commands.isEmpty)
        scanner.setHeld(false)
        #expect(scanner.run().events == [.started])
        scanner.setHeld(true)
        let pause = scanner.run()
        #expect(pause.commands == [Self.disable])
        #expect(scanner.isQuiet == true)
        scanner.setHeld(false)
        let resumption = scanner.run()
        #expect(resumption.commands == [Self.enable])
        #expect(pause.events.isEmpty && resumption.events.isEmpty)
        scanner.setHeld(true)
        _ = scanner.run()
        scanner.stop()
        #expect(scanner.run().events == [.stopped])
    }

    @Test(
        "where extended commands are refused, legacy ones are used",
        arguments: [HCIStatus.unknownCommand, .commandDisallowed, .invalidCommandParameters])
    func fallback(status: HCIStatus) {
        var scanner = extended()
        scanner.start(Self.parameters)
        let (commands, events) = scanner.run { command in
            command.opcode.rawValue >= 0x2035 ? .status(status) : .completed([0x00])
        }
        #expect(commands.last == Self.enable)
        #expect(events == [.started])
    }

    @Test("a controller that still scans is stopped first")
    func disallowed() {
        var scanner = legacy()
        var scans = true
        scanner.start(Self.parameters)
        let (commands, events) = scanner.run { command in
            if command == Self.disable { scans = false }
            return .completed([scans ? 0x0C : 0x00])
        }
        #expect(commands[1] == Self.disable)
        #expect(events == [.started])
    }

    @Test("a refusal is reported, and another attempt is allowed")
    func refusal() {
        var scanner = legacy()
        scanner.start(Self.parameters)
        let (_, events) = scanner.run { command in
            command == Self.enable ? .completed([0x0C]) : .completed([0x00])
        }
        #expect(events == [.failed(.refused(.leSetScanEnable, .commandDisallowed))])
        #expect(scanner.isWanted == false && scanner.isQuiet == true)
        scanner.start(Self.parameters)
        #expect(scanner.run().events == [.started])
    }

    @Test("a controller that answers nothing is given up", arguments: [false, true])
    func silence(isExtended: Bool) {
        var scanner = isExtended ? extended() : legacy()
        scanner.start(Self.parameters)
        let (commands, events) = scanner.run { _ in .timedOut }
        #expect(commands.count < 12)
        #expect(
            events == [
                .failed(
                    .timedOut(isExtended ? .leSetExtendedScanParameters : .leSetScanParameters))
            ])
        #expect(scanner.isQuiet == true)
    }

    @Test(
        "any answer to one command leads to scanning or failed, within few commands",
        arguments: [false, true])
    func everyRefusal(isExtended: Bool) {
        for refused in 0..<6 {
            for outcome in [
                HCICommandResult.Outcome.timedOut, .status(.unknownCommand), .completed([0x12]),
                .completed([0x0C]), .completed([]),
            ] {
                var scanner = isExtended ? extended() : legacy()
                scanner.start(Self.parameters)
                var count = 0
                let (_, events) = scanner.run { _ in
                    count += 1
                    return count == refused + 1 ? outcome : .completed([0x00])
                }
                #expect(count < 15)
                #expect(events.count == 1)
                #expect(scanner.isQuiet == (events != [.started]))
                scanner.stop()
                _ = scanner.run { _ in .timedOut }
                #expect(scanner.isQuiet == true)
            }
        }
    }

    @Test("a failed preparation fails it, once")
    func abandoned() {
        var scanner = legacy()
        scanner.abandon(.timedOut(.leSetRandomAddress))
        #expect(scanner.run().events.isEmpty)
        scanner.setHeld(true)
        scanner.start(Self.parameters)
        scanner.abandon(.timedOut(.leSetRandomAddress))
        #expect(scanner.run().events == [.failed(.timedOut(.leSetRandomAddress))])
        #expect(scanner.isWanted == false)
    }
}
