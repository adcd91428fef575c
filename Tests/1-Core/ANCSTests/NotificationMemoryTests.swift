import Octets
import Testing

@testable import ANCS

@Suite("The memory of shown notifications")
struct NotificationMemoryTests {
    @Test("a notification of an earlier session was seen; one repeated in this session was not")
    func seen() {
        var memory = NotificationMemory()
        let first = memory.beginSession()
        let firstSeen = [1, 2, 1].map { memory.note($0, session: first) }
        #expect(firstSeen == [false, false, false])
        let second = memory.beginSession()
        #expect(
            [1, 3, 1, 3].map { memory.note($0, session: second) } == [true, false, true, false])
        var kept = NotificationMemory(digests: memory.digests)
        #expect(kept.digests == [1, 2, 3])
        let third = kept.beginSession()
        let isSeen = kept.note(3, session: third)
        #expect(isSeen)
    }

    @Test("the oldest is forgotten")
    func bounded() {
        var memory = NotificationMemory(limit: 3, digests: [1, 2, 3, 4, 5])
        #expect(memory.digests == [3, 4, 5])
        let session = memory.beginSession()
        let seen = [1, 5].map { memory.note($0, session: session) }
        #expect(seen == [false, true])
    }

    @Test("notifications differ by app, date and texts, and by the borders between them")
    func identity() {
        func octets(_ title: String, _ message: String) -> [UInt8]? {
            var delivery = NotificationFeed.Delivery(source: announcement(.added, uid7))
            delivery.attributes = [
                AttributeValue(.title, title), AttributeValue(.message, message),
            ]
            return delivery.identifyingOctets
        }
        #expect(octets("ab", "c") != octets("a", "bc"))
        #expect(octets("ab", "c") == octets("ab", "c"))
        var unknown = NotificationFeed.Delivery(source: announcement(.added, uid7))
        #expect(unknown.identifyingOctets == nil)
        unknown.attributes = [AttributeValue(.title, "a")]
        unknown.failure = .timedOut
        #expect(unknown.identifyingOctets == nil)
    }

    @Test("a text that ends within a character was cut, wherever")
    func cut() {
        for character in ["é", "通", "🍜"] {
            let octets = Array(("a" + character).utf8)
            #expect(!UTF8Text.endsWithinCharacter(octets))
            for count in 2..<octets.count {
                #expect(UTF8Text.endsWithinCharacter(Array(octets[..<count])), "\(character)")
            }
        }
        for octets in [[], [0x61], [0x80], [0x80, 0x80, 0x80, 0x80], [0xFF]] as [[UInt8]] {
            #expect(!UTF8Text.endsWithinCharacter(octets))
        }
    }

    @Test(
        "a message counts as cut if its size says so, in either unit (S11)",
        arguments: [
            ("Lunch", "5", false), ("Lunch", "6", true), ("通知", "2", false), ("通知", "", false),
            ("Lunch", "long", false),
        ])
    func size(_ row: (String, String, Bool)) {
        var delivery = NotificationFeed.Delivery(source: announcement(.added, uid7))
        delivery.attributes = [
            AttributeValue(.message, row.0), AttributeValue(.messageSize, row.1),
        ]
        #expect(delivery.cutTexts == (row.2 ? [.message] : []))
    }

    @Test("a delivery names each text that our own limit or the phone has cut (S10)")
    func cutTexts() {
        let cut = AttributeValue(
            id: NotificationAttributeID.title.rawValue, length: 9, octets: [0x41])
        let half = AttributeValue(.subtitle, octets: Array("caf\u{E9}".utf8.dropLast()))
        let whole = AttributeValue(.message, "Lunch")
        let delivery = NotificationFeed.Delivery(source: announcement(.added, uid7))
        func cutTexts(_ values: AttributeValue...) -> [NotificationAttributeID] {
            let response = AttributeResponse(identity: .notification(uid7), attributes: values)
            return delivery.with(response).truncatedTexts
        }
        #expect(cutTexts(cut, whole) == [.title])
        #expect(cutTexts(half, whole) == [.subtitle])
        #expect(cutTexts(whole, half, cut) == [.title, .subtitle])
        #expect(cutTexts(whole) == [])
        // An app's identifier is not a text.
        #expect(cutTexts(AttributeValue(.appIdentifier, octets: [0xC3])) == [])
    }

    @Test("a completed notification takes over which texts were cut")
    func cutTextsOfCompletion() {
        var delivery = NotificationFeed.Delivery(source: announcement(.added, uid7))
        var other = delivery
        other.truncatedTexts = [.message]
        delivery.takeContent(of: other)
        #expect(delivery.truncatedTexts == [.message])
    }

    @Test("only characters that change the direction of text are removed (S13)")
    func directions() {
        let wrapped = "\u{202D}+49 170 1234567\u{202C}"
        #expect(UTF8Text.withoutDirections(Array(wrapped.utf8)) == Array("+49 170 1234567".utf8))
        for text in ["", "…", "שלום", "a\u{200D}b", "\u{2066}"] {
            let kept = text == "\u{2066}" ? "" : text
            #expect(UTF8Text.withoutDirections(Array(text.utf8)) == Array(kept.utf8))
        }
        let broken: [UInt8] = [0xE2, 0x80]
        #expect(UTF8Text.withoutDirections(broken) == broken)
        let hidden: [UInt8] = [0xE2, 0x81, 0xE2, 0x81, 0xA6, 0xA6]
        #expect(UTF8Text.withoutDirections(hidden) == [])
    }
}
