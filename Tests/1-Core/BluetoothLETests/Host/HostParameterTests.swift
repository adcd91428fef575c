@testable import BluetoothLE
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
        "a Central that refuses, accepts without effect, or does not answer is asked twice",
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

    /// A request of the Peripheral: 30 to 45 ms, latency 0, 6 s.
    private static func request(_ link: HostLink, ofLinkLayer: Bool, interval: UInt16 = 24) {
        let parameters = ConnectionParameters(
            intervalMinimum: ConnectionInterval(rawValue: interval),
            intervalMaximum: ConnectionInterval(rawValue: 36), latency: 0,
            supervisionTimeout: SupervisionTimeout(rawValue: 600))
        if ofLinkLayer {
            link.central.inject(
                HCI.LERemoteConnectionParameterRequest(handle: link.handle, parameters: parameters))
        } else {
            link.central.receive(
                [0x12, 7, 8, 0, UInt8(interval), 0, 36, 0, 0, 0, 0x58, 0x02], on: .leSignalling,
                of: link.handle)
        }
    }

    /// A Central whose owner answers, and whose commands are only noted.
    private static func asked() throws -> HostLink {
        let link = try connected()
        link.central.host.setParameterAnswer(nil)
        link.central.commandSent = { _ in }
        link.central.forget()
        return link
    }

    @Test(
        "an owner that wants to be asked accepts after a delay, by either protocol",
        arguments: [false, true])
    func ownerAccepts(ofLinkLayer: Bool) throws {
        let link = try Self.asked()
        Self.request(link, ofLinkLayer: ofLinkLayer)
        #expect(link.central.story() == ["40 wants interval 36"])
        #expect(link.central.opcodes().isEmpty)
        try link.central.host.answerParameters(
            .accept, of: link.handle, after: .milliseconds(60), at: link.central.now)
        link.central.run()
        #expect(link.central.opcodes().isEmpty, "it is applied later")
        link.central.advance(by: .milliseconds(59))
        #expect(link.central.opcodes().isEmpty)
        link.central.advance(by: .milliseconds(1))
        #expect(
            link.central.opcodes()
                == [
                    ofLinkLayer ? .leRemoteConnectionParameterRequestReply : .leConnectionUpdate
                ])
        #expect(throws: HostUsageError.signalling(.nothingToAnswer)) {
            try link.central.host.answerParameters(
                .accept, of: link.handle, at: link.central.now)
        }
    }

    @Test("an owner that refuses the link layer's request does so by a command")
    func ownerRefuses() throws {
        for answer in [ParameterAnswer.refuse, .acceptOnly, .ignore] {
            let link = try Self.asked()
            Self.request(link, ofLinkLayer: true)
            try link.central.host.answerParameters(
                answer, of: link.handle, at: link.central.now)
            link.central.run()
            #expect(
                link.central.opcodes() == [.leRemoteConnectionParameterRequestNegativeReply])
            #expect(link.central.host.nextDeadline == nil || answer == .refuse)
        }
    }

    @Test(
        "parameters out of range are refused at once, and reported to the owner",
        arguments: [false, true])
    func outOfRange(ofLinkLayer: Bool) throws {
        let link = try Self.asked()
        Self.request(link, ofLinkLayer: ofLinkLayer, interval: 5)
        #expect(link.central.story() == ["40 wants interval 36"])
        #expect(
            link.central.opcodes()
                == (ofLinkLayer ? [.leRemoteConnectionParameterRequestNegativeReply] : []))
        #expect(throws: HostUsageError.signalling(.nothingToAnswer)) {
            try link.central.host.answerParameters(
                .accept, of: link.handle, at: link.central.now)
        }
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
