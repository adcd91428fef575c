import Octets
import Testing

@testable import ANCS
@testable import ANCSProvider

@Suite("A provider and commands")
struct ProviderCommandTests {
    /// The answer to a command of which nothing can be cut.
    private func answer(
        to command: some OctetEncodable, _ behavior: ProviderBehavior = ProviderBehavior()
    ) throws -> [ProviderSession.Output] {
        var provider = try TestProvider.subscribed(
            behavior, with: [.mailFromAda, .social("Ünsal 😀")], attMTU: 517)
        try provider.store.install(mail, displayName: "Mail")
        return provider.answer(command)
    }

    @Test("all eight attributes come in the order of the command, behind the response (R22, R27)")
    func everything() throws {
        let command = get(uid0, NotificationAttributeRequest.all)
        let outputs = try answer(to: command)
        let expected = AttributeResponse(
            identity: .notification(uid0),
            attributes: [
                AttributeValue(.appIdentifier, "com.apple.mobilemail"),
                AttributeValue(.title, "Ada"),
                AttributeValue(.subtitle, "Lunch"), AttributeValue(.message, "At noon?"),
                AttributeValue(.messageSize, "8"), AttributeValue(.date, "20261121T093000"),
                AttributeValue(.positiveActionLabel, "Open"),
                AttributeValue(.negativeActionLabel, "Clear"),
            ]
        ).octets
        let received = ProviderSession.Command.decoded(.getNotificationAttributes(command))
        #expect(
            outputs == [
                .commandReceived(received), .link(.respond(nil)),
                .link(.notify(.dataSource, expected)),
                .answered(received, .sent(octets: expected.count)),
            ])
    }

    @Test("a missing attribute is present with length 0 (R29)")
    func missing() throws {
        let outputs = try answer(
            to: get(uid1, [.subtitle, .date, .positiveActionLabel, .negativeActionLabel]))
        #expect(outputs.data == [0, 1, 0, 0, 0, 2, 0, 0, 5, 0, 0, 6, 0, 0, 7, 0, 0])
    }

    @Test("each attribute is answered as asked, also twice and in any order")
    func asAsked() throws {
        let outputs = try answer(to: get(uid0, [.messageSize, .any(1, 1), .messageSize, .title]))
        #expect(
            outputs.data == [0, 0, 0, 0, 0] + [4, 1, 0, 0x38] + [1, 1, 0, 0x41] + [4, 1, 0, 0x38]
                + [1, 3, 0, 0x41, 0x64, 0x61])
    }

    @Test(
        "a text is cut to its maximum on a character (R24, S10)",
        arguments: [
            (0, ""), (1, ""), (2, "Ü"), (3, "Ün"), (6, "Ünsal"), (7, "Ünsal "), (8, "Ünsal "),
            (10, "Ünsal "), (11, "Ünsal 😀"), (65535, "Ünsal 😀"),
        ])
    func cut(to maximum: UInt16, _ text: String) throws {
        let outputs = try answer(to: get(uid1, [.any(1, maximum)]))
        let expected = AttributeResponse(
            identity: .notification(uid1), attributes: [AttributeValue(.title, text)])
        #expect(outputs.data == expected.octets)
    }

    @Test("a reserved attribute has length 0, and no attribute leaves the header (S7, S8)")
    func reservedAndNone() throws {
        #expect(
            try answer(to: get(uid0, [.any(8), .any(255)])).data.dropFirst(5) == [
                8, 0, 0, 255, 0, 0,
            ])
        let none = try answer(to: get(uid0, []))
        #expect(none.responses == [0])
        #expect(none.data == [0, 0, 0, 0, 0])
    }

    @Test("the display name of an app, also an empty one (R36, S23)")
    func app() throws {
        var provider = try TestProvider.subscribed(attMTU: 517)
        try provider.store.install(mail, displayName: "Mail")
        try provider.store.install(phone, displayName: "")
        let header = { (app: AppIdentifier) in [1] + app.octets + [0] }
        #expect(
            provider.answer(GetAppAttributes(displayNameOf: mail)).data
                == header(mail) + [0, 4, 0] + Array("Mail".utf8))
        #expect(
            provider.answer(GetAppAttributes(displayNameOf: phone)).data
                == header(phone) + [0, 0, 0])
        let reserved = [AppAttributeID(rawValue: 9), .displayName]
        #expect(
            provider.answer(GetAppAttributes(decoded: mail, attributes: reserved)).data
                == header(mail) + [9, 0, 0, 0, 4, 0] + Array("Mail".utf8))
        #expect(
            provider.answer(GetAppAttributes(decoded: mail, attributes: [])).data == header(mail))
    }

    @Test("of an app that is not installed there is nothing but the header (S23)")
    func unknownApp() throws {
        let outputs = try answer(to: GetAppAttributes(displayNameOf: phone))
        #expect(outputs.responses == [0])
        #expect(outputs.data == [1] + phone.octets + [0])
    }

    /// Writes that are refused, and how (R57 to R59).
    static let refused: [(octets: String, error: UInt8)] = [
        ("", 0xA1), ("03", 0xA0), ("ff00000000", 0xA0), ("00", 0xA1), ("00000000", 0xA1),
        ("000000000001", 0xA1), ("00000000000110", 0xA1), ("0000000000030000" + "02ff", 0xA1),
        ("0005000000", 0xA2), ("00ffffffff", 0xA2), ("00ffffffff05", 0xA2), ("01", 0xA1),
        ("01636f6d", 0xA1), ("01ff0000", 0xA1), ("02", 0xA1), ("0200000000", 0xA1),
        ("02000000000000", 0xA1), ("020500000000", 0xA2), ("02ffffffff01", 0xA2),
        ("020000000002", 0xA2), ("0200000000ff", 0xA2), ("020100000000", 0xA3),
    ]

    @Test("an invalid command is refused, without any data (R57 to R61)", arguments: refused)
    func refusal(_ octets: String, _ error: UInt8) throws {
        var provider = try TestProvider.subscribed(with: [.mailFromAda, .social("Ada")])
        let outputs = provider.answer(try #require(Hexadecimal.octets(octets)))
        #expect(outputs.responses == [error])
        #expect(outputs.data.isEmpty)
        #expect(outputs.outcomes == [.refused(ControlPointError(rawValue: error))])
        #expect(outputs.actions.isEmpty)
        #expect(provider.answer(get(uid0, [.title])).responses == [0])
    }

    @Test(
        "a removed notification is refused from then on, but an answer that has begun is finished")
    func removedMeanwhile() throws {
        var provider = try TestProvider.subscribed(with: [.mailFromAda])
        provider.write(get(uid0, [.title, .message]).octets)
        try provider.remove(provider.store.ids[0])
        let outputs = provider.drain()
        #expect(outputs.data.count == 5 + 3 + 3 + 3 + 8)
        #expect(provider.session.notificationID(of: uid0) == nil)
        #expect(provider.answer(get(uid0, [.title])).responses == [0xA2])
    }

    @Test("without a subscription to the Data Source a command succeeds and brings nothing (S25)")
    func noDataSource() throws {
        var provider = TestProvider()
        try provider.store.post(.call)
        provider.receive(.subscribed(.notificationSource))
        _ = provider.drain()
        let outputs = provider.answer(get(uid0, [.title]))
        #expect(outputs.responses == [0])
        #expect(outputs.outcomes == [.withheld])
        #expect(outputs.data.isEmpty)
    }

    @Test("attributes of apps need no session, those of notifications do")
    func noSession() throws {
        var provider = TestProvider()
        try provider.store.post(.call)
        provider.receive(.subscribed(.dataSource))
        #expect(provider.answer(get(uid0, [.title])).responses == [0xA2])
        let outputs = provider.answer(GetAppAttributes(displayNameOf: phone))
        #expect(outputs.data == [1] + phone.octets + [0])
    }

    @Test("an app identifier of 64 KiB is answered like any other that is not installed")
    func longApp() throws {
        var provider = try TestProvider.subscribed()
        let identifier = [UInt8](repeating: 0x61, count: 65532)
        let outputs = provider.answer([1] + identifier + [0, 0])
        #expect(outputs.responses == [0])
        #expect(outputs.data == [1] + identifier + [0])
    }

    @Test("a hundred texts of 64 KiB take no room until they are sent")
    func amplification() throws {
        let text = String(repeating: "x", count: 65535)
        var provider = try TestProvider.subscribed(with: [.social("", message: text)], attMTU: 517)
        provider.write(get(uid0, Array(repeating: .message, count: 169)).octets)
        var (count, longest) = (0, 0)
        while let output = provider.session.pollOutput(from: provider.store) {
            guard case .link(.notify(.dataSource, let value)) = output else { continue }
            count += value.count
            longest = max(longest, value.count)
        }
        #expect(count == 5 + 169 * (3 + 65535))
        #expect(longest == 514)
    }
}

@Suite("A provider and actions")
struct ProviderActionTests {
    private let decline = PerformNotificationAction(notificationUID: uid0, actionID: .negative)

    @Test("the response waits for the action, and nothing follows it (R40, R42)")
    func performed() throws {
        var provider = try TestProvider.subscribed(with: [.call])
        let asked = provider.answer(decline)
        let request = try #require(asked.actions.first)
        #expect(request.notificationID == provider.store.ids[0])
        #expect(request.notificationUID == uid0)
        #expect(request.actionID == .negative)
        #expect(asked.responses.isEmpty)
        provider.session.actionFinished(request, performed: true)
        let received = ProviderSession.Command.decoded(.performNotificationAction(decline))
        #expect(provider.drain() == [.link(.respond(nil)), .answered(received, .performed)])
        provider.session.actionFinished(request, performed: true)
        #expect(provider.drain().isEmpty)
    }

    @Test("an action that could not be performed has failed (R60)")
    func failed() throws {
        var provider = try TestProvider.subscribed(with: [.call])
        let request = try #require(provider.answer(decline).actions.first)
        provider.session.actionFinished(request, performed: false)
        let outputs = provider.drain()
        #expect(outputs.responses == [0xA3])
        #expect(outputs.data.isEmpty)
    }

    @Test("announcements continue while an action is open, and a second write changes nothing")
    func open() throws {
        var provider = try TestProvider.subscribed(with: [.call])
        let request = try #require(provider.answer(decline).actions.first)
        #expect(provider.answer(get(uid0, [.title])).isEmpty)
        #expect(provider.session.ignoredWrites == 1)
        _ = try provider.post(.social("Ada"))
        #expect(try provider.drain().announcements.count == 1)
        provider.session.actionFinished(request, performed: true)
        #expect(provider.drain().responses == [0])
        #expect(provider.answer(get(uid0, [.title])).responses == [0])
    }

    @Test("an action whose session has ended is refused once and then forgotten")
    func sessionEnded() throws {
        var provider = try TestProvider.subscribed(with: [.call])
        let request = try #require(provider.answer(decline).actions.first)
        provider.receive(.unsubscribed(.notificationSource))
        #expect(provider.drain().responses == [0xA3])
        _ = provider.subscribe()
        let again = try #require(provider.answer(decline).actions.first)
        provider.session.actionFinished(request, performed: true)
        #expect(provider.drain().isEmpty)
        provider.session.actionFinished(again, performed: true)
        #expect(provider.drain().responses == [0])
    }

    @Test("an action whose link has ended is dropped without a response")
    func disconnected() throws {
        var provider = try TestProvider.subscribed(with: [.call])
        let request = try #require(provider.answer(decline).actions.first)
        provider.session.disconnected()
        let outputs = provider.drain()
        #expect(outputs.responses.isEmpty)
        #expect(outputs.outcomes == [.abandoned(octets: 0)])
        provider.session.actionFinished(request, performed: true)
        #expect(provider.drain().isEmpty)
    }
}
