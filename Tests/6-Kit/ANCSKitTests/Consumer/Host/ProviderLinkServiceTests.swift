import ANCS
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver
@testable import BluetoothLE

/// A link while ANCS runs on it, and every input in every state.
@Suite struct ProviderLinkServiceTests {
    @Test("the Data Source and the Notification Source are subscribed to")
    func subscriptions() {
        var link = ProviderLink.available()
        #expect(
            link.after { $0.request(.subscribe(.dataSource)) } == [
                .start(
                    .writeValue(AttributeHandle(24), [0x01, 0x00]),
                    .request(.subscribe(.dataSource)))
            ])
        #expect(
            link.end(of: .request(.subscribe(.dataSource))) == [.report(.subscribed(.dataSource))])
        _ = link.after { $0.request(.subscribe(.notificationSource)) }
        #expect(
            link.end(
                of: .request(.subscribe(.notificationSource)),
                .failure(.errorResponse(.insufficientAuthentication, AttributeHandle(19))))
                == [
                    .report(.subscriptionRefused(.notificationSource, errorCode: 0x05)),
                    .unavailable, .waiting,
                ])
    }

    @Test("more services than a phone has are refused with a word", arguments: [1, 16, 17, 500])
    func tooManyServices(_ count: Int) {
        var link = ProviderLink.preparing()
        _ = link.after { $0.search() }
        let services = (0..<UInt16(count)).map { number in
            RemoteDatabase.Service(
                range: AttributeHandleRange(
                    AttributeHandle(8 * number + 1), AttributeHandle(8 * number + 8)), uuid: .ancs)
        }
        let found = GATTResult.database(RemoteDatabase(services: services))
        #expect(
            link.end(of: .discoverANCS, .success(found))
                == (count > 16 ? [.tooManyServices, .waiting] : [.waiting]))
    }

    @Test("values of both characteristics are reported, and the session ends by unsubscribing")
    func values() {
        var link = ProviderLink.available()
        #expect(
            link.report(of: .notification(AttributeHandle(18), [1])) == .notificationSource([1]))
        #expect(link.report(of: .notification(AttributeHandle(23), [2])) == .dataSource([2]))
        #expect(link.report(of: .notification(AttributeHandle(21), [3])) == nil)
        #expect(
            link.after { $0.leave() } == [
                .start(.writeValue(AttributeHandle(19), [0x00, 0x00]), .leave)
            ])
        #expect(link.end(of: .leave) == [.disconnect(.left)])
    }

    @Test("a command is written, and its response reported with the phone's error code")
    func controlPoint() {
        var link = ProviderLink.available()
        #expect(
            link.after { $0.request(.writeControlPoint([0, 1])) } == [
                .start(
                    .writeValue(AttributeHandle(21), [0, 1]), .request(.writeControlPoint([0, 1])))
            ])
        #expect(
            link.end(of: .request(.writeControlPoint([0, 1]))) == [
                .report(.controlPointWritten([0, 1], nil))
            ])
        #expect(
            link.end(
                of: .request(.writeControlPoint([])),
                .failure(.errorResponse(ATTErrorCode(rawValue: 0xA2), AttributeHandle(21))))
                == [.report(.controlPointWritten([], ControlPointError(rawValue: 0xA2)))])
        #expect(
            link.end(of: .request(.writeControlPoint([])), .failure(.malformedResponse))
                == [.report(.controlPointWritten([], ControlPointError(rawValue: 0x0E)))])
        #expect(
            link.end(of: .request(.writeControlPoint([])), .failure(.transactionTimedOut)) == [
                .disconnect(.notAnswered)
            ])
    }

    @Test("without a Control Point a command is refused at once")
    func noControlPoint() {
        var link = ProviderLink.available(.ancs(controlPoint: false))
        #expect(
            link.after { $0.request(.writeControlPoint([0])) } == [
                .report(.controlPointWritten([0], ControlPointError(rawValue: 0x01)))
            ])
    }

    @Test("a Data Source without descriptor cannot be subscribed to")
    func noDataSourceDescriptor() {
        var link = ProviderLink.available(.ancs(dataConfiguration: false))
        #expect(
            link.after { $0.request(.subscribe(.dataSource)) }
                == [.report(.subscriptionRefused(.dataSource, errorCode: 0x0A))])
    }

    struct Change: Sendable, CustomTestStringConvertible {
        var value: [UInt8]
        var isAffected: Bool
        var testDescription: String { "\(Hexadecimal.text(value)) \(isAffected)" }
    }

    static let changes: [Change] = [
        .init(value: [0x01, 0x00, 0xFF, 0xFF], isAffected: true),
        .init(value: [0x19, 0x00, 0x40, 0x00], isAffected: true),
        .init(value: [0x01, 0x00, 0x10, 0x00], isAffected: true),
        .init(value: [0x01, 0x00, 0x0F, 0x00], isAffected: false),
        .init(value: [0x1A, 0x00, 0xFF, 0xFF], isAffected: false),
        // Values that are none may mean anything.
        .init(value: [], isAffected: true), .init(value: [0x1A, 0x00, 0xFF], isAffected: true),
        .init(value: [0x20, 0x00, 0x10, 0x00], isAffected: true),
        .init(value: [0x00, 0x00, 0x00, 0x00], isAffected: true),
        .init(value: [0x1A, 0x00, 0xFF, 0xFF, 0x00], isAffected: true),
    ]

    @Test("a Service Changed that concerns ANCS ends the session", arguments: changes)
    func serviceChanged(_ change: Change) {
        var link = ProviderLink.available()
        let expected: [ProviderLink.Output] =
            change.isAffected ? [.unavailable, ProviderLinkTests.search] : []
        #expect(link.serviceChanged(change.value) == expected)
    }

    @Test("an indication of another characteristic is not taken for Service Changed")
    func otherIndication() {
        var link = ProviderLink.available()
        let value: [UInt8] = [0x01, 0x00, 0xFF, 0xFF]
        #expect(link.report(of: .indication(AttributeHandle(18), value)) == nil)
        #expect(link.after { _ in }.isEmpty)
    }

    @Test("discovery starts again after a Service Changed")
    func overtakenSearch() {
        var link = ProviderLink.searching()
        #expect(link.serviceChanged().isEmpty)
        #expect(
            link.end(of: .discoverANCS, .success(.database(.ancs()))) == [
                ProviderLinkTests.search
            ])
        #expect(
            link.end(of: .discoverANCS, .success(.database(.ancs()))).last
                == ProviderLinkTests.all)
    }

    @Test("services found after a Service Changed are not stored with the earlier hash")
    func hashFromBefore() {
        var link = ProviderLink.available()
        _ = link.serviceChanged()
        #expect(
            link.end(of: .discoverANCS, .success(.database(.ancs()))) == [ProviderLinkTests.all])
    }

    @Test("procedures that end after their session are not reported")
    func lateEnds() {
        var link = ProviderLink.available()
        _ = link.after { $0.request(.subscribe(.dataSource)) }
        _ = link.after { $0.request(.writeControlPoint([0])) }
        _ = link.serviceChanged()
        #expect(link.end(of: .request(.subscribe(.dataSource))).isEmpty)
        #expect(
            link.end(of: .request(.writeControlPoint([])), .failure(.malformedResponse)).isEmpty)
        #expect(link.report(of: .notification(AttributeHandle(18), [1])) == nil)
    }

    // MARK: States and inputs

    /// A state, and what each input makes it put out, in the order of ``inputs``.
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var make: @Sendable () -> ProviderLink
        var outputs: [[ProviderLink.Output]]
    }

    static let inputs: [@Sendable (inout ProviderLink) -> Void] = [
        { $0.securityChanged(LinkSecurity(isEncrypted: true, keySize: 16)) },
        { $0.servicesChanged(in: .all) },
        { $0.request(.subscribe(.notificationSource)) },
        { $0.leave() },
        { $0.request(.writeControlPoint([1])) },
        { $0.completed(.discoverANCS, .success(.database(RemoteDatabase())), at: .zero) },
        { $0.handleTimeout(at: .seconds(90)) },
    ]

    static let refused: [ProviderLink.Output] = [
        .report(.subscriptionRefused(.notificationSource, errorCode: 0x0A))
    ]
    static let unwritten: [ProviderLink.Output] = [
        .report(.controlPointWritten([1], ControlPointError(rawValue: 0x01)))
    ]

    static let rows: [Row] = [
        .init(
            testDescription: "securing", make: { .securing() },
            outputs: [
                [.start(.exchangeMTU, .exchangeMTU)], [], refused, [.disconnect(.left)], unwritten,
                [], [.disconnect(.notSecured)],
            ]),
        .init(
            testDescription: "preparing", make: { .preparing() },
            outputs: [[], [], refused, [.disconnect(.left)], unwritten, [], []]),
        .init(
            testDescription: "searching", make: { .searching() },
            outputs: [[], [], refused, [.disconnect(.left)], unwritten, [.waiting], []]),
        .init(
            testDescription: "waiting", make: { .waiting() },
            outputs: [
                [], [ProviderLinkTests.search], refused, [.disconnect(.left)], unwritten, [],
                [ProviderLinkTests.search],
            ]),
        .init(
            testDescription: "available", make: { .available() },
            outputs: [
                [], [.unavailable, ProviderLinkTests.search],
                [
                    .start(
                        .writeValue(AttributeHandle(19), [0x01, 0x00]),
                        .request(.subscribe(.notificationSource)))
                ],
                [
                    .start(.writeValue(AttributeHandle(19), [0x00, 0x00]), .leave)
                ],
                [.start(.writeValue(AttributeHandle(21), [1]), .request(.writeControlPoint([1])))],
                [], [],
            ]),
        .init(
            testDescription: "ended", make: { .over() },
            outputs: [[], [], refused, [], unwritten, [], []]),
    ]

    @Test("every input in every state", arguments: rows)
    func table(_ row: Row) throws {
        try #require(row.outputs.count == Self.inputs.count)
        for (index, input) in Self.inputs.enumerated() {
            var link = row.make()
            #expect(link.after(input) == row.outputs[index], "input \(index)")
        }
        var link = row.make()
        let report = link.report(of: .notification(AttributeHandle(18), [7]))
        #expect(report == (row.testDescription == "available" ? .notificationSource([7]) : nil))
    }
}
