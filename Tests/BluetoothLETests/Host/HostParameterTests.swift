import BluetoothLE
import Octets
import Testing

@Suite("Connection parameters of a host's link") struct HostParameterTests {
    private static func connected() throws -> HostLink {
        let link = HostLink()
        try link.connect()
        link.forget()
        return link
    }

    /// The peripheral asks, as the accessory does on each link.
    private static func asking(_ link: HostLink) throws {
        try link.peripheral.host.askForParameters(
            LinkParameterPolicy(), of: link.handle, at: link.peripheral.now)
        link.run()
    }

    private static func wait(_ duration: Duration, on link: HostLink) {
        link.peripheral.advance(by: duration)
        link.run()
    }

    @Test("a Peripheral asks after one second, and the Central applies it")
    func afterOneSecond() throws {
        let link = try Self.connected()
        try Self.asking(link)
        #expect(link.central.story().isEmpty)
        Self.wait(.seconds(1), on: link)
        #expect(link.central.story() == ["40 interval 36"])
        #expect(link.peripheral.story() == ["40 interval 36", "40 parameters met"])
        #expect(
            link.peripheral.host.description(of: link.handle)?.supervisionTimeout.duration
                == .seconds(6))
        try Self.asking(link)
        #expect(link.peripheral.host.nextDeadline == nil, "a quiet link wakes nobody")
        #expect(throws: HostUsageError.signalling(.notPeripheral)) {
            try link.central.host.askForParameters(
                LinkParameterPolicy(), of: link.handle, at: link.central.now)
        }
    }

    @Test("a Peripheral asks as soon as the link is encrypted")
    func whenEncrypted() throws {
        let link = try Self.connected()
        try Self.asking(link)
        try link.secure()
        #expect(link.peripheral.story().contains("40 parameters met"))
    }

    @Test(
        "a Central that refuses, or only says yes, or says nothing, is asked twice and then left alone",
        arguments: [ParameterAnswer.refuse, .acceptOnly, .ignore])
    func reluctant(answer: ParameterAnswer) throws {
        let link = try Self.connected()
        link.central.host.setParameterAnswer(answer)
        try Self.asking(link)
        for _ in 0..<200 { Self.wait(.seconds(1), on: link) }
        #expect(link.peripheral.story() == ["40 parameters kept"])
        #expect(link.central.story().isEmpty)
        #expect(link.peripheral.host.nextDeadline == nil)
    }

    @Test("a Central that changes the parameters is asked again, at most three times in all")
    func overwritten() throws {
        let link = try Self.connected()
        try Self.asking(link)
        Self.wait(.seconds(1), on: link)
        for _ in 0..<5 {
            try link.central.host.updateParameters(.initial, of: link.handle, at: link.central.now)
            link.run()
            Self.wait(.seconds(2), on: link)
        }
        let told = link.peripheral.story().filter { $0.contains("parameters") }
        #expect(
            told == [
                "40 parameters met", "40 parameters met", "40 parameters met",
                "40 parameters kept",
            ])
        #expect(link.peripheral.host.nextDeadline == nil)
    }

    @Test("a Central whose link is being changed refuses further requests, and queues nothing")
    func requestsInAFlood() throws {
        let link = try Self.connected()
        link.central.commandSent = { _ in }
        link.central.forget()
        for identifier in 1...100 as ClosedRange<UInt8> {
            // Core Vol 3, Part A, 4.20: 30 to 45 ms, latency 0, 6 s.
            let request: [UInt8] = [
                0x12, identifier, 8, 0, 24, 0, 36, 0, 0, 0, 0x58, 0x02,
            ]
            link.central.receive(request, on: .leSignalling, of: link.handle)
        }
        #expect(link.central.opcodes() == [.leConnectionUpdate])
        link.central.inject(
            HCI.LEConnectionUpdateComplete(
                status: .unacceptableConnectionParameters, handle: link.handle,
                interval: ConnectionInterval(rawValue: 24), latency: 0,
                supervisionTimeout: SupervisionTimeout(rawValue: 72)))
        link.central.forget()
        link.central.receive(
            [0x12, 101, 8, 0, 24, 0, 36, 0, 0, 0, 0x58, 0x02], on: .leSignalling, of: link.handle)
        #expect(link.central.opcodes() == [.leConnectionUpdate], "it may ask again")
    }

    @Test("the link layer's request for parameters is accepted where they are valid")
    func linkLayerParameters() throws {
        let link = try Self.connected()
        for (timeout, answer) in [
            (200, HCIOpcode.leRemoteConnectionParameterRequestReply),
            (5, .leRemoteConnectionParameterRequestNegativeReply),
        ] {
            link.peripheral.inject(
                HCI.LERemoteConnectionParameterRequest(
                    handle: link.handle,
                    parameters: ConnectionParameters(
                        intervalMinimum: ConnectionInterval(rawValue: 12),
                        intervalMaximum: ConnectionInterval(rawValue: 18), latency: 0,
                        supervisionTimeout: SupervisionTimeout(rawValue: UInt16(timeout)))))
            #expect(link.peripheral.opcodes() == [answer])
        }
    }
}
