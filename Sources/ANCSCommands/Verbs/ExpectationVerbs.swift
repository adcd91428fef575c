extension PhoneVerbs {
    static let expectationVerbs: [any PhoneVerb.Type] = [Wait.self, Expect.self]
    static let timeVerbs: [any PhoneVerb.Type] = [Pause.self]

    struct Wait: PhoneVerb {
        var milestone: Milestone

        static let name = "wait"
        static let summary = "The run continues once this is true, or happens."
        static let manual = [
            "`connected`, `encrypted`, `paired` (on this link), `bonded` (both keep the keys, of this "
                + "pairing or an earlier one), `restored` (encrypted with the bond), `session` "
                + "(Notification Source subscribed), `subscribed` (Data Source too), `sessionEnded`, "
                + "`disconnected`; `command`, `action`. All but the last two are states, which may "
                + "already hold"
        ]
        static let shape = Shape<Milestone>.word("an event").named(
            "event",
            "What to wait for. All but command and action are states, which may already hold."
        ).map(Self.init)
        static let modifiers = [PromptModifier.accessory, .within]
        static let placeholder = "EVENT"

        var title: String { "wait until \(milestone.text)" }
        var need: ScenarioNeed { .accessory }
        var course: ScenarioCourse { .wait(.milestone(milestone)) }
    }

    struct Expect: PhoneVerb {
        var expectation: Expectation

        static let name = "expect"
        static let summary = "What the accessory must do, or must not do."
        static let manual = [
            #"`{"command": C, "of": NAME, "app": ID, "attributes": [...], "answer": A}`: C is "#
                + "`getNotificationAttributes`, `getAppAttributes`, `performNotificationAction` or "
                + "`any`; A is `success` or an error",
            #"`{"action": "positive"\|"negative"\|"any", "of": NAME}`"#,
            #"`{"no": X, "of": NAME, "for": S}`: X is `command`, `action`, `pairing`, `connection` or "#
                + "`disconnection`",
            #"`{"bound": APP}`, `{"unbound": APP}`: an app on the phone is bound and its accessory "#
                + "connected (to the one that `accessory` names), or bound to none; "
                + #"`{"no": "binding", "app": APP, "for": S}`"#,
            #"`{"subscribed": CHARACTERISTIC}`, `{"unsubscribed": CHARACTERISTIC}`: "#
                + "`notificationSource`, `dataSource`, `serviceChanged`, `batteryLevel`, `currentTime`",
            #"`{"read": VALUE}`: `batteryLevel`, `currentTime`, `localTimeInformation` or "#
                + "`referenceTimeInformation` is read, after the phone's last step about it",
        ]
        static let shape = Expectation.shape.map(Self.init)
        static let modifiers = [PromptModifier.accessory, .within]

        var title: String { "expect \(expectation.text)" }

        var need: ScenarioNeed {
            switch expectation {
            case .binding, .absence(of: .binding, _, _): .phone
            case .command, .action, .absence, .subscription, .read: .accessory
            }
        }

        var course: ScenarioCourse { .wait(.expectation(expectation)) }
    }

    struct Pause: PhoneVerb {
        var duration: Duration

        static let name = "pause"
        static let summary = "The run pauses for this many seconds."
        static let manual = ["seconds"]
        static let shape = Shape<Duration>.seconds.map(Self.init)
        static let placeholder = "SECONDS"

        var title: String { "pause for \(duration.text)" }
        var need: ScenarioNeed { .phone }
        var course: ScenarioCourse { .wait(.time(duration)) }
    }
}
