import ANCS
import BluetoothLE
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// A provider and its accessories, which the test plays.
@Suite struct NotificationProviderTests {
    static let one = ProviderBench.one
    static let two = ProviderBench.two

    @Test(
        "a notification is announced in every session, and its attributes are returned on request")
    func announcing() async throws {
        let bench = try ProviderBench()
        await bench.provider.start()
        await bench.beginSession(Self.one)
        await bench.beginSession(Self.two)
        _ = bench.port.calls()
        try await bench.provider.post(ProviderBench.notification("Ada"))
        #expect(
            bench.port.calls() == [
                "1 notificationSource 0000040100000000", "2 notificationSource 0000040100000000",
            ])
        await bench.write("0000000000010A00", by: Self.two)
        #expect(
            bench.port.calls() == ["2 responds well", "2 dataSource 0000000000010300416461"])
        let story = try await bench.end()
        #expect(story.contains("2 sent(octets: 11)"))
        #expect(!story.contains("1 command"))
    }

    @Test("earlier notifications are announced when a session starts, with that session's UIDs")
    func preExisting() async throws {
        let bench = try ProviderBench()
        await bench.provider.start()
        let first = try await bench.provider.post(ProviderBench.notification("Gone"))
        try await bench.provider.post(ProviderBench.notification("There"))
        try await bench.provider.remove(first)
        await bench.beginSession()
        let story = try await bench.end()
        #expect(
            story == [
                "added 1", "added 2", "removed 1", "1 connected", "1 dataSource true",
                "1 notificationSource true", "1 session", "1 added 2 as 0", "1 session over",
                "1 disconnected: this side ended the session",
            ])
    }

    @Test("a phone that restarts ends calls, links and sessions, and keeps its notifications")
    func restarting() async throws {
        let bench = try ProviderBench()
        await bench.provider.restart()
        #expect(bench.port.calls() == [])
        await bench.provider.start()
        try await bench.provider.post(ProviderBench.notification("Ada"))
        let call = try await bench.provider.ring(IncomingCall(caller: "Grace"))
        await bench.beginSession(Self.one)
        await bench.connect(Self.two)
        _ = bench.port.calls()
        await bench.provider.restart()
        #expect(await bench.provider.notification(call) == nil)
        #expect(
            bench.port.calls().suffix(4) == [
                "stop scanning", "1 disconnect", "2 disconnect", "restart",
            ])
        #expect(await bench.provider.notifications.count == 2)
        await bench.beginSession(Self.one)
        let story = try await bench.end()
        #expect(story.filter { $0 == "1 session" || $0 == "1 session over" }.count == 4)
        #expect(story.contains("1 added 1 as 0"))
    }

    @Test("a link that a restart cuts ends because the phone stops")
    func restartingHard() async throws {
        let bench = try ProviderBench()
        await bench.provider.start()
        await bench.provider.restart()
        await bench.connect(Self.one)
        await bench.port.report(.peer(Self.one, .disconnected(.link(.hardwareFailure))))
        let story = try await bench.end()
        #expect(story.contains { $0.contains("this side was stopped") }, "\(story)")
    }

    @Test("a phone without links restarts at once")
    func restartingAlone() async throws {
        let bench = try ProviderBench()
        await bench.provider.start()
        await bench.provider.restart()
        #expect(bench.port.calls() == ["open", "stop scanning", "restart"])
        _ = try await bench.end()
    }

    @Test("while a link has no room nothing is sent, and afterwards everything in order")
    func backPressure() async throws {
        let bench = try ProviderBench()
        await bench.provider.start()
        await bench.beginSession()
        _ = bench.port.calls()
        bench.port.setRoom(false)
        for number in 0..<300 {
            try await bench.provider.post(ProviderBench.notification("\(number)"))
        }
        #expect(bench.port.calls() == [])
        bench.port.setRoom(true)
        await bench.port.report(.hasRoom(Self.one))
        let calls = bench.port.calls()
        #expect(calls.count == 300)
        #expect(calls.last == "1 notificationSource 000004ff2b010000")
        _ = try await bench.end()
    }

    @Test("a closure performs an action, and its result is the response to the accessory's write")
    func actions() async throws {
        let bench = try ProviderBench()
        await bench.provider.start()
        await bench.beginSession()
        let id = try await bench.provider.post(
            ProviderBench.notification("Ada"),
            actions: .init(
                positive: .init("Like") { _, _ in true },
                negative: .init("Refuse") { provider, id in
                    await provider.notification(id) == nil
                }))
        #expect(await bench.provider.notification(id)?.label(of: .positive) == Array("Like".utf8))
        _ = bench.port.calls()
        await bench.write("020000000000")
        #expect(try await bench.provider.nextAction() == "1 positive on 1 true")
        await bench.write("020000000001")
        #expect(try await bench.provider.nextAction() == "1 negative on 1 false")
        #expect(bench.port.calls() == ["1 responds well", "1 responds actionFailed"])
        _ = try await bench.end()
    }

    @Test("without a closure the negative action clears the notification")
    func clearing() async throws {
        let bench = try ProviderBench()
        await bench.provider.start()
        await bench.beginSession()
        try await bench.provider.post(ProviderBench.notification("Ada", negative: "Clear"))
        _ = bench.port.calls()
        await bench.write("020000000001")
        #expect(
            bench.port.calls() == ["1 responds well", "1 notificationSource 0210040000000000"])
        #expect(await bench.provider.notifications.isEmpty)
        _ = try await bench.end()
    }

    @Test("an action whose link has ended is not answered")
    func lateAction() async throws {
        let bench = try ProviderBench()
        await bench.provider.start()
        await bench.beginSession()
        let (gate, opening) = AsyncStream<Void>.makeStream()
        try await bench.provider.post(
            ProviderBench.notification("Ada"),
            actions: .init(
                positive: .init("Wait") { _, _ in
                    for await _ in gate {}
                    return true
                }))
        await bench.write("020000000000")
        await bench.port.report(.peer(Self.one, .disconnected(.link(.connectionTimeout))))
        await bench.beginSession()
        _ = bench.port.calls()
        opening.finish()
        #expect(try await bench.provider.nextAction() != nil)
        #expect(bench.port.calls() == [])
        _ = try await bench.end()
    }

    @Test("an answered call becomes an active one, a declined one a missed one")
    func calls() async throws {
        let bench = try ProviderBench()
        await bench.provider.start()
        await bench.beginSession()
        let first = try await bench.provider.ring(IncomingCall(caller: "Ada"))
        #expect(await bench.provider.ringingCalls == [first])
        // The accessory answers, and hangs up.
        await bench.write("020000000000")
        #expect(await bench.provider.ringingCalls.isEmpty)
        let active = try #require(await bench.provider.activeCalls.first)
        #expect(await bench.provider.notification(active)?.categoryID == .activeCall)
        await bench.write("020100000001")
        #expect(await bench.provider.activeCalls.isEmpty)
        #expect(await bench.provider.notifications.isEmpty)
        // The phone's user declines the second.
        let second = try await bench.provider.ring(IncomingCall(caller: "Bob"))
        let missed = try await bench.provider.decline(second)
        #expect(await bench.provider.notification(missed)?.categoryID == .missedCall)
        await #expect(throws: StoreError.unknownNotification(second)) {
            try await bench.provider.answer(second)
        }
        await #expect(throws: StoreError.unknownNotification(missed)) {
            try await bench.provider.hangUp(missed)
        }
        let story = try await bench.end()
        #expect(story.filter { $0.contains(" as ") }.suffix(3).first == "1 added 3 as 2")
    }

    @Test(
        "without consent nothing is announced and commands are refused; it is kept for the next link"
    )
    func consent() async throws {
        let bench = try ProviderBench { $0.grantsConsent = false }
        await bench.provider.start()
        try await bench.provider.post(ProviderBench.notification("Ada"))
        await bench.beginSession()
        await bench.write("00000000000000")
        #expect(bench.port.calls() == ["open", "1 responds writeNotPermitted"])
        await bench.provider.setConsent(true, for: Self.one)
        #expect(bench.port.calls() == ["1 notificationSource 0004040100000000"])
        await bench.port.report(.peer(Self.one, .disconnected(.link(.connectionTimeout))))
        await bench.beginSession()
        #expect(bench.port.calls() == ["1 notificationSource 0004040100000000"])
        #expect(await bench.provider.accessories.map(\.hasConsent) == [true])
        _ = try await bench.end()
    }

    @Test("withdrawing ANCS ends the sessions, and a subscription starts the next")
    func publishing() async throws {
        let bench = try ProviderBench()
        await bench.provider.start()
        await bench.beginSession()
        await bench.provider.setANCSPublished(false, announcing: false)
        await bench.provider.setANCSPublished(false)
        await bench.provider.setANCSPublished(true, at: 64)
        await bench.port.report(.link(Self.one, .subscribed(.notificationSource)))
        #expect(
            bench.port.calls() == [
                "open", "published nowhere, announcing false", "published at 64, announcing true",
            ])
        let story = try await bench.end()
        #expect(story.filter { $0.hasPrefix("1 session") }.count == 4)
    }

    @Test("a subscription is reported only when it changes, and a lost one can be made again")
    func lostSubscription() async throws {
        let bench = try ProviderBench()
        await bench.provider.start()
        await bench.beginSession()
        await bench.port.report(.link(Self.one, .subscribed(.notificationSource)))
        await bench.provider.loseSubscription(to: .notificationSource)
        _ = bench.port.calls()
        try await bench.provider.post(ProviderBench.notification("Unheard"))
        #expect(bench.port.calls() == [])
        await bench.port.report(.link(Self.one, .subscribed(.notificationSource)))
        #expect(bench.port.calls() == ["1 notificationSource 0004040100000000"])
        let story = try await bench.end()
        #expect(story.count { $0 == "1 notificationSource true" } == 1)
        #expect(story.count { $0 == "1 session" } == 2)
    }

    @Test("a fault applies to one accessory, or to all")
    func faults() async throws {
        let bench = try ProviderBench()
        await bench.provider.start()
        await bench.beginSession(Self.one)
        await bench.beginSession(Self.two)
        try await bench.provider.post(ProviderBench.notification("Ada"))
        await bench.provider.inject(AnswerFault(.refuse(.unknownCommand)), at: Self.one)
        _ = bench.port.calls()
        await bench.write("000000000000", by: Self.one)
        await bench.write("000000000000", by: Self.two)
        #expect(
            bench.port.calls().map { $0.prefix(12) } == [
                "1 responds u", "2 responds w", "2 dataSource", "2 dataSource",
            ])
        _ = try await bench.end()
    }

    @Test("stopping ends the links first, and disconnects accessories that connect meanwhile")
    func stop() async throws {
        let bench = try ProviderBench()
        await bench.provider.start()
        await bench.beginSession()
        let story = try await bench.end()
        #expect(
            bench.port.calls() == ["open", "stop scanning", "1 disconnect", "close"])
        #expect(
            story.suffix(2) == ["1 session over", "1 disconnected: this side ended the session"])
    }

    @Test("the error is thrown once, after the events before it")
    func failure() async throws {
        let bench = try ProviderBench()
        await bench.provider.start()
        await bench.port.report(.device(.ready), .failed(.controller(.noAnswer)))
        #expect(try await bench.provider.events.next() == .device(.ready))
        await #expect(throws: DeviceError.controller(.noAnswer)) {
            try await bench.provider.events.next()
        }
        #expect(try await bench.provider.events.next() == nil)
        bench.provider.loop.shutdown()
    }
}

extension NotificationProvider {
    /// Waits for an action; `nil` if the events end without one.
    fileprivate func nextAction() async throws -> String? {
        for try await event in events { if case .session(_, .action) = event { return event.line } }
        return nil
    }
}
