@testable import BluetoothLE
import Octets
import Testing

/// A controller that fails, falls silent or goes away: every link and every request ends once.
@Suite struct HostResetTests {
    @Test("after a hardware error everything ends once, and the controller is set up again")
    func hardwareError() throws {
        let bench = HostBench.ready()
        bench.connect()
        try bench.advertise()
        for _ in 1...3 {
            _ = try bench.host.start(
                .readValue(AttributeHandle(3)), on: HostBench.handle, at: bench.now)
        }
        bench.run()
        bench.forget()
        bench.inject(HCI.HardwareError(hardwareCode: 7))
        #expect(
            bench.story() == [
                "40 not done: closed", "40 not done: closed", "40 not done: closed",
                "40 disconnected: 03", "off air: 3", "resetting: hardware error 7", "ready",
            ])
        #expect(bench.opcodes().first == .reset)
        try bench.advertise()
        bench.connect()
        #expect(bench.story() == ["on air", "40 connected to stranger", "off air: connected"])
    }

    @Test("a host that restarts ends everything once, and keeps what it serves")
    func restart() throws {
        let bench = HostBench()
        bench.host.restart(at: bench.now)
        bench.start()
        _ = bench.story()
        bench.connect()
        try bench.advertise()
        bench.forget()
        let services = bench.host.table.services.count
        bench.host.restart(at: bench.now)
        bench.host.restart(at: bench.now)
        bench.run()
        #expect(
            bench.story() == [
                "40 disconnected: 03", "off air: 3", "resetting: requested", "ready",
            ])
        #expect(bench.opcodes().first == .reset)
        let kept = bench.host.table.services.count
        #expect(kept == services)
    }

    @Test("a hardware error during set-up begins it again")
    func hardwareErrorDuringSetup() {
        let bench = HostBench()
        bench.unanswered = [.reset]
        bench.start()
        bench.unanswered = []
        bench.inject(HCI.HardwareError(hardwareCode: 1))
        #expect(bench.story() == ["resetting: hardware error 1", "ready"])
    }

    @Test("a controller that fails whenever it is set up is given up")
    func hardwareErrorsWithoutEnd() {
        let bench = HostBench()
        bench.unanswered = [.reset]
        bench.start()
        for _ in 1...20 { bench.inject(HCI.HardwareError(hardwareCode: 1)) }
        let resets = Array(repeating: "resetting: hardware error 1", count: 9)
        #expect(bench.story() == resets + ["failed"])
        let deadline = bench.host.nextDeadline
        #expect(deadline == nil)
    }

    @Test("a controller that leaves commands unanswered is reset, and then given up")
    func unresponsive() throws {
        let bench = HostBench.ready()
        bench.connect()
        bench.forget()
        bench.isDead = true
        // Each of these needs a command.
        for _ in 1...4 {
            bench.inject(
                HCI.LELongTermKeyRequest(
                    handle: HostBench.handle, random: 0, encryptedDiversifier: 0))
        }
        bench.advance(by: .seconds(600))
        let story = bench.story().filter { !$0.contains("bondMissing") }
        #expect(story == ["40 disconnected: 03", "resetting: unresponsive", "failed"])
        let deadline = bench.host.nextDeadline
        #expect(deadline == nil)
    }

    @Test("a controller that answers again after a reset is ready again")
    func recovers() throws {
        let bench = HostBench.ready()
        bench.connect()
        bench.forget()
        bench.isDead = true
        for _ in 1...4 {
            bench.inject(
                HCI.LELongTermKeyRequest(
                    handle: HostBench.handle, random: 0, encryptedDiversifier: 0))
        }
        bench.advance(by: .seconds(7))
        bench.isDead = false
        bench.advance(by: .seconds(600))
        let story = bench.story().filter { !$0.contains("bondMissing") }
        #expect(story == ["40 disconnected: 03", "resetting: unresponsive", "ready"])
    }

    @Test("one command that is not answered is forgiven, and a disconnection tried again")
    func lostDisconnect() throws {
        let bench = HostBench.ready()
        bench.connect()
        bench.forget()
        bench.unanswered = [.disconnect]
        try bench.host.disconnect(HostBench.handle, at: bench.now)
        bench.run()
        bench.unanswered = []
        bench.advance(by: .seconds(5))
        #expect(bench.opcodes() == [.disconnect, .disconnect])
        #expect(bench.story().isEmpty)
    }

    @Test("the end of the transport ends the links, and nothing is sent afterwards")
    func transportClosed() throws {
        let bench = HostBench.ready()
        bench.connect()
        bench.unanswered = [.disconnect]
        try bench.host.disconnect(HostBench.handle, at: bench.now)
        bench.run()
        bench.forget()
        bench.host.transportClosed(at: bench.now)
        bench.run()
        #expect(bench.story() == ["40 disconnected: 03"])
        let deadline = bench.host.nextDeadline
        #expect(deadline == nil)
        bench.inject(HCI.HardwareError(hardwareCode: 1))
        bench.inject(
            HCI.LELongTermKeyRequest(handle: HostBench.handle, random: 0, encryptedDiversifier: 0))
        bench.host.stopAdvertising(at: bench.now)
        bench.advance(by: .seconds(60))
        #expect(bench.opcodes().isEmpty)
        #expect(bench.story().isEmpty)
    }

    @Test("a transport that is lost ends the links and leaves a host that can be started again")
    func transportLost() throws {
        let bench = HostBench.ready()
        bench.connect()
        bench.forget()
        bench.host.transportLost(at: bench.now)
        bench.run()
        #expect(bench.story() == ["40 disconnected: 03"])
        let deadline = bench.host.nextDeadline
        #expect(deadline == nil)
        bench.host.transportLost(at: bench.now)
        bench.advance(by: .seconds(60))
        #expect(bench.opcodes().isEmpty && bench.story().isEmpty)
        bench.host.start(at: bench.now)
        bench.run()
        #expect(bench.story() == ["ready"])
        #expect(bench.opcodes().first == .reset)
        try bench.advertise()
        bench.connect()
    }

    @Test("an advertisement that is on air when the transport goes is not switched off any more")
    func transportClosedOnAir() throws {
        let bench = HostBench.ready()
        try bench.advertise()
        bench.forget()
        bench.host.transportClosed(at: bench.now)
        bench.host.stopAdvertising(at: bench.now)
        bench.run()
        #expect(bench.opcodes().isEmpty)
    }

    @Test("an ATT transaction of 30 s ends the link")
    func attTimeout() throws {
        let bench = HostBench.ready()
        bench.connect()
        for _ in 1...2 {
            _ = try bench.host.start(
                .readValue(AttributeHandle(3)), on: HostBench.handle, at: bench.now)
        }
        bench.run()
        bench.forget()
        bench.advance(by: .seconds(30) - .nanoseconds(1))
        #expect(bench.story().isEmpty)
        bench.advance(by: .nanoseconds(1))
        #expect(
            bench.story() == [
                "40 not done: transactionTimedOut", "40 not done: closed", "40 bearer failed",
            ])
        #expect(bench.opcodes() == [.disconnect])
        bench.disconnect(reason: .connectionTerminatedByLocalHost)
        #expect(bench.story() == ["40 disconnected: 16"])
    }

    @Test("a link whose queue is full is ended, once")
    func queueFull() throws {
        let bench = HostBench.ready()
        bench.connect()
        bench.completesPackets = false
        bench.forget()
        // Every request is answered, and nothing of it leaves the controller.
        let request: [UInt8] = [0x04, 0x01, 0x00, 0xFF, 0xFF]
        var requests = 0
        while bench.commands.isEmpty, requests < 10_000 {
            bench.receive(request, on: .attributeProtocol)
            requests += 1
        }
        for _ in 1...10 { bench.receive(request, on: .attributeProtocol) }
        #expect(bench.opcodes() == [.disconnect])
        let queued = bench.host.queuedOctets(on: HostBench.handle)
        #expect((60_000...65_536).contains(queued))
        bench.disconnect(reason: .connectionTerminatedByLocalHost)
        #expect(bench.story() == ["40 disconnected: 16"])
        let left = bench.host.queuedOctets(on: HostBench.handle)
        #expect(left == 0)
    }

    @Test("a link that had no room reports once that it has room again")
    func room() {
        let bench = HostBench.ready()
        bench.connect()
        bench.completesPackets = false
        bench.forget()
        let request: [UInt8] = [0x04, 0x01, 0x00, 0xFF, 0xFF]
        var requests = 0
        while requests < 10_000 {
            let hasRoom = bench.host.hasRoom(on: HostBench.handle)
            guard hasRoom else { break }
            bench.receive(request, on: .attributeProtocol)
            requests += 1
        }
        let queued = bench.host.queuedOctets(on: HostBench.handle)
        #expect((4096..<4200).contains(queued))
        #expect(bench.story() == [])
        bench.completesPackets = true
        bench.enqueue(
            HCI.NumberOfCompletedPackets(entries: [
                .init(handle: HostBench.handle, count: 0xFFFF)
            ]))
        bench.run()
        #expect(bench.story() == ["40 has room"])
        let left = bench.host.queuedOctets(on: HostBench.handle)
        #expect(left == 0)
    }

    @Test("nothing is reported about a link after its end, for any cause")
    func endInTheMiddle() throws {
        let bench = HostBench.ready()
        bench.connect()
        bench.completesPackets = false
        bench.isDead = true
        bench.forget()
        // One command is in flight and 64 wait: there is no room for another.
        for _ in 1...65 {
            bench.inject(
                HCI.LELongTermKeyRequest(
                    handle: ConnectionHandle(rawValue: 1), random: 0, encryptedDiversifier: 0))
        }
        // The peer subscribes and unsubscribes until its link has to be ended, which is one more
        // command: the controller counts as unresponsive in the middle of an answer.
        let serviceChanged = try #require(
            bench.host.table.attributes.first { $0.type == .clientCharacteristicConfiguration })
        let handle = serviceChanged.handle.rawValue
        var story: [String] = []
        for value in (0..<20_000).lazy.map({ UInt8($0 % 2 * 2) }) where bench.host.isReady {
            let request: [UInt8] = [
                0x12, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8), value, 0,
            ]
            bench.receive(request, on: .attributeProtocol)
            story = bench.story()
        }
        #expect(story == ["40 disconnected: 03", "resetting: unresponsive"])
    }
}
