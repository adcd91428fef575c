@testable import BluetoothLE
import Octets
import Testing

/// How strong a peer is heard.
@Suite struct HostRSSITests {
    /// A host with a link at a controller that knows the command.
    private static func connected(_ rssi: Int8 = -61) -> HostBench {
        let bench = HostBench()
        var commands = ControllerSetupTests.legacy
        commands.insert(.readRSSI)
        bench.controller = AnsweringController(commands: commands)
        bench.controller.answer(
            HCI.ReadRSSI.self, .init(status: .success, handle: HostBench.handle, rssi: rssi))
        bench.start()
        bench.connect()
        bench.forget()
        return bench
    }

    private static func read(_ bench: HostBench) throws {
        try bench.host.readRSSI(of: HostBench.handle, at: bench.now)
    }

    @Test(
        "the controller is asked, and 127 means that the value is unknown",
        arguments: [-61, 20, 127] as [Int8])
    func answer(rssi: Int8) throws {
        let bench = Self.connected(rssi)
        try Self.read(bench)
        bench.run()
        #expect(bench.takeOutputs() == [.link(HostBench.handle, .rssi(rssi == 127 ? nil : rssi))])
        #expect(bench.commands == [HCICommandPacket(HCI.ReadRSSI(handle: HostBench.handle))])
    }

    @Test("requests made before the answer arrives share it")
    func oneCommand() throws {
        let bench = Self.connected()
        for _ in 1...1000 { try Self.read(bench) }
        bench.run()
        #expect(bench.story() == ["40 heard at -61"])
        #expect(bench.opcodes() == [.readRSSI])
        try Self.read(bench)
        bench.run()
        #expect(bench.story() == ["40 heard at -61"])
    }

    @Test(
        "a controller that announces the command and refuses it, or answers nonsense, does not know",
        arguments: [
            HCICommandResult.Outcome.completed([0x01]), .status(.unknownCommand),
            .completed([0x00]), .completed([]), .completed([0x02, 0x40, 0x00, 0x00]),
        ])
    func refused(outcome: HCICommandResult.Outcome) throws {
        let bench = Self.connected()
        bench.controller.answers[.readRSSI] = outcome
        try Self.read(bench)
        bench.run()
        #expect(bench.story() == ["40 heard at unknown"])
    }

    @Test("a controller that does not answer in time does not know")
    func silent() throws {
        let bench = Self.connected()
        bench.unanswered = [.readRSSI]
        try Self.read(bench)
        bench.advance(by: .seconds(3))
        #expect(bench.story() == ["40 heard at unknown"])
    }

    @Test("without the command or the link nothing is asked")
    func notAsked() throws {
        let bench = HostBench.ready()
        #expect(throws: HostUsageError.unknownConnection) { try Self.read(bench) }
        bench.connect()
        bench.forget()
        #expect(throws: HostUsageError.notSupported) { try Self.read(bench) }
        bench.run()
        #expect(bench.opcodes() == [])
        #expect(bench.story() == [])
    }

    @Test("an answer that arrives after the link is ignored, even if another link has its handle")
    func linkEnded() throws {
        let bench = Self.connected()
        bench.unanswered = [.readRSSI]
        try Self.read(bench)
        bench.run()
        bench.disconnect()
        bench.connect()
        bench.inject(
            HCI.CommandComplete(
                credits: 1, opcode: .readRSSI, returnParameters: [0x00, 0x40, 0x00, 0xC3]))
        #expect(bench.story() == ["40 disconnected: 13", "40 connected to stranger"])
    }
}
