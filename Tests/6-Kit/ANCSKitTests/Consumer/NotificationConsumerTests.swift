import ANCS
import BluetoothLE
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// A consumer and its phones, which the test plays.
@Suite struct NotificationConsumerTests {
    static let phone = ConsumerBench.phone
    static let other = ConsumerBench.other

    @Test("a session starts after both subscriptions, and its events come in order")
    func session() async throws {
        let bench = try ConsumerBench()
        await bench.consumer.start()
        await bench.port.report(.device(.ready), .device(.advertising(true)))
        await bench.beginSession()
        await bench.port.report(
            .service(Self.phone, .link(.notificationSource(announcement(.added, 1)))),
            .service(Self.phone, .link(.notificationSource(announcement(.modified, 1)))),
            .service(Self.phone, .link(.notificationSource(announcement(.removed, 1)))))
        #expect(
            try await bench.story(7) == [
                "ready", "on air", "1 connected", "1 session", "1 added 1", "1 modified 1",
                "1 removed 1",
            ])
        #expect(
            bench.port.calls() == [
                .open, .request(.subscribe(.dataSource), Self.phone),
                .request(.subscribe(.notificationSource), Self.phone),
                // The first notification was delivered.
                .readClock(Self.phone),
            ])
        await bench.end()
    }

    @Test("stopping disconnects the phones, and then ends the events")
    func stop() async throws {
        let bench = try ConsumerBench()
        await bench.consumer.start()
        await bench.beginSession()
        _ = bench.port.calls()
        await bench.consumer.stop()
        #expect(
            bench.port.calls() == [
                .stopAdvertising, .leave(Self.phone), .close,
            ])
        #expect(
            try await bench.rest() == [
                "1 connected", "1 session", "1 session over", "1 disconnected",
            ])
        // It stays stopped.
        await bench.consumer.start()
        await bench.end()
        #expect(bench.port.calls().isEmpty)
        #expect(try await bench.rest().isEmpty)
    }

    @Test("stopping twice, or in two tasks, waits for the same end")
    func stopTwice() async throws {
        let bench = try ConsumerBench()
        await bench.consumer.start()
        await bench.beginSession()
        async let first: Void = bench.consumer.stop()
        async let second: Void = bench.consumer.stop()
        _ = await (first, second)
        #expect(bench.port.calls().count { $0 == .close } == 1)
        await bench.end()
    }

    @Test("a consumer that is stopped before it starts never opens its port")
    func stopBeforeStart() async throws {
        let bench = try ConsumerBench()
        await bench.consumer.stop()
        await bench.consumer.start()
        #expect(!bench.port.calls().contains(.open))
        #expect(try await bench.rest().isEmpty)
        await bench.end()
    }

    @Test("a phone that connects while the consumer stops is disconnected")
    func connectedWhileStopping() async throws {
        let bench = try ConsumerBench(isObliging: false)
        await bench.consumer.start()
        await bench.port.report(
            .peer(Self.phone, .connected(.init(address: "A", identity: nil, digest: "D"))))
        async let stopped: Void = bench.consumer.stop()
        while !bench.port.calls().contains(.leave(Self.phone)) { await bench.port.settle() }
        await bench.port.report(
            .peer(Self.other, .connected(.init(address: "B", identity: nil, digest: "D"))))
        #expect(bench.port.calls() == [.disconnect(Self.other)])
        await bench.port.report(
            .peer(Self.other, .disconnected(.link(.connectionTimeout))),
            .peer(Self.phone, .disconnected(.link(.connectionTimeout))))
        await stopped
        await bench.end()
    }

    @Test("requests end with their session, each once")
    func requestsEnd() async throws {
        let bench = try ConsumerBench(isObliging: false)
        await bench.consumer.start()
        await bench.port.report(
            .peer(Self.phone, .connected(.init(address: "A", identity: nil, digest: "D"))),
            .service(Self.phone, .available(hasControlPoint: true, hasDataSource: true)),
            .service(Self.phone, .link(.subscribed(.dataSource))),
            .service(Self.phone, .link(.subscribed(.notificationSource))),
            .service(Self.phone, .link(.notificationSource(announcement(.added, 1)))))
        let consumer = bench.consumer
        let uid = NotificationUID(rawValue: 1)
        let session = SessionID(provider: Self.phone, number: 1)
        let fetching = Task { try await consumer.attributes(of: uid, [.title], in: session) }
        let performing = Task { try await consumer.perform(.positive, on: uid, in: session) }
        // The command of one of them is on air; both wait.
        while !bench.port.calls().contains(where: \.isWrite) { await bench.port.settle() }
        await bench.port.settle()
        await bench.port.report(.peer(Self.phone, .disconnected(.link(.connectionTimeout))))
        // One that came after the end finds no phone instead.
        let ends = [RequestError(.sessionEnded), RequestError(.notConnected)]
        let errors = [
            await #expect(throws: RequestError.self) { try await fetching.value },
            await #expect(throws: RequestError.self) { try await performing.value },
        ]
        for case let error? in errors { #expect(ends.contains(error)) }
        await #expect(throws: RequestError(.notConnected)) {
            try await consumer.attributes(of: uid, [.title], in: session)
        }
        await bench.end()
    }

    @Test("a service that vanishes ends the session, and its return starts another")
    func serviceReturns() async throws {
        let bench = try ConsumerBench()
        await bench.consumer.start()
        await bench.beginSession()
        await bench.port.report(
            .service(Self.phone, .link(.notificationSource(announcement(.added, 1)))),
            .service(Self.phone, .unavailable),
            // What was on its way belongs to no session.
            .service(Self.phone, .link(.notificationSource(announcement(.added, 2)))),
            .service(Self.phone, .waiting),
            .service(Self.phone, .available(hasControlPoint: true, hasDataSource: true)))
        for _ in 1...3 { await bench.port.settle() }
        await bench.port.report(
            .service(Self.phone, .link(.notificationSource(announcement(.added, 3)))))
        #expect(
            try await bench.story(7) == [
                "1 connected", "1 session", "1 added 1", "1 session over, service gone",
                "1 waits", "1 session", "1 added 3",
            ])
        await bench.end()
    }

    @Test("two phones have two sessions")
    func twoPhones() async throws {
        let bench = try ConsumerBench()
        await bench.consumer.start()
        await bench.beginSession()
        await bench.beginSession(with: Self.other)
        await bench.port.report(
            .service(Self.other, .link(.notificationSource(announcement(.added, 1)))),
            .service(Self.phone, .link(.notificationSource(announcement(.added, 1)))),
            .peer(Self.phone, .disconnected(.link(.connectionTimeout))),
            .service(Self.other, .link(.notificationSource(announcement(.removed, 1)))))
        #expect(
            try await bench.story(9) == [
                "1 connected", "1 session", "2 connected", "2 session", "2 added 1", "1 added 1",
                "1 session over", "1 disconnected", "2 removed 1",
            ])
        await bench.end()
    }

    @Test("a reader that is too slow receives the number of events that it missed")
    func slowReader() async throws {
        let bench = try ConsumerBench(maximumPendingEvents: 4)
        await bench.consumer.start()
        await bench.beginSession()
        for uid in 1...5 {
            await bench.port.report(
                .service(Self.phone, .link(.notificationSource(announcement(.added, UInt32(uid))))))
        }
        #expect(
            try await bench.story(5) == [
                "1 connected", "1 session", "1 added 1", "1 added 2", "missed 3",
            ])
        await bench.port.report(
            .service(Self.phone, .link(.notificationSource(announcement(.removed, 5)))))
        #expect(try await bench.story(1) == ["1 removed 5"])
        await bench.end()
    }

    @Test("a failure ends the sessions and is thrown once")
    func failure() async throws {
        let bench = try ConsumerBench()
        await bench.consumer.start()
        await bench.beginSession()
        await bench.port.report(.failed(.controller(.noAnswer)))
        #expect(
            try await bench.story(4) == [
                "1 connected", "1 session", "1 session over", "1 disconnected",
            ])
        await #expect(throws: DeviceError.controller(.noAnswer)) {
            try await bench.consumer.events.next()
        }
        #expect(try await bench.consumer.events.next() == nil)
        await bench.end()
    }

    @Test("an error while the consumer stops is not reported")
    func failureWhileStopping() async throws {
        let bench = try ConsumerBench(isObliging: false)
        await bench.consumer.start()
        await bench.port.report(
            .peer(Self.phone, .connected(.init(address: "A", identity: nil, digest: "D"))))
        async let stopped: Void = bench.consumer.stop()
        while !bench.port.calls().contains(.leave(Self.phone)) { await bench.port.settle() }
        await bench.port.report(.failed(.controller(.noAnswer)))
        await stopped
        #expect(try await bench.rest() == ["1 connected", "1 disconnected"])
        await bench.end()
    }

    @Test("a reader whose task is cancelled stops, and another one continues")
    func cancelledReader() async throws {
        let bench = try ConsumerBench()
        await bench.consumer.start()
        let reader = Task { try await bench.consumer.events.next() }
        await bench.port.settle()
        reader.cancel()
        #expect(try await reader.value == nil)
        await bench.port.report(.device(.ready))
        #expect(try await bench.story(1) == ["ready"])
        await bench.end()
    }

    @Test("cancelling a reader does not end the next one")
    func readerAfterCancelledReader() async throws {
        let bench = try ConsumerBench()
        await bench.consumer.start()
        for _ in 0..<100 {
            let first = Task { try await bench.consumer.events.next() }
            await bench.port.settle()
            first.cancel()
            let second = Task { try await bench.consumer.events.next() }
            #expect(try await first.value == nil)
            await bench.port.report(.device(.ready))
            #expect(try await second.value?.line == "ready")
        }
        await bench.end()
    }

    @Test("after a reader is cancelled, the next one still receives the error of the end")
    func cancelledReaderBeforeFailure() async throws {
        let bench = try ConsumerBench()
        await bench.consumer.start()
        let reader = Task { try await bench.consumer.events.next() }
        await bench.port.settle()
        reader.cancel()
        await bench.port.report(.failed(.controller(.noAnswer)))
        #expect(try await reader.value == nil)
        await #expect(throws: DeviceError.controller(.noAnswer)) {
            try await bench.consumer.events.next()
        }
        await bench.end()
    }

    @Test("answers to pairing requests reach the phone that asked")
    func pairing() async throws {
        let bench = try ConsumerBench()
        let (answers, answered) = AsyncStream<PairingReply.Answer>.makeStream()
        let reply = PairingReply(to: 1) { answered.yield($0) }
        await bench.consumer.start()
        await bench.port.report(
            .peer(Self.phone, .connected(.init(address: "A", identity: nil, digest: "D"))),
            .peer(Self.phone, .pairing(.compare(NumericComparison(123_456, reply: reply)))))
        let events = bench.consumer.events.makeAsyncIterator()
        #expect(try await events.next()?.line == "1 connected")
        let event = try await events.next()
        #expect(event?.line == "1 asks to compare 123456")
        if case .peer(_, .pairing(.compare(let comparison))) = event { comparison.confirm() }
        answered.finish()
        #expect(await answers.reduce(into: []) { $0.append($1) } == [.confirm(true)])
        await bench.end()
    }

    @Test("'run' calls its closure once for each session, whose events end with the session")
    func run() async throws {
        let bench = try ConsumerBench()
        let (seen, lines) = AsyncStream<String>.makeStream()
        let (others, otherLines) = AsyncStream<String>.makeStream()
        let running = Task {
            try await bench.consumer.run { session in
                lines.yield("begins")
                for await event in session.events {
                    if case .notification(let notification) = event {
                        lines.yield("\(notification.uid.rawValue)")
                    }
                }
                lines.yield("ends")
            } other: { event in
                otherLines.yield(event.line)
            }
        }
        var other = others.makeAsyncIterator()
        while !bench.port.calls().contains(.open) { await bench.port.settle() }
        await bench.beginSession()
        #expect(await other.next() == "1 connected")
        await bench.port.report(
            .service(Self.phone, .link(.notificationSource(announcement(.added, 7)))),
            .service(Self.phone, .unavailable),
            .service(Self.phone, .available(hasControlPoint: true, hasDataSource: true)))
        var line = seen.makeAsyncIterator()
        for expected in ["begins", "7"] { #expect(await line.next() == expected) }
        let next = [await line.next(), await line.next()]
        #expect(Set(next) == ["ends", "begins"])
        await bench.consumer.stop()
        #expect(await line.next() == "ends")
        try await running.value
        await bench.end()
    }

    @Test("a phone that dropped a subscription gets a new session on the same link (S27)")
    func renewed() async throws {
        let bench = try ConsumerBench(attributes: [.title], isObliging: true)
        await bench.consumer.start()
        await bench.beginSession()
        await bench.port.report(
            .service(
                ConsumerBench.phone, .link(.subscriptionRead(.dataSource, isSubscribed: false))))
        for _ in 1...5 { await bench.port.settle() }
        let calls: [FakePort.Call] = bench.port.calls().suffix(4)
        let phone = ConsumerBench.phone
        let expected: [FakePort.Call] = [
            .request(.unsubscribe(.notificationSource), phone),
            .request(.unsubscribe(.dataSource), phone),
            .request(.subscribe(.dataSource), phone),
            .request(.subscribe(.notificationSource), phone),
        ]
        #expect(calls == expected)
        #expect(
            try await bench.story(4) == [
                "1 connected", "1 session", "1 renewed, unsubscribed", "1 session",
            ])
        await bench.end()
    }

    @Test("a phone that is silent on two links in a row is wedged (S27)")
    func wedgedAcrossLinks() async throws {
        let bench = try ConsumerBench(
            attributes: [.title], isObliging: false, clock: .virtual)
        // On the loop itself: its time passes only when this waits for it.
        try await Task(executorPreference: bench.consumer.loop) {
            await bench.consumer.start()
            let identity = PeerDescription(
                address: "F0:F1:F2:F3:F4:F5", identity: "F0:00", digest: "D")
            for phone in [ConsumerBench.phone, ConsumerBench.other] {
                await bench.port.report(
                    .peer(phone, .connected(identity)),
                    .service(phone, .available(hasControlPoint: true, hasDataSource: true)),
                    .service(phone, .link(.subscribed(.dataSource))),
                    .service(phone, .link(.subscribed(.notificationSource))),
                    .service(phone, .link(.notificationSource(announcement(.added, 1)))),
                    .service(phone, .link(.notificationSource(announcement(.added, 2)))))
                try await bench.consumer.loop.sleep(for: .seconds(35))
                await bench.port.report(.peer(phone, .disconnected(.link(.connectionTimeout))))
            }
        }.value
        await bench.consumer.stop()
        let story = try await bench.rest()
        #expect(story.contains("1 suspect"))
        #expect(story.contains("2 wedged"))
        bench.consumer.loop.shutdown()
    }
}

extension FakePort.Call {
    var isWrite: Bool {
        if case .request(.writeControlPoint, _) = self { true } else { false }
    }
}
