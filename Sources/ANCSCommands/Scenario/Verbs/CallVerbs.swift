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
}

/// The end of a ringing call, which leaves another notification behind.
protocol EndOfCall: ScenarioDeed {
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

    var notification: String? { call }
    var posted: String? { call + Self.remainder }

    func perform(
        on phone: ScenarioPhone, at accessory: AccessoryID?
    ) async throws(ScenarioObstacle) -> NotificationID? {
        let id = try phone.id(of: call)
        return try await phone.attempt { try await end(id, at: $0) }
    }
}
