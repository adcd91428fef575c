import Octets
import Testing

@testable import ANCS
@testable import ANCSProvider

@Suite("The notifications of a provider")
struct NotificationStoreTests {
    @Test("notifications are kept in order, and their names are never given again")
    func order() throws {
        var store = NotificationStore()
        let first = try store.post(.mailFromAda).id
        let second = try store.post(.call).id
        let third = try store.post(.social("Bob")).id
        #expect(store.ids == [first, second, third])
        #expect(try store.remove(second) == .removed(second, .call))
        let fourth = try store.post(.call).id
        #expect(fourth > third)
        #expect(store.ids == [first, third, fourth])
        #expect(store.newest == fourth)
        #expect(store[second] == nil)
        #expect(store[first] == .mailFromAda)
    }

    @Test("the next notification is found after a removed one too")
    func firstAfter() throws {
        var store = NotificationStore()
        #expect(store.first(after: nil) == nil)
        let ids = try (0..<5).map { try store.post(.social("\($0)")).id }
        try store.remove(ids[2])
        #expect(store.first(after: nil) == ids[0])
        #expect(store.first(after: ids[1]) == ids[3])
        #expect(store.first(after: ids[2]) == ids[3])
        #expect(store.first(after: ids[4]) == nil)
    }

    @Test("every category is counted, also when a notification changes its own")
    func counts() throws {
        var store = NotificationStore()
        let first = try store.post(.social("Ada")).id
        try store.post(.social("Bob"))
        try store.post(.call)
        #expect(store.count(of: .social) == 2)
        #expect(store.count(of: .incomingCall) == 1)
        try store.modify(first) { $0.categoryID = CategoryID(rawValue: 255) }
        #expect(store.count(of: .social) == 1)
        #expect(store.count(of: CategoryID(rawValue: 255)) == 1)
        try store.remove(first)
        #expect(store.count(of: CategoryID(rawValue: 255)) == 0)
    }

    @Test("a store refuses additions beyond its limits, and is unchanged")
    func limits() throws {
        var limits = NotificationStore.Limits()
        limits.notifications = 1
        limits.apps = 1
        limits.textOctets = 4
        var store = NotificationStore(limits: limits)
        let id = try store.post(.social("1234")).id
        #expect(throws: StoreError.tooManyNotifications(limit: 1)) {
            try store.post(.social("2"))
        }
        #expect(throws: StoreError.textTooLong(octets: 5, limit: 4)) {
            try store.modify(id) { $0.message = Array("12345".utf8) }
        }
        #expect(throws: StoreError.textTooLong(octets: 5, limit: 4)) {
            try store.modify(id) { $0.negativeActionLabel = Array("12345".utf8) }
        }
        #expect(store[id] == .social("1234"))
        try store.install(mail, displayName: "Mail")
        try store.install(mail, displayName: "Post")
        #expect(throws: StoreError.tooManyApps(limit: 1)) {
            try store.install(phone, displayName: "Tel.")
        }
        #expect(throws: StoreError.textTooLong(octets: 7, limit: 4)) {
            try store.install(mail, displayName: "Letters")
        }
        #expect(store.displayName(of: mail) == Array("Post".utf8))
    }

    @Test("a notification that does not exist cannot be changed")
    func unknown() throws {
        var store = NotificationStore()
        let id = try store.post(.call).id
        try store.remove(id)
        #expect(throws: StoreError.unknownNotification(id)) { try store.remove(id) }
        #expect(throws: StoreError.unknownNotification(id)) { try store.modify(id) { _ in } }
        #expect(throws: StoreError.unknownApp(mail)) { try store.uninstall(mail) }
        try store.install(mail, displayName: "Mail")
        try store.uninstall(mail)
        #expect(store.displayName(of: mail) == nil)
        #expect(store.apps.isEmpty)
    }

    @Test("a text is not longer than the length field of an answer allows")
    func longestText() {
        var limits = NotificationStore.Limits()
        limits.textOctets = 100_000
        #expect(limits.textOctets == 65535)
    }

    @Test("event flags follow from the notification")
    func flags() {
        #expect(ProviderNotification.social("Ada").eventFlags == [])
        #expect(ProviderNotification.call.eventFlags.rawValue == 0x1A)
        var notification = ProviderNotification.mailFromAda
        notification.isSilent = true
        notification.positiveActionLabel = nil
        notification.additionalFlags = .observedBit5
        #expect(notification.eventFlags.rawValue == 0x31)
        #expect(notification.label(of: .negative) == Array("Clear".utf8))
        #expect(notification.label(of: .positive) == nil)
        #expect(notification.label(of: ActionID(rawValue: 2)) == nil)
    }

    @Test("a date has the octets it was read from")
    func date() throws {
        let octets = Array("20260307T010203".utf8)
        let date = try #require(NotificationDate(octets))
        #expect(date.octets == octets)
        #expect(
            NotificationDate(year: 2026, month: 3, day: 7, hour: 1, minute: 2, second: 3) == date)
        #expect(
            NotificationDate(year: 10000, month: 3, day: 7, hour: 1, minute: 2, second: 3) == nil)
        #expect(
            NotificationDate(year: 2026, month: 3, day: 7, hour: 24, minute: 2, second: 3) == nil)
    }
}
