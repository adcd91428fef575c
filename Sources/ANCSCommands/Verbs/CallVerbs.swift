internal import ANCS
internal import ANCSKit
internal import JSONText

extension PhoneVerbs {
    static let callVerbs: [any PhoneVerb.Type] = [
        Ring.self, Answer.self, Decline.self, StopRinging.self, HangUp.self,
    ]

    struct Ring: PhoneDeed {
        var call: NamedNotification

        static let name = "ring"
        static let summary = "A call comes in."
        static let manual = [#"`{"as": NAME, "from": CALLER, "line": LINE}`"#]
        static let shape = NamedNotification.callShape.map(Self.init)
        static let aliases = ["call"]
        static let operands = ["from", "line"]

        var title: String { "ring \"\(call.name)\"" }
        var notifications: [String] { [call.name] }
        var posted: String? { call.name }

        func perform(
            on phone: OperatedPhone, at accessory: AccessoryID?
        ) async throws(PhoneObstacle) -> NotificationID? {
            try await phone.attempt { try await $0.ring(call.content.call) }
        }
    }

    struct Answer: EndOfCall {
        var call: String

        static let name = "answer"
        static let summary =
            "The user answers a ringing call on the phone. It becomes an active call, whose name is that "
            + "of the call with .active appended."
        static let remainder = ".active"

        var title: String { "answer \"\(call)\" on the phone" }

        func end(
            _ id: NotificationID, at phone: NotificationProvider
        ) async throws(StoreError) -> NotificationID {
            try await phone.answer(id)
        }
    }

    struct Decline: EndOfCall {
        var call: String

        static let name = "decline"
        static let summary =
            "The user declines a ringing call on the phone. It becomes a missed call, whose name is that "
            + "of the call with .missed appended."
        static let remainder = ".missed"

        var title: String { "decline \"\(call)\" on the phone" }

        func end(
            _ id: NotificationID, at phone: NotificationProvider
        ) async throws(StoreError) -> NotificationID {
            try await phone.decline(id)
        }
    }

    struct StopRinging: EndOfCall {
        var call: String

        static let name = "stopRinging"
        static let aliases = ["stop"]
        static let summary =
            "The caller hangs up. It becomes a missed call, whose name is that of the call with .missed "
            + "appended."
        static let remainder = ".missed"

        var title: String { "\"\(call)\" stops ringing" }

        func end(
            _ id: NotificationID, at phone: NotificationProvider
        ) async throws(StoreError) -> NotificationID {
            try await phone.stopRinging(id)
        }
    }

    struct HangUp: PlainDeed {
        var call: String

        static let name = "hangUp"
        static let summary = "The user ends an active call."
        static let manual = ["the NAME of an active call, such as `call.active`"]
        static let shape = Shape<String>.reference.typed(.known(.activeCalls)).map(Self.init)
        static let placeholder = "[N]"
        static let absent: JSONValue? = ""

        var title: String { "hang up \"\(call)\"" }
        var notifications: [String] { [call] }

        func perform(on phone: OperatedPhone) async throws(PhoneObstacle) {
            let id = try await phone.call(call, among: await phone.provider.activeCalls)
            try await phone.attempt { try await $0.hangUp(id) }
        }
    }
}

/// The end of a ringing call, which leaves another notification behind.
protocol EndOfCall: PhoneDeed {
    /// The suffix that is added to the name of the call to name the remaining notification.
    static var remainder: String { get }

    /// The name of the call.
    var call: String { get }

    init(call: String)

    /// Ends the call. Returns the remaining notification.
    func end(
        _ id: NotificationID, at phone: NotificationProvider
    ) async throws(StoreError) -> NotificationID
}

extension EndOfCall {
    static var manual: [String] {
        ["the NAME of a ringing call, which becomes `NAME\(remainder)`"]
    }
    static var shape: Shape<Self> {
        Shape<String>.endedCall(becoming: remainder).map { Self(call: $0) }
    }
    static var placeholder: String { "[N]" }
    /// The newest ringing call.
    static var absent: JSONValue? { "" }

    var notifications: [String] { [call] }
    var posted: String? { call + Self.remainder }

    func perform(
        on phone: OperatedPhone, at accessory: AccessoryID?
    ) async throws(PhoneObstacle) -> NotificationID? {
        let id = try await phone.call(call, among: await phone.provider.ringingCalls)
        return try await phone.attempt { try await end(id, at: $0) }
    }
}
