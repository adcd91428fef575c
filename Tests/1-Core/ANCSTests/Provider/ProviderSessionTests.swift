import Octets
import Testing

@testable import ANCS
@testable import ANCSProvider

@Suite("A session of a provider")
struct ProviderSessionTests {
    @Test(
        "a subscription starts a session, and existing notifications are announced as pre-existing (R49, R53)"
    )
    func start() throws {
        var provider = TestProvider()
        try provider.store.post(.call)
        try provider.store.post(.social("Ada"))
        try provider.store.post(.social("Bob"))
        #expect(provider.drain().isEmpty)
        let outputs = provider.subscribe()
        #expect(outputs.first == .started)
        #expect(
            try outputs.announcements == [
                value(.added, uid0, .incomingCall, flags: EventFlags(rawValue: 0x1E)),
                value(.added, uid1, .social, count: 2, flags: .preExisting),
                value(.added, uid2, .social, count: 2, flags: .preExisting),
            ])
        #expect(provider.session.isActive == true)
    }

    @Test("added, modified and removed, with counts that include the new one (R10, R17, S32)")
    func changes() throws {
        var provider = try TestProvider.subscribed()
        let first = try provider.post(.social("Ada"))
        #expect(try provider.drain().announcements == [value(.added, uid0, .social)])
        let second = try provider.post(.social("Bob"))
        #expect(try provider.drain().announcements == [value(.added, uid1, .social, count: 2)])
        try provider.modify(first) { $0.isImportant = true }
        #expect(
            try provider.drain().announcements == [
                value(.modified, uid0, .social, count: 2, flags: .important)
            ])
        try provider.remove(first)
        #expect(
            try provider.drain().announcements == [
                value(.removed, uid0, .social, flags: .important)
            ])
        try provider.remove(second)
        #expect(try provider.drain().announcements == [value(.removed, uid1, .social, count: 0)])
    }

    @Test("a declined call is removed, and a missed call has a new identifier (S19)")
    func declinedCall() throws {
        var provider = try TestProvider.subscribed()
        let call = try provider.post(.call)
        var octets = provider.drain().values(of: .notificationSource)
        try provider.remove(call)
        var missed = ProviderNotification.call
        missed.categoryID = .missedCall
        missed.isImportant = false
        _ = try provider.post(missed)
        octets += provider.drain().values(of: .notificationSource)
        // As captured from an iPhone.
        #expect(
            octets == [
                [0x00, 0x1A, 0x01, 0x01, 0, 0, 0, 0], [0x02, 0x1A, 0x01, 0x00, 0, 0, 0, 0],
                [0x00, 0x18, 0x02, 0x01, 1, 0, 0, 0],
            ])
    }

    @Test("a count is at most 255 (S32)")
    func saturation() throws {
        var provider = try TestProvider.subscribed(
            with: (0..<300).map { .social("\($0)") })
        _ = try provider.post(.social("one more"))
        #expect(try provider.drain().announcements.first?.categoryCount == 255)
    }

    @Test("the session ends with the subscription, and the next knows nothing of it (R49 to R51)")
    func endAndStart() throws {
        var provider = try TestProvider.subscribed(with: [.call])
        let id = provider.store.ids[0]
        _ = try provider.post(.social("Ada"))
        #expect(try provider.drain().announcements.map(\.notificationUID) == [uid1])
        provider.receive(.unsubscribed(.notificationSource))
        #expect(provider.drain() == [.ended])
        #expect(provider.session.notificationUID(of: id) == nil)
        #expect(provider.answer(get(uid0, [.title])).responses == [0xA2])
        try provider.remove(id)
        #expect(provider.drain().isEmpty)
        provider.receive(.subscribed(.notificationSource))
        let outputs = provider.drain()
        #expect(outputs.first == .started)
        #expect(
            try outputs.announcements == [value(.added, uid0, .social, flags: .preExisting)])
    }

    @Test("the link takes the session, the subscriptions and the ATT_MTU with it")
    func disconnection() throws {
        var provider = try TestProvider.subscribed(with: [.mailFromAda], attMTU: 185)
        provider.session.disconnected()
        #expect(provider.drain() == [.ended])
        provider.session.disconnected()
        #expect(provider.drain().isEmpty)
        // A bonded accessory comes back to the subscription that was kept.
        provider.receive(.subscribed(.notificationSource))
        #expect(provider.drain().first == .started)
        #expect(provider.answer(get(uid0, [.title])).data.isEmpty)
        provider.receive(.subscribed(.dataSource))
        let sizes = provider.answer(get(uid0, NotificationAttributeRequest.all))
            .values(of: .dataSource).map(\.count)
        #expect(sizes.dropLast().allSatisfy { $0 == 20 })
        #expect(sizes.count > 1)
    }

    @Test("subscribing again changes nothing")
    func subscribedTwice() throws {
        var provider = try TestProvider.subscribed(with: [.call])
        provider.receive(.subscribed(.notificationSource))
        provider.receive(.subscribed(.dataSource))
        #expect(provider.drain().isEmpty)
    }

    @Test("sessions are independent: each has its own identifiers (R51)")
    func independence() throws {
        var store = NotificationStore()
        let old = try store.post(.call).id
        var first = ProviderSession()
        var second = ProviderSession()
        first.receive(.subscribed(.notificationSource), store: store, at: .zero)
        while first.pollOutput(from: store) != nil {}
        let removed = try store.remove(old)
        first.storeChanged(removed)
        second.storeChanged(removed)
        second.receive(.subscribed(.notificationSource), store: store, at: .zero)
        let added = try store.post(.social("Ada"))
        for change in [added] {
            first.storeChanged(change)
            second.storeChanged(change)
        }
        while first.pollOutput(from: store) != nil {}
        while second.pollOutput(from: store) != nil {}
        #expect(first.notificationUID(of: added.id) == uid1)
        #expect(second.notificationUID(of: added.id) == uid0)
        #expect(second.notificationID(of: uid0) == added.id)
    }

    @Test("identifiers go around without the probe and without those in use")
    func identifiersGoAround() throws {
        var behavior = ProviderBehavior()
        behavior.firstUID = NotificationUID(rawValue: .max - 1)
        var provider = TestProvider(behavior)
        for number in 0..<3 { try provider.store.post(.social("\(number)")) }
        let uids = try provider.subscribe().announcements.map(\.notificationUID.rawValue)
        #expect(uids == [.max - 1, 0, 1])
    }

    @Test("an identifier reused after the numbers wrapped stands for the later notification")
    func reusedIdentifier() throws {
        // It is announced and removed, and the numbers come round to it.
        let behavior = ProviderBehavior()
        var store = NotificationStore()
        var announcements = Announcements(firstUID: uid1)
        announcements.begin(with: store, .all)
        func announced() -> [String] {
            var lines: [String] = []
            while let value = announcements.next(from: store, behavior) {
                lines.append("\(value.eventID) \(value.notificationUID.rawValue)")
            }
            return lines
        }
        let old = try store.post(.social("Ada")).id
        let kept = try store.post(.social("Bob")).id
        #expect(announced() == ["added 1", "added 2"])
        announcements.storeChanged(try store.remove(old))
        announcements.nextUID = uid1
        let new = try store.post(.social("Cleo")).id
        #expect(announced() == ["removed 1", "added 1"])
        #expect(announcements.uid(of: old) == nil)
        #expect(announcements.id(of: uid1) == new)
        #expect(announcements.id(of: uid2) == kept)
        // What is in use is passed over.
        #expect(announcements.nextUID.rawValue == 3)
    }
}

@Suite("A provider and the user's consent (S1)")
struct ProviderConsentTests {
    @Test("without consent subscriptions are kept, commands are refused and nothing is announced")
    func missing() throws {
        var provider = TestProvider(isConsented: false)
        try provider.store.post(.call)
        #expect(provider.subscribe() == [.started])
        _ = try provider.post(.social("Ada"))
        #expect(provider.drain().isEmpty)
        for command in [[], [0x07], get(uid0, [.title]).octets, [0x02, 0, 0, 0, 0, 0]] {
            let outputs = provider.answer(command)
            #expect(outputs.responses == [0x03])
            #expect(outputs.data.isEmpty)
        }
        provider.session.consentChanged(true)
        let announcements = try provider.drain().announcements
        #expect(announcements.map(\.notificationUID) == [uid0, uid1])
        #expect(announcements.allSatisfy { $0.eventFlags.contains(.preExisting) })
        #expect(provider.answer(get(uid0, [.title])).responses == [0])
    }

    @Test("a phone can announce notifications that no accessory may read")
    func announced() throws {
        var provider = TestProvider(isConsented: false)
        provider.session.behavior.announcesWithoutConsent = true
        _ = provider.subscribe()
        _ = try provider.post(.social("Ada"))
        let announcements = try provider.drain().announcements
        #expect(announcements.map(\.notificationUID) == [uid0])
        #expect(provider.answer(get(uid0, [.title])).responses == [0x03])
        provider.session.consentChanged(true)
        #expect(provider.drain().isEmpty, "it is announced already")
        #expect(provider.answer(get(uid0, [.title])).responses == [0])
    }

    @Test("withdrawn consent stops everything; changes are announced when consent returns")
    func withdrawn() throws {
        var provider = try TestProvider.subscribed(with: [.mailFromAda, .call])
        let ids = provider.store.ids
        provider.write(get(uid0, NotificationAttributeRequest.all).octets)
        _ = provider.drain(hasRoom: false)
        provider.session.consentChanged(false)
        try provider.remove(ids[1])
        _ = try provider.post(.social("Ada"))
        let outputs = provider.drain()
        #expect(outputs.outcomes == [.abandoned(octets: 0)])
        #expect(outputs.data.isEmpty)
        #expect(provider.answer(get(uid0, [.title])).responses == [0x03])
        provider.session.consentChanged(true)
        #expect(
            try provider.drain().announcements == [
                value(
                    .removed, uid1, .incomingCall, count: 0,
                    flags: ProviderNotification.call.eventFlags),
                value(.added, uid2, .social),
            ])
    }
}
