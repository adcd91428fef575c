@testable import BluetoothLE
import Octets
import Testing

@Suite struct InitiatorTests: ScannerTesting {
    static let address = DeviceAddress(0xE0F1_F2F3_F4F5, kind: .random)
    static let cancel = HCICommandPacket(HCI.LECreateConnectionCancel())

    func legacyInitiator() -> Initiator {
        Initiator(configuration: .init(abilities: ControllerAbilities()))
    }

    /// A controller that listens for ``address``, for 10 s at most.
    func initiating() throws -> Initiator {
        var initiator = legacyInitiator()
        try initiator.connect(to: Self.address, timeout: .seconds(10), at: .zero)
        _ = run(&initiator)
        return initiator
    }

    /// Answers every command; by default that it has begun, or is done.
    @discardableResult func run(
        _ initiator: inout Initiator, at now: MonotonicInstant = .zero,
        _ answer: (HCICommandPacket) -> HCICommandResult.Outcome = { command in
            command == InitiatorTests.cancel ? .completed([0x00]) : .status(.success)
        }
    ) -> (commands: [HCICommandPacket], events: [Initiator.Output]) {
        var commands: [HCICommandPacket] = []
        var events: [Initiator.Output] = []
        while let output = initiator.pollOutput() {
            if case .send(let command) = output {
                commands.append(command)
                initiator.receive(
                    HCICommandResult(owner: .initiator, command: command, outcome: answer(command)),
                    at: now)
            } else {
                events.append(output)
            }
        }
        return (commands, events)
    }

    @Test("it connects with the parameters of an iPhone")
    func legacyCommand() throws {
        var initiator = legacyInitiator()
        try initiator.connect(to: Self.address, timeout: nil, at: .zero)
        let (commands, events) = run(&initiator)
        let interval = ConnectionInterval(rawValue: 24)
        #expect(
            commands == [
                HCICommandPacket(
                    HCI.LECreateConnection(
                        scanInterval: .milliseconds(60), scanWindow: .milliseconds(60),
                        filterPolicy: 0, peerAddress: Self.address, ownAddressType: .random,
                        parameters: ConnectionParameters(
                            intervalMinimum: interval, intervalMaximum: interval, latency: 0,
                            supervisionTimeout: SupervisionTimeout(rawValue: 72)),
                        eventLengthMinimum: 0, eventLengthMaximum: 0))
            ])
        #expect(events.isEmpty)
        let deadline = initiator.nextDeadline
        #expect(deadline == nil && initiator.address == Self.address)
        initiator.connected()
        #expect(run(&initiator).commands.isEmpty)
        #expect(initiator.address == nil && initiator.isQuiet == true)
    }

    @Test("extended commands where there are any, legacy ones where they are unknown")
    func extendedCommand() throws {
        var initiator = Initiator(configuration: .init(abilities: Self.extendedAbilities))
        try initiator.connect(to: Self.address, timeout: nil, at: .zero)
        let (commands, events) = run(&initiator) { command in
            .status(command.opcode == .leExtendedCreateConnection ? .unknownCommand : .success)
        }
        #expect(commands.map(\.opcode) == [.leExtendedCreateConnection, .leCreateConnection])
        #expect(events.isEmpty)
    }

    @Test("one at a time")
    func busy() throws {
        var initiator = try initiating()
        #expect(throws: Initiator.UsageError.busy(Self.address)) {
            try initiator.connect(to: Self.address, timeout: nil, at: .zero)
        }
        var parameters = ConnectionParameters.initial
        parameters.latency = 500
        var other = legacyInitiator()
        #expect(throws: Initiator.UsageError.invalidParameters(.latency)) {
            try other.connect(to: Self.address, parameters: parameters, timeout: nil, at: .zero)
        }
    }

    @Test("a device that is not heard in time is given up, once the controller has")
    func timeout() throws {
        var initiator = try initiating()
        let deadline = initiator.nextDeadline
        #expect(deadline == .zero + .seconds(10))
        let end = MonotonicInstant.zero + .seconds(10)
        initiator.handleTimeout(at: MonotonicInstant(nanoseconds: end.nanoseconds - 1))
        #expect(run(&initiator).commands.isEmpty)
        initiator.handleTimeout(at: end)
        let (commands, events) = run(&initiator, at: end)
        #expect(commands == [Self.cancel])
        #expect(events.isEmpty)
        initiator.connectionFailed(.unknownConnectionIdentifier)
        #expect(run(&initiator).events == [.failed(Self.address, .timedOut)])
        #expect(initiator.isQuiet == true)
        let none = initiator.nextDeadline
        #expect(none == nil)
    }

    @Test("a link that is made while it is given up counts", arguments: [false, true])
    func race(isBeforeAnswer: Bool) throws {
        var initiator = try initiating()
        initiator.cancel()
        #expect(initiator.pollOutput() == .send(Self.cancel))
        if isBeforeAnswer { initiator.connected() }
        initiator.receive(
            HCICommandResult(
                owner: .initiator, command: Self.cancel,
                outcome: .completed([HCIStatus.commandDisallowed.rawValue])), at: .zero)
        if !isBeforeAnswer { initiator.connected() }
        let deadline = initiator.nextDeadline
        #expect(run(&initiator).events.isEmpty && deadline == nil && initiator.isQuiet == true)
    }

    @Test("a controller that does not confirm is not waited for longer than 2 s")
    func unconfirmed() throws {
        var initiator = try initiating()
        initiator.cancel()
        initiator.cancel()
        #expect(run(&initiator).commands == [Self.cancel])
        let deadline = initiator.nextDeadline
        #expect(deadline == .zero + .seconds(2))
        initiator.handleTimeout(at: .zero + .seconds(2))
        #expect(run(&initiator).events == [.failed(Self.address, .cancelled)])
    }

    @Test("giving up before the controller has begun waits until it has")
    func cancelWhileBeginning() throws {
        var initiator = legacyInitiator()
        try initiator.connect(to: Self.address, timeout: nil, at: .zero)
        initiator.cancel()
        let (commands, events) = run(&initiator)
        #expect(commands.map(\.opcode) == [.leCreateConnection, .leCreateConnectionCancel])
        #expect(events.isEmpty)
        initiator.connectionFailed(.unknownConnectionIdentifier)
        #expect(run(&initiator).events == [.failed(Self.address, .cancelled)])
    }

    @Test("held, it begins later; held on its way, it begins again")
    func held() throws {
        var initiator = legacyInitiator()
        initiator.setHeld(true)
        try initiator.connect(to: Self.address, timeout: nil, at: .zero)
        #expect(run(&initiator).commands.isEmpty)
        initiator.setHeld(false)
        #expect(run(&initiator).commands.map(\.opcode) == [.leCreateConnection])
        initiator.setHeld(true)
        #expect(run(&initiator).commands == [Self.cancel])
        #expect(initiator.isQuiet == false)
        initiator.connectionFailed(.unknownConnectionIdentifier)
        #expect(initiator.isQuiet == true)
        initiator.setHeld(false)
        let (commands, events) = run(&initiator)
        #expect(commands.map(\.opcode) == [.leCreateConnection])
        #expect(events.isEmpty)
        initiator.setHeld(true)
        initiator.cancel()
        _ = run(&initiator)
        initiator.connectionFailed(.unknownConnectionIdentifier)
        #expect(run(&initiator).events == [.failed(Self.address, .cancelled)])
    }

    @Test("a refusal by the controller is reported, by command or by event")
    func refused() throws {
        var initiator = legacyInitiator()
        try initiator.connect(to: Self.address, timeout: nil, at: .zero)
        let command = run(&initiator) { _ in .status(.connectionLimitExceeded) }
        #expect(command.events == [.failed(Self.address, .refused(.connectionLimitExceeded))])
        var other = try initiating()
        other.connectionFailed(.advertisingTimeout)
        #expect(run(&other).events.isEmpty)
        other.connectionFailed(.connectionFailedToBeEstablished)
        #expect(
            run(&other).events == [
                .failed(Self.address, .refused(.connectionFailedToBeEstablished))
            ])
        other.connectionFailed(.connectionFailedToBeEstablished)
        #expect(run(&other).events.isEmpty)
    }

    @Test("a controller that reports being busy is stopped, then asked once more")
    func disallowed() throws {
        var initiator = legacyInitiator()
        try initiator.connect(to: Self.address, timeout: nil, at: .zero)
        let first = run(&initiator) { _ in .status(.commandDisallowed) }
        #expect(first.commands.map(\.opcode) == [.leCreateConnection, .leCreateConnectionCancel])
        initiator.handleTimeout(at: .zero + .seconds(2))
        let second = run(&initiator) { _ in .status(.commandDisallowed) }
        #expect(second.commands.map(\.opcode) == [.leCreateConnection])
        #expect(second.events == [.failed(Self.address, .refused(.commandDisallowed))])
    }

    @Test("after a lost answer the attempt is abandoned")
    func unanswered() throws {
        var initiator = legacyInitiator()
        try initiator.connect(to: Self.address, timeout: nil, at: .zero)
        let (commands, events) = run(&initiator) { _ in .timedOut }
        #expect(commands.map(\.opcode) == [.leCreateConnection, .leCreateConnectionCancel])
        #expect(events.isEmpty)
        initiator.handleTimeout(at: .zero + .seconds(2))
        #expect(run(&initiator).events == [.failed(Self.address, .unanswered)])
    }

    @Test("the time limit no longer counts after a lost answer")
    func unansweredWithTimeLimit() throws {
        var initiator = legacyInitiator()
        try initiator.connect(to: Self.address, timeout: .seconds(3), at: .zero)
        let output = initiator.pollOutput()
        guard case .send(let create) = output else {
            Issue.record("\(String(describing: output))")
            return
        }
        initiator.receive(
            HCICommandResult(owner: .initiator, command: create, outcome: .timedOut),
            at: .zero + .seconds(2))
        #expect(initiator.pollOutput() == .send(Self.cancel))
        let deadline = initiator.nextDeadline
        #expect(deadline == nil)
    }

    @Test("answers and events that belong to nothing change nothing")
    func strange() {
        var initiator = legacyInitiator()
        initiator.cancel()
        initiator.connected()
        initiator.connectionFailed(.unknownConnectionIdentifier)
        initiator.receive(
            HCICommandResult(owner: .initiator, command: Self.cancel, outcome: .completed([0x0C])),
            at: .zero)
        initiator.handleTimeout(at: .zero)
        #expect(run(&initiator).events.isEmpty && initiator.isQuiet == true)
    }
}
