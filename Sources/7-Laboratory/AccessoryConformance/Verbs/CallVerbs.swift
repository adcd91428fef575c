internal import Kinds
package import ANCSKit

extension PhoneVerbs {
    static let callVerbs: [any PhoneVerb.Type] = [
        Ring.self, Answer.self, Decline.self, StopRinging.self, HangUp.self,
    ]

    struct Ring: PhoneDeed {
        package var call: NamedNotification

        package static let name = "ring"
        package static let shape = NamedNotification.callShape.map(Self.init)
        package static let aliases = ["call"]
        package static let operands = ["from", "line"]

        package var title: String { "ring \"\(call.name)\"" }
        package var notifications: [String] { [call.name] }
        package var posted: String? { call.name }

        package func perform(
            on phone: OperatedPhone, at accessory: AccessoryID?
        ) async throws(PhoneObstacle) -> NotificationID? {
            try await phone.attempt { try await $0.ring(call.content.call) }
        }
    }

    package struct Answer: EndOfCall {
        package var call: String

        package static let name = "answer"
        static let remainder = ".active"

        package var title: String { "answer \"\(call)\" on the phone" }

        package func end(
            _ id: NotificationID, at phone: NotificationProvider
        ) async throws(StoreError) -> NotificationID { try await phone.answer(id) }
    }

    struct Decline: EndOfCall {
        package var call: String

        package static let name = "decline"
        static let remainder = ".missed"

        package var title: String { "decline \"\(call)\" on the phone" }

        package func end(
            _ id: NotificationID, at phone: NotificationProvider
        ) async throws(StoreError) -> NotificationID { try await phone.decline(id) }
    }

    struct StopRinging: EndOfCall {
        package var call: String

        package static let name = "stopRinging"
        package static let aliases = ["stop"]
        static let remainder = ".missed"

        package var title: String { "\"\(call)\" stops ringing" }

        package func end(
            _ id: NotificationID, at phone: NotificationProvider
        ) async throws(StoreError) -> NotificationID { try await phone.stopRinging(id) }
    }

    struct HangUp: PlainDeed {
        package var call: String

        package static let name = "hangUp"
        package static let shape = Shape<String>.reference.typed(.known(.activeCalls)).map(
            Self.init)
        package static let placeholder = "[N]"
        package static let absent: JSONValue? = ""

        package var title: String { "hang up \"\(call)\"" }
        package var notifications: [String] { [call] }

        package func perform(on phone: OperatedPhone) async throws(PhoneObstacle) {
            let id = try await phone.call(call, among: await phone.provider.activeCalls)
            try await phone.attempt { try await $0.hangUp(id) }
        }
    }
}

extension ActionID {
    /// The suffix of the name of what a ringing call leaves behind when an accessory performs this on it.
    var remainder: String {
        self == .positive ? PhoneVerbs.Answer.remainder : PhoneVerbs.Decline.remainder
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
    func end(_ id: NotificationID, at phone: NotificationProvider) async throws(StoreError)
        -> NotificationID
}

extension EndOfCall {
    package static var manual: [String] {
        ["the NAME of a ringing call, which becomes `NAME\(remainder)`"]
    }
    package static var shape: Shape<Self> {
        Shape<String>.endedCall(becoming: remainder).map { Self(call: $0) }
    }
    package static var placeholder: String { "[N]" }
    /// The newest ringing call.
    package static var absent: JSONValue? { "" }

    package var notifications: [String] { [call] }
    package var posted: String? { call + Self.remainder }

    package func perform(
        on phone: OperatedPhone, at accessory: AccessoryID?
    ) async throws(PhoneObstacle) -> NotificationID? {
        let id = try await phone.call(call, among: await phone.provider.ringingCalls)
        return try await phone.attempt { try await end(id, at: $0) }
    }
}
