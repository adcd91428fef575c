import JSONText
import Octets
import Testing

@testable import ANCS

@Suite("Control Point commands")
struct ControlPointCommandTests {
    @Test(
        "a captured command is decoded, and encoded to the same octets",
        arguments: Vector.ofKind("control_point"))
    func vectors(_ vector: Vector) throws {
        if let error = vector.expect["att_error"]?.string {
            let rejection = #expect(throws: ControlPointCommand.Rejection.self) {
                try ControlPointCommand(decoding: vector.octets.span)
            }
            let code = try #require(UInt8(error.dropFirst(2), radix: 16))
            #expect(rejection?.error == ControlPointError(rawValue: code))
            return
        }
        let command = try ControlPointCommand(decoding: vector.octets.span)
        #expect(command.octets == vector.octets)
        switch command {
        case .getNotificationAttributes(let command):
            #expect(vector.expect["command"]?.string == "get_notification_attributes")
            #expect(Int(command.notificationUID.rawValue) == vector.expect["uid"]?.integer)
            let expected = try #require(vector.expect["attributes"]?.array)
            #expect(command.attributes.map { Int($0.id.rawValue) } == expected.map(\.id))
            #expect(
                command.attributes.map { $0.maxLength.map(Int.init) }
                    == expected.map { $0["max_length"]?.integer })
        case .getAppAttributes(let command):
            #expect(vector.expect["command"]?.string == "get_app_attributes")
            #expect(command.appIdentifier.description == vector.expect["app_id"]?.string)
            let expected = try #require(vector.expect["attributes"]?.array)
            #expect(command.attributes.map { Int($0.rawValue) } == expected.map(\.id))
        case .performNotificationAction(let command):
            #expect(vector.expect["command"]?.string == "perform_notification_action")
            #expect(Int(command.notificationUID.rawValue) == vector.expect["uid"]?.integer)
            #expect(Int(command.actionID.rawValue) == vector.expect["action_id"]?.integer)
            #expect(command.actionID.description == vector.expect["action"]?.string)
        }
    }

    @Test(
        "an error code has the name that the specification gives it",
        arguments: Vector.ofKind("error"))
    func errors(_ vector: Vector) {
        let error = ControlPointError(rawValue: vector.octets[0])
        #expect(error.description == vector.expect["name"]?.string)
        #expect(
            error.isAuthorization == ["err_03", "err_05", "err_08", "err_0f"].contains(vector.name))
    }

    @Test("a cut command is refused with the place, and with 0xA1")
    func prefixes() throws {
        let commands = [
            "02010203040100", "0001020304010000", "01636f6d0000",
        ].compactMap(Hexadecimal.octets)
        for command in commands {
            for count in 0..<command.count {
                let prefix = Array(command[..<count])
                do {
                    _ = try ControlPointCommand(decoding: prefix.span)
                    // A list of attributes may end after any attribute.
                    #expect(count > 4)
                } catch {
                    #expect(error.error == .invalidCommand)
                    #expect(error.offset <= count)
                }
            }
        }
    }

    struct Malformed: Sendable, CustomTestStringConvertible {
        var hex: String
        var reason: ControlPointCommand.Rejection.Reason
        var offset: Int
        var error: ControlPointError
        var testDescription: String { hex }
    }

    static let malformed: [Malformed] = [
        Malformed(hex: "", reason: .empty, offset: 0, error: .invalidCommand),
        Malformed(
            hex: "03", reason: .unknownCommand(CommandID(rawValue: 3)), offset: 0,
            error: .unknownCommand),
        Malformed(
            hex: "ff00", reason: .unknownCommand(CommandID(rawValue: 255)), offset: 0,
            error: .unknownCommand),
        Malformed(hex: "00010203", reason: .truncated, offset: 4, error: .invalidCommand),
        Malformed(
            hex: "000102030401ff", reason: .missingMaximumLength(.title), offset: 7,
            error: .invalidCommand),
        Malformed(
            hex: "01636f6d", reason: .unterminatedAppIdentifier, offset: 4, error: .invalidCommand),
        Malformed(
            hex: "01ff0000", reason: .invalidAppIdentifier, offset: 1, error: .invalidCommand),
        Malformed(hex: "0201020304", reason: .truncated, offset: 5, error: .invalidCommand),
        Malformed(
            hex: "020102030401aabb", reason: .excess(count: 2), offset: 6, error: .invalidCommand),
    ]

    @Test("a malformed write is refused for its reason (R57, R58)", arguments: malformed)
    func refused(_ row: Malformed) throws {
        let octets = try #require(Hexadecimal.octets(row.hex))
        let rejection = #expect(throws: ControlPointCommand.Rejection.self) {
            try ControlPointCommand(decoding: octets.span)
        }
        #expect(rejection?.reason == row.reason)
        #expect(rejection?.offset == row.offset)
        #expect(rejection?.error == row.error)
    }

    @Test("well-formed answers are delivered, however unusual (S7, S8, S9)")
    func odd() throws {
        for hex in ["00ffffffff", "0001000000010000", "000100000020", "0200000000ff", "010000"] {
            let octets = try #require(Hexadecimal.octets(hex))
            #expect(try ControlPointCommand(decoding: octets.span).octets == octets)
        }
    }

    @Test("a malformed command cannot be made (R25, R35)")
    func usageErrors() {
        typealias UsageError = ControlPointCommand.UsageError
        #expect(throws: UsageError.invalidMaximumLength(.title)) {
            try NotificationAttributeRequest.title(maxLength: 0)
        }
        #expect(throws: UsageError.invalidMaximumLength(.message)) {
            try NotificationAttributeRequest(.message)
        }
        #expect(throws: UsageError.invalidMaximumLength(.date)) {
            try NotificationAttributeRequest(.date, maxLength: 15)
        }
        #expect(throws: UsageError.noAttributes) {
            try GetNotificationAttributes(notificationUID: .probe, attributes: [])
        }
        #expect(throws: UsageError.noAttributes) {
            try GetAppAttributes(appIdentifier: AppIdentifier("a"), attributes: [])
        }
        #expect(throws: UsageError.invalidAppIdentifier) { try AppIdentifier("") }
        #expect(throws: UsageError.invalidAppIdentifier) { try AppIdentifier("com\0") }
        #expect(throws: UsageError.invalidAppIdentifier) { try AppIdentifier(octets: [0xFF]) }
        #expect(throws: UsageError.tooLong(octets: 513)) {
            try AppIdentifier(String(repeating: "a", count: 510))
        }
        #expect(throws: UsageError.tooLong(octets: 5 + 3 * 170)) {
            try GetNotificationAttributes(
                notificationUID: .probe, attributes: Array(repeating: .title, count: 170))
        }
    }

    @Test("a command that can be made is read back as it was made")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            let command = try Self.randomCommand(&generator)
            let octets = command.octets
            #expect(octets.count == command.encodedCount)
            #expect(try ControlPointCommand(decoding: octets.span) == command)
        }
    }

    private static func randomCommand(
        _ generator: inout SeededGenerator
    ) throws -> ControlPointCommand {
        let uid = NotificationUID(rawValue: UInt32.random(in: 0...UInt32.max, using: &generator))
        switch Int.random(in: 0...2, using: &generator) {
        case 0:
            let count = Int.random(in: 1...20, using: &generator)
            let attributes = try (0..<count).map { _ in
                let raw = UInt8.random(in: 0...10, using: &generator)
                let id = NotificationAttributeID(rawValue: raw)
                let maximum = UInt16.random(in: 1...UInt16.max, using: &generator)
                return try NotificationAttributeRequest(
                    id, maxLength: id.takesMaximumLength ? maximum : nil)
            }
            return .getNotificationAttributes(
                try GetNotificationAttributes(notificationUID: uid, attributes: attributes))
        case 1:
            let count = Int.random(in: 1...60, using: &generator)
            let letters = (0..<count).map { _ in UInt8.random(in: 0x21...0x7E, using: &generator) }
            return .getAppAttributes(
                GetAppAttributes(displayNameOf: try AppIdentifier(octets: letters)))
        default:
            let action = ActionID(rawValue: UInt8.random(in: 0...255, using: &generator))
            return .performNotificationAction(
                PerformNotificationAction(notificationUID: uid, actionID: action))
        }
    }
}

extension JSONValue {
    fileprivate var id: Int? { self["id"]?.integer }
}
