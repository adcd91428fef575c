import ANCS
import BluetoothLE
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// What a program asks a session for, and how it learns that it failed.
@Suite struct NotificationSessionTests {
    private static let phone = ConsumerBench.phone
    private static let uid = NotificationUID(rawValue: 1)

    /// A session in which notification 1 has a positive action.
    private static func begin() async throws -> (ConsumerBench, NotificationSession) {
        let bench = try ConsumerBench(isObliging: false)
        await bench.consumer.start()
        await bench.port.report(
            .peer(phone, .connected(PeerDescription(address: "A", identity: nil, digest: "D"))),
            .service(phone, .available(hasControlPoint: true, hasDataSource: true)),
            .service(phone, .link(.subscribed(.dataSource))),
            .service(phone, .link(.subscribed(.notificationSource))),
            .service(phone, .link(.notificationSource(announcement(.added, 1)))))
        _ = bench.port.calls()
        let events = EventChannel<NotificationSession.Event, Never>(limit: 8) {
            .missed($0)
        }
        return (
            bench,
            NotificationSession(
                id: SessionID(provider: phone, number: 1), events: events,
                consumer: bench.consumer)
        )
    }

    /// The phone leaves, if it has not left, and everything ends.
    private static func end(_ bench: ConsumerBench) async {
        await bench.port.report(.peer(phone, .disconnected(.link(.connectionTimeout))))
        await bench.end()
    }

    /// Waits for a command, and answers it.
    /// Waits for a command, accepts or refuses it, and reports more.
    private static func answer(
        _ bench: ConsumerBench, _ error: ControlPointError? = nil, _ events: ConsumerPortEvent...
    ) async {
        while true {
            for case .request(.writeControlPoint(let command), _) in bench.port.calls() {
                await bench.port.report(
                    .service(phone, .link(.controlPointWritten(command, error))))
                for event in events { await bench.port.report(event) }
                return
            }
            await bench.port.settle()
        }
    }

    private static func response(
        _ identity: ResponseIdentity, _ attributes: AttributeValue...
    ) -> ConsumerPortEvent {
        .service(
            phone,
            .link(.dataSource(AttributeResponse(identity: identity, attributes: attributes).octets))
        )
    }

    @Test("fetched attributes are returned")
    func attributes() async throws {
        let (bench, session) = try await Self.begin()
        async let fetched = session.attributes(of: Self.uid, [.title])
        await Self.answer(
            bench, nil,
            Self.response(.notification(Self.uid), AttributeValue(.title, "Ada")))
        let response = try await fetched
        #expect(response[NotificationAttributeID.title]?.text == "Ada")
        await Self.end(bench)
    }

    @Test("the name of an app is returned, and fetched once")
    func displayName() async throws {
        let (bench, session) = try await Self.begin()
        let app = try AppIdentifier("com.example.chat")
        async let fetched = session.displayName(of: app)
        await Self.answer(
            bench, nil,
            Self.response(.app(app), AttributeValue(.displayName, "Chat")))
        for name in [try await fetched, try await session.displayName(of: app)] {
            #expect(name == "Chat")
        }
        #expect(bench.port.calls().filter(\.isWrite) == [])
        await Self.end(bench)
    }

    @Test("an action returns when the phone has accepted it")
    func performed() async throws {
        let (bench, session) = try await Self.begin()
        async let performed: Void = session.perform(.positive, on: Self.uid)
        await Self.answer(bench)
        try await performed
        await Self.end(bench)
    }

    @Test(
        "an action that the phone refuses throws",
        arguments: zip(
            [ControlPointError.actionFailed, .invalidParameter, .writeNotPermitted],
            [
                RequestError.Code.notPerformed, .refused(.invalidParameter),
                .refused(.writeNotPermitted),
            ]))
    func refusedAction(_ error: ControlPointError, _ code: RequestError.Code) async throws {
        let (bench, session) = try await Self.begin()
        let performing = Task {
            try await session.perform(.positive, on: Self.uid)
        }
        await Self.answer(bench, error)
        await #expect(throws: RequestError(code)) { try await performing.value }
        await Self.end(bench)
    }

    @Test(
        "a refused fetch throws an error that does not mention an action",
        arguments: [ControlPointError.invalidParameter, .actionFailed])
    func refusedFetch(_ error: ControlPointError) async throws {
        let (bench, session) = try await Self.begin()
        let fetching = Task {
            try await session.attributes(of: Self.uid, [.title])
        }
        await Self.answer(bench, error)
        await #expect(throws: RequestError(.refused(error))) { try await fetching.value }
        #expect(!RequestError(.refused(error)).message.contains("action"))
        await Self.end(bench)
    }

    @Test("a second tap fails, because the action was performed or the notification is gone")
    func repeated() async throws {
        let (bench, session) = try await Self.begin()
        let uid = NotificationUID(rawValue: 9)
        await bench.port.report(
            .service(
                Self.phone,
                .link(
                    .notificationSource(
                        announcement(.added, 9, flags: [.positiveAction, .negativeAction])))))
        async let performed: Void = session.perform(.positive, on: uid)
        await Self.answer(bench, nil)
        try await performed
        await #expect(throws: RequestError(.alreadyPerformed)) {
            try await session.perform(.positive, on: uid)
        }
        let refused = Task { try await session.perform(.negative, on: uid) }
        await Self.answer(bench, .invalidParameter)
        await #expect(throws: RequestError(.refused(.invalidParameter))) {
            try await refused.value
        }
        await #expect(throws: RequestError(.removed)) {
            try await session.perform(.negative, on: uid)
        }
        await Self.end(bench)
    }

    @Test("the attributes that arrived before the link ended are in the error")
    func cutOff() async throws {
        let (bench, session) = try await Self.begin()
        let fetching = Task {
            try await session.attributes(of: Self.uid, [.appIdentifier, .title])
        }
        let identifier = AttributeValue(.appIdentifier, "com.example.chat")
        await Self.answer(
            bench, nil,
            Self.response(.notification(Self.uid), identifier),
            .peer(Self.phone, .disconnected(.link(.connectionTimeout))))
        await #expect(throws: RequestError(.sessionEnded, partial: [identifier])) {
            try await fetching.value
        }
        await Self.end(bench)
    }

    @Test("an invalid request throws at once")
    func unavailable() async throws {
        let (bench, session) = try await Self.begin()
        let app = try AppIdentifier("com.example.chat")
        await #expect(throws: RequestError(.actionUnavailable)) {
            try await session.perform(.negative, on: Self.uid)
        }
        await #expect(throws: RequestError(.invalidRequest(.noAttributes))) {
            try await session.attributes(of: Self.uid, [])
        }
        await bench.port.report(.service(Self.phone, .unavailable))
        await #expect(throws: RequestError(.sessionEnded)) {
            try await session.perform(.positive, on: Self.uid)
        }
        await bench.port.report(.peer(Self.phone, .disconnected(.link(.connectionTimeout))))
        await #expect(throws: RequestError(.notConnected)) {
            try await session.displayName(of: app)
        }
        #expect(bench.port.calls().filter(\.isWrite) == [])
        await Self.end(bench)
    }

    @Test(
        "an ended session performs nothing in the phone's next session, where UIDs are others"
    )
    func keptSession() async throws {
        let (bench, session) = try await Self.begin()
        let app = try AppIdentifier("com.example.chat")
        await bench.port.report(
            .service(Self.phone, .unavailable),
            .service(Self.phone, .available(hasControlPoint: true, hasDataSource: true)),
            .service(Self.phone, .link(.subscribed(.dataSource))),
            .service(Self.phone, .link(.subscribed(.notificationSource))),
            .service(Self.phone, .link(.notificationSource(announcement(.added, 1)))))
        await #expect(throws: RequestError(.sessionEnded)) {
            try await session.perform(.positive, on: Self.uid)
        }
        await #expect(throws: RequestError(.sessionEnded)) {
            try await session.attributes(of: Self.uid, [.title])
        }
        await #expect(throws: RequestError(.sessionEnded)) {
            try await session.displayName(of: app)
        }
        #expect(bench.port.calls().filter(\.isWrite) == [])
        // The same is possible in the session that goes on.
        let next = SessionID(provider: Self.phone, number: 2)
        async let performed: Void = bench.consumer.perform(.positive, on: Self.uid, in: next)
        await Self.answer(bench)
        try await performed
        await Self.end(bench)
    }

    @Test("the error of a request has the reason and, where possible, the remedy")
    func messages() {
        let texts: [(RequestError.Code, String)] = [
            (.notConnected, "the phone is not connected"),
            (
                .refused(.invalidParameter),
                "has no such notification or app (ATT error 0xA2)"
            ),
            (
                .refused(.writeNotPermitted),
                "allow it in the phone's Bluetooth settings (ATT error 0x03)"
            ),
            (.refused(.unknownCommand), "the phone refused the request (ATT error 0xA0)"),
            (.invalidRequest(.tooLong(octets: 600)), "600 octets; the limit is 512"),
        ]
        for (code, text) in texts { #expect(RequestError(code).message.contains(text)) }
    }

    @Test("every reason for which a request fails has its own code")
    func codes() {
        let failures: [(RequestFailure, RequestError.Code)] = [
            (.refused(.actionFailed), .refused(.actionFailed)), (.timedOut, .timedOut),
            (.removed, .removed), (.sessionEnded, .sessionEnded), (.evicted, .evicted),
            (.responseTooLong, .responseTooLong), (.contentUnavailable, .contentUnavailable),
        ]
        for (failure, code) in failures {
            #expect(RequestError(failure: failure) == RequestError(code))
        }
    }
}
