internal import Printing

extension PhoneVerbs {
    static let expectationVerbs: [any PhoneVerb.Type] = [Wait.self, Expect.self]
    static let timeVerbs: [any PhoneVerb.Type] = [Pause.self]

    struct Wait: PhoneVerb {
        package var milestone: Milestone

        package static let name = "wait"
        package static let summary = "The run continues once this is true, or happens."
        package static let manual = [
            "`connected`, `encrypted`, `paired` (on this link), `bonded` (both keep the keys, of this "
                + "pairing or an earlier one), `restored` (encrypted with the bond), `session` "
                + "(Notification Source subscribed), `subscribed` (Data Source too), `sessionEnded`, "
                + "`disconnected`; `command`, `action`. All but the last two are states, which may "
                + "already hold"
        ]
        package static let shape = Shape<Milestone>.word("an event").named(
            "event",
            "What to wait for. All but command and action are states, which may already hold."
        ).map(Self.init)
        package static let modifiers = [PromptModifier.accessory, .within]
        package static let placeholder = "EVENT"

        package var title: String { "wait until \(milestone.text)" }
        package var need: ScenarioNeed { .accessory }
        package var course: ScenarioCourse { .wait(.milestone(milestone)) }
    }

    struct Expect: PhoneVerb {
        package var expectation: Expectation

        package static let name = "expect"
        package static let summary = "What the accessory must do, or must not do."
        package static let manual = [
            #"`{"command": C, "of": NAME, "app": ID, "attributes": [...], "answer": A}`: C is "#
                + "`getNotificationAttributes`, `getAppAttributes`, `performNotificationAction` or "
                + "`any`; A is `success` or an error",
            #"`{"action": "positive"\|"negative"\|"any", "of": NAME}`"#,
            #"`{"no": X, "of": NAME, "for": S}`: X is `command`, `action`, `pairing`, `connection`, "#
                + "`disconnection` or `parameters`",
            #"`{"parameters": A}`: connection parameters are requested, after the phone's last step; A is "#
                + "`accepted`, `refused` or `any`",
            #"`{"bound": APP}`, `{"unbound": APP}`: an app on the phone is bound and its accessory "#
                + "connected (to the one that `accessory` names), or bound to none; "
                + #"`{"no": "binding", "app": APP, "for": S}`"#,
            #"`{"subscribed": CHARACTERISTIC}`, `{"unsubscribed": CHARACTERISTIC}`: "#
                + "`notificationSource`, `dataSource`, `serviceChanged`, `batteryLevel`, `currentTime`",
            #"`{"read": VALUE}`: `batteryLevel`, `currentTime`, `localTimeInformation` or "#
                + "`referenceTimeInformation` is read, after the phone's last step about it",
        ]
        package static let shape = Expectation.shape.map(Self.init)
        package static let modifiers = [PromptModifier.accessory, .within]

        package var title: String { "expect \(expectation.text)" }

        package var need: ScenarioNeed {
            switch expectation {
            case .binding, .absence(of: .binding, _, _): .phone
            case .command, .action, .absence, .subscription, .read, .parameters: .accessory
            }
        }

        package var course: ScenarioCourse { .wait(.expectation(expectation)) }
    }

    struct Pause: PhoneVerb {
        package var duration: Duration

        package static let name = "pause"
        package static let summary = "The run pauses for this many seconds."
        package static let manual = ["seconds"]
        package static let shape = Shape<Duration>.seconds.map(Self.init)
        package static let placeholder = "SECONDS"

        package var title: String { "pause for \(duration.text)" }
        package var need: ScenarioNeed { .phone }
        package var course: ScenarioCourse { .wait(.time(duration)) }
    }
}
