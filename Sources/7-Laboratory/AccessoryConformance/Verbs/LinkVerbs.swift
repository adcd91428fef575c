internal import Kinds
package import ANCSKit

extension PhoneVerbs {
    static let linkVerbs: [any PhoneVerb.Type] = [
        Consent.self, ChangeParameters.self, Disconnect.self,
        DiscoverServices.self, Pair.self, Fade.self, ForgetBond.self, Restart.self,
    ]

    struct ChangeParameters: AccessoryDeed {
        /// In milliseconds.
        package var interval = 30
        package var latency = 0
        /// In milliseconds.
        package var timeout = 720

        package static let name = "changeParameters"
        package static var shape: Shape<Self> {
            let any = Shape<Self>.trueOrObject(
                [
                    Field("interval", .integer(in: 8...4000), replacing: \.interval, default: 30),
                    Field("latency", .integer(in: 0...499), replacing: \.latency, default: 0),
                    Field(
                        "timeout", .integer(in: 100...32_000), replacing: \.timeout, default: 720),
                ], from: Self())
            return Shape<Self>(any.schema) { cursor, reader throws(DocumentError) in
                let change = try any.read(cursor, &reader)
                // Core Vol 4, Part E, 7.8.18.
                guard change.timeout > 2 * (change.latency + 1) * change.interval else {
                    throw cursor.error(
                        expected: "a timeout longer than 2 × interval × (latency + 1)")
                }
                return change
            }
        }

        package static var operands: [String] { [] }

        package var title: String {
            "change the link to \(interval) ms, latency \(latency), timeout \(timeout) ms"
        }
        package var need: ScenarioNeed { .link }

        package func perform(on phone: OperatedPhone, at accessory: AccessoryID) async {
            await phone.provider.changeParameters(
                LinkParameters(
                    interval: .milliseconds(interval), latency: latency,
                    supervisionTimeout: .milliseconds(timeout)), of: accessory)
        }
    }

    struct Consent: AccessoryDeed {
        var isGiven: Bool

        package static let name = "consent"
        package static let shape = Shape<Bool>.boolean.map(Self.init)
        package static let placeholder = "on|off"

        package var title: String { "\(isGiven ? "give" : "withdraw") consent" }
        var effects: [ScenarioEffect] { [.consent(isGiven)] }

        package func perform(on phone: OperatedPhone, at accessory: AccessoryID) async {
            await phone.provider.setConsent(isGiven, for: accessory)
        }
    }

    struct Disconnect: AccessoryDeed {
        var isLost = false

        package static let name = "disconnect"
        package static let shape = Shape<Self>.trueOrObject(
            [Field("lost", .boolean, replacing: \.isLost, default: false)], from: Self())

        package var title: String { isLost ? "lose the link" : "disconnect" }
        package var need: ScenarioNeed { .link }
        package var result: ScenarioCondition? { .linkEnded }
        var effects: [ScenarioEffect] { [.linkEnd()] }

        package func perform(on phone: OperatedPhone, at accessory: AccessoryID) async {
            guard isLost, await phone.provider.loseLink(to: accessory) else {
                return await phone.provider.disconnect(accessory)
            }
        }
    }

    package struct Pair: AccessoryDeed {
        package static let name = "pair"
        package static let shape = Shape<Self>.plain(Self())

        package var title: String { "pair" }
        package var need: ScenarioNeed { .link }
        package var effects: [ScenarioEffect] { [.pairing] }

        package func perform(on phone: OperatedPhone, at accessory: AccessoryID) async {
            await phone.provider.pair(accessory)
        }
    }

    struct Fade: PhoneDeed {
        /// What does not get through.
        enum Reach: String, CaseIterable {
            case link
            case all
        }

        package var length = Duration.zero
        var reach = Reach.link

        package static let name = "fade"
        package static let shape = Shape<Self>.object(
            "a fade",
            [
                Field("for", .seconds, replacing: \.length, required: "a number of seconds"),
                Field("on", .word("link or all"), replacing: \.reach, default: "link"),
            ], from: Self())
        package static let operands = ["for"]
        package static let modifiers = [PromptModifier.accessory]

        package var title: String {
            "nothing is heard \(reach == .all ? "on air" : "on the link") for \(length.text)"
        }
        package var need: ScenarioNeed { reach == .all ? .phone : .link }
        var effects: [ScenarioEffect] { [.linkEnd(deafFor: length)] }

        package func perform(
            on phone: OperatedPhone, at accessory: AccessoryID?
        ) async throws(PhoneObstacle) -> NotificationID? {
            let target = reach == .all ? nil : accessory
            guard await phone.provider.fade(target, for: length) else {
                throw PhoneObstacle(
                    reason: "only a controller of `ancs controllers` can let a link fade")
            }
            return nil
        }
    }

    struct ForgetBond: AccessoryDeed {
        package static let name = "forgetBond"
        package static let aliases = ["forget"]
        package static let shape = Shape<Self>.plain(Self())

        package var title: String { "forget the bond" }
        package var need: ScenarioNeed { .bond }
        package var result: ScenarioCondition? { .linkEnded }
        var effects: [ScenarioEffect] { [.linkEnd(), .bondForgotten] }

        package func perform(on phone: OperatedPhone, at accessory: AccessoryID) async {
            await phone.provider.forget(accessory)
        }
    }

    struct Restart: PlainDeed {
        package static let name = "restart"
        package static let shape = Shape<Self>.trueOrObject([], from: Self())

        package var title: String { "restart the phone" }
        package var result: ScenarioCondition? { .restarted }
        var effects: [ScenarioEffect] { [.linkEnd()] }

        package func perform(on phone: OperatedPhone) async throws(PhoneObstacle) {
            await phone.provider.restart()
            try await phone.attempt { [apps = phone.apps] _ in try await apps.relaunch() }
        }
    }

    // MARK: Version 0.1

    /// Verbs of version 0.1 that have successors.
    package static let former: [any PhoneVerb.Type] = [ParameterRequests.self]

    /// `inject` with `parameters`, or `clearFaults`.
    struct ParameterRequests: PlainDeed {
        /// `nil` to answer as the phone usually does.
        var fault: ParameterFault?

        package static let name = "parameterRequests"
        package static let summary =
            "How requests for connection parameters are answered, in version 0.1."
        package static let manual: [String] = []
        package static let shape = Shape<ParameterFault?>.word(
            of: [("accept", nil)] + ParameterFault.allCases.map { ($0.rawValue, $0) }, "an answer"
        ).map(Self.init)

        package var title: String { "parameter requests: \(fault?.rawValue ?? "accept")" }
        var effects: [ScenarioEffect] { fault.map { [.fault(.parameters($0, count: .max))] } ?? [] }

        package func perform(on phone: OperatedPhone) async {
            await phone.provider.clearParameterFaults()
            if let fault { await phone.provider.inject(fault, count: .max) }
        }
    }
}
