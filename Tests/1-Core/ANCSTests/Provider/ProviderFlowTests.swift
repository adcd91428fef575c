import Octets
import Testing

@testable import ANCS
@testable import ANCSProvider

@Suite("A provider and the room on the link")
struct ProviderFlowTests {
    private let everything = get(uid0, NotificationAttributeRequest.all)

    @Test("an answer is cut at ATT_MTU - 3, as it was when the answer began (R30)")
    func fragments() throws {
        var provider = try TestProvider.subscribed(with: [.mailFromAda], attMTU: 50)
        let whole = provider.answer(everything).data
        provider.write(everything.octets)
        var outputs = provider.drain(hasRoom: false)
        #expect(outputs.responses == [0])
        outputs = provider.next()
        provider.receive(.mtuChanged(100))
        outputs += provider.drain()
        let count = whole.count
        #expect(outputs.values(of: .dataSource).map(\.count) == [47, count - 47])
        #expect(outputs.data == whole)
        let next = provider.answer(everything).values(of: .dataSource)
        #expect(next.map(\.count) == [count])
    }

    @Test("an ATT_MTU below the least is the least")
    func leastMTU() throws {
        var provider = try TestProvider.subscribed(with: [.mailFromAda], attMTU: 0)
        #expect(provider.answer(everything).values(of: .dataSource).first?.count == 20)
    }

    @Test("without room responses come, values do not")
    func noRoom() throws {
        var provider = TestProvider()
        try provider.store.post(.mailFromAda)
        provider.receive(.subscribed(.dataSource))
        provider.receive(.subscribed(.notificationSource))
        #expect(provider.drain(hasRoom: false) == [.started])
        #expect(try provider.drain().announcements.count == 1)
        provider.write(everything.octets)
        let outputs = provider.drain(hasRoom: false)
        #expect(outputs.responses == [0])
        #expect(outputs.data.isEmpty)
        #expect(provider.drain().data.isEmpty == false)
    }

    @Test("commands that come while an answer is on its way are answered in their order (S4)")
    func pipelined() throws {
        var provider = try TestProvider.subscribed(
            with: [.mailFromAda, .social("Bob")], attMTU: 517)
        provider.write(get(uid1, [.title]).octets)
        #expect(provider.drain(hasRoom: false).responses == [0])
        provider.write(get(uid0, [.title]).octets)
        #expect(provider.drain(hasRoom: false).responses == [0])
        provider.write(get(uid2, [.title]).octets)
        #expect(provider.drain(hasRoom: false).responses == [0xA2])
        #expect(
            provider.drain().values(of: .dataSource) == [
                titleAnswer(uid1, "Bob").octets, titleAnswer(uid0, "Ada").octets,
            ])
    }

    @Test("a response is held back while too many answers wait, and comes when one has gone")
    func heldBack() throws {
        var configuration = ProviderSession.Configuration()
        configuration.maximumPendingAnswers = 2
        var provider = try TestProvider.subscribed(
            with: [.mailFromAda], attMTU: 517, configuration: configuration)
        let answer = titleAnswer(uid0, "Ada").octets
        for _ in 0..<2 {
            provider.write(get(uid0, [.title]).octets)
            #expect(provider.drain(hasRoom: false).responses == [0])
        }
        provider.write(get(uid0, [.title]).octets)
        #expect(provider.drain(hasRoom: false).responses.isEmpty)
        // ATT allows no other before the response; it is ignored.
        provider.write(get(uid0, [.title]).octets)
        #expect(provider.drain(hasRoom: false).isEmpty)
        #expect(provider.session.ignoredWrites == 1)
        #expect(provider.next() == [.link(.notify(.dataSource, answer))])
        let outputs = provider.drain()
        #expect(outputs.responses == [0])
        #expect(outputs.values(of: .dataSource) == [answer, answer])
    }

    @Test("a response that is held back ends with what it was held for")
    func heldBackAndGone() throws {
        var configuration = ProviderSession.Configuration()
        configuration.maximumPendingAnswers = 1
        func held() throws -> TestProvider {
            var provider = try TestProvider.subscribed(
                with: [.mailFromAda], configuration: configuration)
            for _ in 0..<2 { provider.write(get(uid0, [.title]).octets) }
            _ = provider.drain(hasRoom: false)
            return provider
        }
        for (input, response) in [(0, 0xA2), (1, 0x00), (2, 0x03)] as [(Int, UInt8)] {
            var provider = try held()
            switch input {
            case 0: provider.receive(.unsubscribed(.notificationSource))
            case 1: provider.receive(.unsubscribed(.dataSource))
            case _: provider.session.consentChanged(false)
            }
            let outputs = provider.drain()
            #expect(outputs.responses == [response])
            #expect(outputs.data.isEmpty)
        }
    }

    @Test("announcements and answers take turns")
    func turns() throws {
        var provider = TestProvider()
        for number in 0..<100 { try provider.store.post(.social("\(number)")) }
        provider.receive(.subscribed(.dataSource))
        provider.receive(.subscribed(.notificationSource))
        _ = provider.drain(hasRoom: false)
        _ = provider.next()
        let attributes = Array(repeating: NotificationAttributeRequest.appIdentifier, count: 5)
        provider.write(get(uid0, attributes).octets)
        let outputs = provider.drain()
        let sources = outputs.compactMap { output in
            if case .link(.notify(let source, _)) = output { source } else { nil }
        }
        let count = outputs.values(of: .dataSource).count
        let last = try #require(sources.lastIndex(of: .dataSource))
        #expect(count > 5)
        #expect(last <= 2 * count)
        #expect(sources.count == 99 + count)
    }
}

@Suite("A provider whose store changes while announcements wait")
struct PendingAnnouncementTests {
    /// A provider with notifications, of which `announced` are announced.
    private func flood(_ count: Int, announced: Int) throws -> TestProvider {
        var provider = TestProvider()
        for number in 0..<count { try provider.store.post(.social("\(number)")) }
        provider.receive(.subscribed(.notificationSource))
        _ = provider.drain(hasRoom: false)
        for _ in 0..<announced { _ = provider.next() }
        return provider
    }

    @Test("a notification that is removed before it was announced is never announced")
    func removedBefore() throws {
        var provider = try flood(3, announced: 1)
        let ids = provider.store.ids
        try provider.remove(ids[1])
        let announcements = try provider.drain().announcements
        #expect(announcements.map(\.eventID) == [.added])
        #expect(announcements.map(\.categoryCount) == [2])
        #expect(provider.session.notificationID(of: uid1) == ids[2])
    }

    @Test(
        "a notification that is modified before it was announced is announced with its new values")
    func modifiedBefore() throws {
        var provider = try flood(2, announced: 1)
        try provider.modify(provider.store.ids[1]) { $0.isImportant = true }
        let announcements = try provider.drain().announcements
        #expect(announcements.map(\.eventID) == [.added])
        #expect(announcements[0].eventFlags == [.important, .preExisting])
    }

    @Test("modifications that wait are one, and none follows a removal (R19)")
    func coalesced() throws {
        var provider = try flood(2, announced: 2)
        let ids = provider.store.ids
        for _ in 0..<1000 {
            for id in ids { try provider.modify(id) { $0.isSilent.toggle() } }
        }
        try provider.remove(ids[0])
        let announcements = try provider.drain().announcements
        #expect(announcements.map(\.eventID) == [.modified, .removed])
        #expect(announcements.map(\.notificationUID) == [uid1, uid0])
        try provider.modify(ids[1]) { $0.isSilent = true }
        #expect(try provider.drain().announcements.map(\.eventID) == [.modified])
    }

    @Test(
        "notifications added while a flood waits are announced after it, without the PreExisting flag"
    )
    func newBehindFlood() throws {
        var provider = try flood(1000, announced: 10)
        _ = try provider.post(.call)
        let announcements = try provider.drain().announcements
        #expect(announcements.count == 991)
        #expect(announcements.dropLast().allSatisfy { $0.eventFlags == .preExisting })
        #expect(announcements.last?.categoryID == .incomingCall)
        #expect(announcements.last?.eventFlags == ProviderNotification.call.eventFlags)
    }

    @Test("a removal does not wait behind a flood")
    func removalFirst() throws {
        var provider = try flood(1000, announced: 10)
        try provider.remove(provider.store.ids[3])
        let announcements = try provider.drain().announcements
        #expect(announcements[0].eventID == .removed)
        #expect(announcements[0].notificationUID.rawValue == 3)
        #expect(announcements[0].categoryCount == 255)
    }
}
