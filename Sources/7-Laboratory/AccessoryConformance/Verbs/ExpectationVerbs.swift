internal import Kinds

extension PhoneVerbs {
    static let expectationVerbs: [any PhoneVerb.Type] = [Wait.self, Expect.self]
    static let timeVerbs: [any PhoneVerb.Type] = [Pause.self]

    struct Wait: PhoneVerb {
        package var milestone: Milestone

        package static let name = "wait"
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
