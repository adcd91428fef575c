@testable import BluetoothLE
import Octets
import Testing

extension HCICommandChannel {
    mutating func drain() -> [Output] {
        var outputs: [Output] = []
        while let output = pollOutput() { outputs.append(output) }
        return outputs
    }
}

@Suite struct HCICommandChannelTests {
    static let reset = HCICommandPacket(HCI.Reset())
    static let version = HCICommandPacket(HCI.ReadLocalVersionInformation())

    func complete(_ opcode: HCIOpcode, credits: UInt8 = 1) -> HCI.CommandComplete {
        HCI.CommandComplete(credits: credits, opcode: opcode, returnParameters: [0x00])
    }

    func ended(
        _ command: HCICommandPacket, _ outcome: HCICommandResult.Outcome
    ) -> HCICommandChannel.Output {
        .ended(HCICommandResult(owner: .host, command: command, outcome: outcome))
    }

    @Test("the second command waits for the answer to the first")
    func oneAtATime() throws {
        var channel = HCICommandChannel()
        try channel.submit(Self.reset, at: .zero)
        try channel.submit(Self.version, at: .zero)
        #expect(channel.drain() == [.send(Self.reset)])
        channel.receive(complete(.reset), at: .zero)
        #expect(channel.drain() == [ended(Self.reset, .completed([0x00])), .send(Self.version)])
        #expect(channel.outstandingCount == 1)
    }

    @Test("Command Status answers a command as well, also one that would have had another answer")
    func commandStatus() throws {
        var channel = HCICommandChannel()
        try channel.submit(Self.version, at: .zero)
        channel.receive(
            HCI.CommandStatus(
                status: .unknownCommand, credits: 1, opcode: .readLocalVersionInformation),
            at: .zero)
        #expect(
            channel.drain() == [
                .send(Self.version), ended(Self.version, .status(.unknownCommand)),
            ])
        let deadline = channel.nextDeadline
        #expect(deadline == nil)
    }

    @Test("without a credit the next command waits until one is granted with opcode 0")
    func credits() throws {
        var channel = HCICommandChannel()
        try channel.submit(Self.reset, at: .zero)
        try channel.submit(Self.version, at: .zero)
        channel.receive(complete(.reset, credits: 0), at: .zero)
        #expect(
            channel.drain() == [.send(Self.reset), ended(Self.reset, .completed([0x00]))])
        channel.receive(
            HCI.CommandComplete(credits: 1, opcode: .none, returnParameters: []), at: .zero)
        #expect(channel.drain() == [.send(Self.version)])
    }

    @Test("an answer to another command ends nothing")
    func anotherAnswer() throws {
        var channel = HCICommandChannel()
        try channel.submit(Self.reset, at: .zero)
        try channel.submit(Self.version, at: .zero)
        channel.receive(complete(.readBDADDR), at: .zero)
        channel.receive(
            HCI.CommandComplete(credits: 1, opcode: .none, returnParameters: []), at: .zero)
        #expect(channel.drain() == [.send(Self.reset)])
    }

    @Test("a command that is never answered ends at its deadline, and the next is sent")
    func timeout() throws {
        var channel = HCICommandChannel()
        let start = MonotonicInstant(nanoseconds: 7)
        try channel.submit(Self.reset, at: start)
        try channel.submit(Self.version, at: start)
        let pendingDeadline = channel.nextDeadline
        let deadline = try #require(pendingDeadline)
        #expect(deadline == start + .seconds(2))
        channel.handleTimeout(at: MonotonicInstant(nanoseconds: deadline.nanoseconds - 1))
        #expect(channel.drain() == [.send(Self.reset)])
        channel.handleTimeout(at: deadline)
        #expect(channel.drain() == [ended(Self.reset, .timedOut), .send(Self.version)])
        #expect(channel.nextDeadline == deadline + .seconds(2))
        // The late answer ends nothing.
        channel.receive(complete(.reset), at: deadline)
        #expect(channel.drain().isEmpty)
    }

    @Test("a controller that never grants a credit again is tried after the deadline")
    func lostCredit() throws {
        var channel = HCICommandChannel()
        try channel.submit(Self.reset, at: .zero)
        channel.receive(complete(.reset, credits: 0), at: .zero)
        _ = channel.drain()
        let idle = channel.nextDeadline
        #expect(idle == nil)
        try channel.submit(Self.version, at: .zero)
        let pendingDeadline = channel.nextDeadline
        let deadline = try #require(pendingDeadline)
        channel.handleTimeout(at: MonotonicInstant(nanoseconds: deadline.nanoseconds - 1))
        #expect(channel.drain().isEmpty)
        channel.handleTimeout(at: deadline)
        #expect(channel.drain() == [.send(Self.version)])
    }

    @Test("the queue has a limit, and the command in flight does not count")
    func limit() throws {
        var channel = HCICommandChannel(configuration: .init(maximumQueued: 2))
        for _ in 0..<3 { try channel.submit(Self.version, at: .zero) }
        var failure: HCICommandChannel.UsageError?
        do throws(HCICommandChannel.UsageError) {
            try channel.submit(Self.version, at: .zero)
        } catch { failure = error }
        #expect(failure == .queueFull)
        #expect(channel.outstandingCount == 3)
    }

    @Test("return parameters are there only for a success of that command")
    func returnParameters() {
        let octets: [UInt8] = [0x00, 0x55, 0x44, 0x33, 0x22, 0x11, 0xC0]
        let command = HCICommandPacket(HCI.ReadBDADDR())
        func result(_ outcome: HCICommandResult.Outcome) -> HCICommandResult {
            HCICommandResult(owner: .setup, command: command, outcome: outcome)
        }
        #expect(
            result(.completed(octets)).returnParameters(of: HCI.ReadBDADDR.self)?.address
                == DeviceAddress(0xC011_2233_4455, kind: .public))
        #expect(result(.completed(octets)).returnParameters(of: HCI.Reset.self) == nil)
        #expect(result(.completed([0x0C])).returnParameters(of: HCI.ReadBDADDR.self) == nil)
        #expect(result(.completed([0x0C])).status == .commandDisallowed)
        #expect(result(.completed([])).status == nil)
        #expect(result(.completed([0x00])).returnParameters(of: HCI.ReadBDADDR.self) == nil)
        #expect(result(.timedOut).status == nil)
        #expect(!result(.timedOut).isSuccess)
    }
}
