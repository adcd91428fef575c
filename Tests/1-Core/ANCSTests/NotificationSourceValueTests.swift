import JSONText
import Octets
import Testing

@testable import ANCS

@Suite("Notification Source values")
struct NotificationSourceValueTests {
    @Test(
        "a captured value is decoded, and encoded to the same octets",
        arguments: Vector.ofKind("notification_source"))
    func vectors(_ vector: Vector) throws {
        guard vector.expect["error"] == nil else {
            #expect(throws: DecodingError.self) {
                try NotificationSourceValue(decoding: vector.octets.span)
            }
            return
        }
        let value = try NotificationSourceValue(decoding: vector.octets.span)
        let expect = vector.expect
        #expect(Int(value.eventID.rawValue) == expect["event_id"]?.integer)
        #expect(value.eventID.description == expect["event"]?.string)
        #expect(Int(value.eventFlags.rawValue) == expect["event_flags"]?.integer)
        // The vectors name the flags of the specification only, and no reserved category.
        let flags = value.eventFlags.names.filter { !$0.hasPrefix("reserved") }
        #expect(flags == expect["flags"]?.array?.compactMap(\.string))
        #expect(Int(value.categoryID.rawValue) == expect["category_id"]?.integer)
        if expect["category"]?.string != "reserved" {
            #expect(value.categoryID.description == expect["category"]?.string)
        }
        #expect(Int(value.categoryCount) == expect["category_count"]?.integer)
        #expect(Int(value.notificationUID.rawValue) == expect["uid"]?.integer)
        #expect(value.octets == vector.octets)
    }

    @Test("a value has exactly eight octets (S17)", arguments: 0...20)
    func length(_ count: Int) throws {
        let octets = [UInt8](repeating: 0, count: count)
        switch count {
        case ..<8:
            #expect(throws: DecodingError.truncated(needed: 8, available: count)) {
                try NotificationSourceValue(decoding: octets.span)
            }
        case 8:
            #expect(try NotificationSourceValue(decoding: octets.span).octets == octets)
        default:
            #expect(throws: DecodingError.excess(count: count - 8)) {
                try NotificationSourceValue(decoding: octets.span)
            }
        }
    }

    @Test("any eight octets are a value, and come back as they were")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 0xA2C5)
        for _ in 0..<500 {
            let octets = generator.octets(8)
            #expect(try NotificationSourceValue(decoding: octets.span).octets == octets)
        }
    }

    @Test("reserved events, flags and categories keep their octet and have a name (S14 to S16)")
    func reserved() throws {
        let octets: [UInt8] = [3, 0xE1, 13, 0, 0xFE, 0xFF, 0xFF, 0xFF]
        let value = try NotificationSourceValue(decoding: octets.span)
        #expect(value.eventID.description == "reserved3")
        #expect(value.eventFlags.names == ["silent", "reserved5", "reserved6", "reserved7"])
        #expect(value.categoryID.description == "reserved13")
        #expect(value.notificationUID.rawValue == 0xFFFF_FFFE)
        #expect(CategoryID(rawValue: 12) == .activeCall)
    }

    @Test("the UUIDs are those of the service", arguments: Vector.ofKind("uuid"))
    func uuids(_ vector: Vector) throws {
        let uuid = vector.octets.reversed().reduce(0 as UInt128) { $0 << 8 | UInt128($1) }
        let text = try #require(vector.expect["uuid"]?.string).filter { $0 != "-" }
        #expect(UInt128(text, radix: 16) == uuid)
        let own: [String: UInt128] = [
            "uuid_service": ANCSUUID.service,
            "uuid_notification_source": ANCSUUID.notificationSource,
            "uuid_control_point": ANCSUUID.controlPoint,
            "uuid_data_source": ANCSUUID.dataSource,
        ]
        #expect(own[vector.name] == uuid)
    }
}
