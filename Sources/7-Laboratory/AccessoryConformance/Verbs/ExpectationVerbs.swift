internal import Kinds

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
                + "`disconnection`, `parameters`, `mediaCommand` or `mediaRead`",
            #"`{"media": C}`: a remote command, `play`, `nextTrack` and so on, or `any`; `{"registered": ATTRIBUTE}`: "#
                + "there is a registration for an attribute of the player, the queue or the track",
            #"`{"parameters": A}`: connection parameters are requested, after the phone's last step; A is "#
                + "`accepted`, `refused` or `any`",
            #"`{"bound": APP}`, `{"unbound": APP}`: an app on the phone is bound and its accessory "#
                + "connected (to the one that `accessory` names), or bound to none; "
                + #"`{"no": "binding", "app": APP, "for": S}`"#,
            #"`{"subscribed": CHARACTERISTIC}`, `{"unsubscribed": CHARACTERISTIC}`: "#
                + "`notificationSource`, `dataSource`, `serviceChanged`, `batteryLevel`, `currentTime`, "
                + "`remoteCommand`, `entityUpdate`",
            #"`{"read": VALUE}`: `batteryLevel`, `currentTime`, `localTimeInformation` or "#
                + "`referenceTimeInformation` is read, or an attribute of the media whole, after the phone's "
                + "last step about it",
        ]
        package static let shape = Expectation.shape.map(Self.init)
        package static let modifiers = [PromptModifier.accessory, .within]

        package var title: String { "expect \(expectation.text)" }

        package var need: ScenarioNeed {
            switch expectation {
            case .binding, .absence(of: .binding, _, _): .phone
            case .command, .action, .absence, .subscription, .read, .parameters, .remoteCommand,
                .registration, .mediaRead:
                .accessory
            }
        }

        package var course: ScenarioCourse { .wait(.expectation(expectation)) }

        package var usesMedia: Bool {
            switch expectation {
            case .remoteCommand, .registration, .mediaRead, .subscription(.remoteCommand, _),
                .subscription(.entityUpdate, _), .absence(of: .mediaCommand, _, _),
                .absence(of: .mediaRead, _, _):
                true
            case .command, .action, .absence, .subscription, .read, .parameters, .binding: false
            }
        }
    }

    struct Pause: PhoneVerb {
        /// `nil` for the player.
        package var duration: Duration?

        package static let name = "pause"
        package static let summary =
            "The run pauses for this many seconds; or, without a number, the player pauses."
        package static let manual = ["seconds, for which the run pauses; `true`: the player pauses"]
        package static let shape: Shape<Self> = {
            let seconds = Shape<Duration>.seconds
            return Shape<Self>(.oneOf([seconds.schema, .true_]).typed(.number)) {
                cursor, reader throws(DocumentError) in
                cursor.value == .boolean(true)
                    ? Self() : Self(duration: try seconds.read(cursor, &reader))
            }
        }()
        package static let placeholder = "[SECONDS]"
        package static let absent: JSONValue? = true

        package var title: String { duration.map { "pause for \($0.text)" } ?? player.title }
        package var need: ScenarioNeed { .phone }
        package var course: ScenarioCourse { duration.map { .wait(.time($0)) } ?? .perform(player) }
        package var usesMedia: Bool { duration == nil }
        private var player: PausePlayer { PausePlayer() }
    }
}
