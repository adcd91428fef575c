internal import ANCS
internal import ANCSKit

extension ScenarioVerbs {
    static let callVerbs: [any ScenarioVerb.Type] = [
        Ring.self, Answer.self, Decline.self, StopRinging.self,
    ]

    struct Ring: ScenarioDeed {
        var call: NamedNotification

        static let name = "ring"
        static let summary = "A call comes in."
        static let manual = [#"`{"as": NAME, "from": CALLER, "line": LINE}`"#]
        static let shape = NamedNotification.callShape.map(Self.init)

        var title: String { "ring \"\(call.name)\"" }
        var notification: String? { call.name }
        var posted: String? { call.name }

        func perform(
            on phone: ScenarioPhone, at accessory: AccessoryID?
        ) async throws(ScenarioObstacle) -> NotificationID? {
            try await phone.attempt { try await $0.ring(call.content.call) }
        }
    }

    struct Answer: ScenarioDeed {
        var call: String

        static let name = "answer"
        static let summary =
            "The user answers a ringing call on the phone. What is left is an active call named as the "
            + "call with .active behind it."
        static let manual = ["the NAME of a call. What is left is called `NAME.active`"]
        static let shape = Shape<String>.endedCall(becoming: ".active").map(Self.init)

        var title: String { "answer \"\(call)\" on the phone" }
        var notification: String? { call }
        var posted: String? { call + ".active" }

        func perform(
            on phone: ScenarioPhone, at accessory: AccessoryID?
        ) async throws(ScenarioObstacle) -> NotificationID? {
            let id = try phone.id(of: call)
            return try await phone.attempt { try await $0.answer(id) }
        }
    }

    struct Decline: ScenarioDeed {
        var call: String

        static let name = "decline"
        static let summary =
            "The user declines a ringing call on the phone. What is left is a missed call named as the "
            + "call with .missed behind it."
        static let manual = ["the NAME of a call. What is left is called `NAME.missed`"]
        static let shape = Shape<String>.endedCall(becoming: ".missed").map(Self.init)

        var title: String { "decline \"\(call)\" on the phone" }
        var notification: String? { call }
        var posted: String? { call + ".missed" }

        func perform(
            on phone: ScenarioPhone, at accessory: AccessoryID?
        ) async throws(ScenarioObstacle) -> NotificationID? {
            let id = try phone.id(of: call)
            return try await phone.attempt { try await $0.decline(id) }
        }
    }

    struct StopRinging: ScenarioDeed {
        var call: String

        static let name = "stopRinging"
        static let summary =
            "The caller gives up. What is left is a missed call named as the call with .missed behind "
            + "it."
        static let manual = ["the NAME of a call. What is left is called `NAME.missed`"]
        static let shape = Shape<String>.endedCall(becoming: ".missed").map(Self.init)

        var title: String { "\"\(call)\" stops ringing" }
        var notification: String? { call }
        var posted: String? { call + ".missed" }

        func perform(
            on phone: ScenarioPhone, at accessory: AccessoryID?
        ) async throws(ScenarioObstacle) -> NotificationID? {
            let id = try phone.id(of: call)
            return try await phone.attempt { try await $0.stopRinging(id) }
        }
    }
}
