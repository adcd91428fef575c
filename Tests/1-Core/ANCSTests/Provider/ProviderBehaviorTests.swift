import Octets
import Testing

@testable import ANCS
@testable import ANCSProvider

@Suite("The knobs of a provider")
struct ProviderBehaviorTests {
    private typealias Behavior = ProviderBehavior

    /// The announcements at subscription.
    private func announced(_ change: (inout ProviderBehavior) -> Void) throws
        -> [NotificationSourceValue]
    {
        var behavior = ProviderBehavior()
        change(&behavior)
        var provider = TestProvider(behavior)
        for notification in [.call, .social("Ada"), .social("Bob")] as [ProviderNotification] {
            try provider.store.post(notification)
        }
        return try provider.subscribe().announcements
    }

    /// What comes of a command about a mail and a call.
    private func answer(
        to command: some OctetEncodable, _ change: (inout ProviderBehavior) -> Void
    ) throws -> [ProviderSession.Output] {
        var behavior = ProviderBehavior()
        change(&behavior)
        var call = ProviderNotification.call
        call.date = NotificationDate(Array("20261121T093000".utf8))
        var provider = try TestProvider.subscribed(
            behavior, with: [.mailFromAda, call, .social("", message: "Ünsal 😀")], attMTU: 517)
        return provider.answer(command)
    }

    @Test("all, some or none of the existing notifications are announced (R53, S21)")
    func existing() throws {
        #expect(try announced { _ in }.count == 3)
        #expect(try announced { $0.announcedExisting = .none }.isEmpty)
        #expect(try announced { $0.announcedExisting = .newest(0) }.isEmpty)
        #expect(try announced { $0.announcedExisting = .newest(9) }.count == 3)
        let newest = try announced { $0.announcedExisting = .newest(2) }
        #expect(newest.map(\.categoryID) == [.social, .social])
        #expect(newest.map(\.notificationUID) == [uid0, uid1])
    }

    @Test("an earlier notification that was not announced is never announced, a new one is")
    func notAnnounced() throws {
        var behavior = Behavior()
        behavior.announcedExisting = .none
        var provider = try TestProvider.subscribed(behavior, with: [.call])
        let old = provider.store.ids[0]
        try provider.modify(old) { $0.isSilent = true }
        try provider.remove(old)
        _ = try provider.post(.social("Ada"))
        #expect(try provider.drain().announcements == [value(.added, uid0, .social)])
    }

    @Test(
        "existing notifications can be announced without the flag, or with other flags (S14, S15, S21)"
    )
    func flagsAndCategory() throws {
        #expect(try announced { $0.existingFlags = [] }.map(\.eventFlags.rawValue) == [0x1A, 0, 0])
        let flags = try announced {
            $0.existingFlags = [.preExisting, .silent]
            $0.additionalFlags = .observedBit5
        }
        #expect(flags.map(\.eventFlags.rawValue) == [0x3F, 0x25, 0x25])
        let categories = try announced { $0.categoryOverride = .activeCall }
        #expect(categories.map(\.categoryID.rawValue) == [12, 12, 12])
    }

    @Test("identifiers begin where configured, and restart or continue (S18)")
    func identifiers() throws {
        var behavior = Behavior()
        behavior.firstUID = NotificationUID(rawValue: 1000)
        var provider = try TestProvider.subscribed(behavior, with: [.call, .social("Ada")])
        provider.receive(.unsubscribed(.notificationSource))
        #expect(
            try provider.subscribe().announcements.map(\.notificationUID.rawValue) == [1000, 1001])
        provider.session.behavior.restartsUIDs = false
        provider.receive(.unsubscribed(.notificationSource))
        #expect(
            try provider.subscribe().announcements.map(\.notificationUID.rawValue) == [1002, 1003])
    }

    @Test("a text is cut within a character, or has an ellipsis beyond the maximum (S10)")
    func truncation() throws {
        let command = get(uid2, [.any(3, 9)])
        let header: [UInt8] = [0, 2, 0, 0, 0, 3]
        #expect(
            try answer(to: command) { $0.truncation = .octets }.data
                == header + [9, 0] + Array("Ünsal 😀".utf8.prefix(9)))
        #expect(
            try answer(to: command) { $0.truncation = .ellipsisBeyond }.data
                == header + [10, 0] + Array("Ünsal …".utf8))
        #expect(
            try answer(to: get(uid2, [.any(3, 11)])) { $0.truncation = .ellipsisBeyond }.data
                == header + [11, 0] + Array("Ünsal 😀".utf8))
    }

    @Test("a value with an ellipsis does not exceed its length field")
    func longestEllipsis() throws {
        var behavior = Behavior()
        behavior.truncation = .ellipsisBeyond
        let text = String(repeating: "x", count: 65535)
        var provider = try TestProvider.subscribed(
            behavior, with: [.social("", message: text)], attMTU: 517)
        let data = provider.answer(get(uid0, [.any(3, 65534)])).data
        #expect(data.count == 8 + 65535)
        #expect(Array(data[6..<8]) == [0xFF, 0xFF])
        #expect(Array(data.suffix(4)) == [0x78] + Array("…".utf8))
    }

    @Test("Message Size counts octets, scalars or units of UTF-16 (S11)")
    func messageSize() throws {
        let sizes = [ProviderBehavior.MessageSizeUnit.octets, .scalars, .utf16].map { unit in
            Result {
                try answer(to: get(uid2, [.messageSize])) { $0.messageSizeUnit = unit }.data
            }
        }
        #expect(
            try sizes.map { Array(try $0.get().dropFirst(8)) }
                == ["11", "7", "8"].map { Array($0.utf8) })
    }

    @Test("dates may be missing, or those of calls (S12)")
    func dates() throws {
        let lengths = { (dates: ProviderBehavior.Dates) in
            try [uid0, uid1].map { uid in
                try answer(to: get(uid, [.date])) { $0.dates = dates }.data[6]
            }
        }
        #expect(try lengths(.all) == [15, 15])
        #expect(try lengths(.allButIncomingCalls) == [15, 0])
        #expect(try lengths(.none) == [0, 0])
    }

    @Test("attributes come in the order that is wanted (S5)")
    func order() throws {
        let asked: [UInt8] = [6, 7, 0, 5, 4]
        let order = { (order: ProviderBehavior.AttributeOrder) in
            let command = get(uid0, asked.map { .any($0) })
            let data = try answer(to: command) { $0.attributeOrder = order }.data
            var table = ResponseTable()
            try table.fill(notificationAttributes: data.span)
            return (0..<table.count).map { table.entries[$0].id }
        }
        #expect(try order(.asRequested) == asked)
        #expect(try order(.ascending) == [0, 4, 5, 6, 7])
        #expect(try order(.reversed) == asked.reversed())
        let shuffled = try (0..<8).map { try order(.shuffled(seed: $0)) }
        #expect(shuffled.allSatisfy { $0.sorted() == [0, 4, 5, 6, 7] })
        #expect(Set(shuffled).count > 1)
        #expect(try order(.shuffled(seed: 3)) == shuffled[3])
    }

    @Test("reserved attributes may be left out or refused (S7)")
    func reserved() throws {
        let command = get(uid0, [.any(9), .any(4)])
        let omitted = try answer(to: command) { $0.reservedAttribute = .omitted }
        #expect(omitted.data == [0, 0, 0, 0, 0, 4, 1, 0, 0x38])
        let refused = try answer(to: command) {
            $0.reservedAttribute = .refused(.invalidParameter)
        }
        #expect(refused.responses == [0xA2])
        #expect(refused.data.isEmpty)
    }

    @Test("commands that ask for nothing may be refused (S8, S9)")
    func degenerate() throws {
        let zero = try answer(to: get(uid0, [.any(1, 0)])) {
            $0.zeroMaximum = .refused(.invalidCommand)
        }
        #expect(zero.responses == [0xA1])
        let none = try answer(to: get(uid0, [])) { $0.noAttributes = .refused(.invalidCommand) }
        #expect(none.responses == [0xA1])
        let app = try answer(to: GetAppAttributes(decoded: mail, attributes: [])) {
            $0.noAttributes = .refused(.invalidCommand)
        }
        #expect(app.responses == [0xA1])
    }

    @Test("an app that is not installed may have an empty name, or be refused (S23)")
    func unknownApp() throws {
        let command = GetAppAttributes(displayNameOf: mail)
        let empty = try answer(to: command) { $0.unknownApp = .emptyValues }
        #expect(empty.data == [1] + mail.octets + [0, 0, 0, 0])
        let refused = try answer(to: command) { $0.unknownApp = .refused(.invalidParameter) }
        #expect(refused.responses == [0xA2])
        #expect(refused.data.isEmpty)
    }

    @Test("an action that does not exist has the error that is wanted (S29)")
    func actions() throws {
        let outputs = try answer(
            to: PerformNotificationAction(notificationUID: uid2, actionID: .positive)
        ) { $0.absentAction = .invalidParameter }
        #expect(outputs.responses == [0xA2])
        let reserved = try answer(
            to: PerformNotificationAction(notificationUID: uid0, actionID: ActionID(rawValue: 9))
        ) { $0.reservedAction = .actionFailed }
        #expect(reserved.responses == [0xA3])
    }

    @Test(
        "fragments have the sizes that are wanted, and joined they are the same (S6)",
        arguments: [
            FragmentSizes.every(1), .every(0), .every(7), .every(1000), .list([1, 0, 3]),
            .list([-1, 100]), .random(seed: 1, atMost: 9), .random(seed: 1, atMost: 0),
        ])
    func fragments(_ sizes: FragmentSizes) throws {
        let command = get(uid0, NotificationAttributeRequest.all)
        let whole = try answer(to: command) { _ in }.data
        var behavior = Behavior()
        behavior.fragmentSizes = sizes
        var provider = try TestProvider.subscribed(behavior, with: [.mailFromAda])
        let values = provider.answer(command).values(of: .dataSource)
        #expect(Array(values.joined()) == whole)
        #expect(values.allSatisfy { $0.count <= 20 })
        switch sizes {
        case .every(7): #expect(values.dropLast().allSatisfy { $0.count == 7 })
        case .every(1000): #expect(values.dropLast().allSatisfy { $0.count == 20 })
        case .list([1, 0, 3]): #expect(values.prefix(4).map(\.count) == [1, 0, 3, 20])
        case .random(_, 9): #expect(Set(values.map(\.count)).count > 3)
        case _: #expect(values.count > 1)
        }
    }

    @Test("answers that wait may follow each other without a border (S4)")
    func joined() throws {
        var behavior = Behavior()
        behavior.joinsAnswers = true
        var provider = try TestProvider.subscribed(behavior, with: [.mailFromAda])
        for _ in 0..<3 { provider.write(get(uid0, [.title]).octets) }
        let outputs = provider.drain()
        let answer = titleAnswer(uid0, "Ada").octets
        #expect(outputs.data == answer + answer + answer)
        #expect(outputs.values(of: .dataSource).map(\.count) == [20, 13])
        #expect(outputs.outcomes == Array(repeating: .sent(octets: 11), count: 3))
    }

    @Test("a provider may answer writes and nothing else, or not even those (S26, S27)")
    func unresponsive() throws {
        let action = PerformNotificationAction(notificationUID: uid0, actionID: .positive)
        for command in [get(uid0, [.title]).octets, action.octets] {
            var provider = try TestProvider.subscribed(with: [.mailFromAda])
            provider.session.behavior.responsiveness = .responsesOnly
            let outputs = provider.answer(command)
            #expect(outputs.responses == [0])
            #expect(outputs.outcomes == [.withheld])
            #expect(outputs.data.isEmpty)
            provider.session.behavior.responsiveness = .none
            #expect(provider.answer(command).outcomes == [.ignored])
            #expect(provider.answer(command).isEmpty)
            _ = try provider.post(.call)
            #expect(try provider.drain().announcements.count == 1)
        }
    }
}
