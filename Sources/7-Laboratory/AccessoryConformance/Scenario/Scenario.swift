package import ANCSKit

/// The contents of a scenario file: what a phone does and what an accessory should do.
///
///     let result = try await Scenario(named: "conformance").run(at: .hci("hci-socket:0"))
///     print(result)
public struct Scenario: Sendable {
    /// The title shown in reports.
    public var title: String
    /// A description for users.
    public var summary = ""
    /// The time limit of the whole run; 600 seconds if the file says nothing.
    public var timeout: Duration = .seconds(600)
    /// The largest ATT_MTU that the phone accepts, in octets; `nil` uses the setting of the command line, as
    /// in the next two properties.
    package var mtu: Int?
    /// Whether the user consents when an accessory pairs (S1).
    package var hasConsent: Bool?
    /// When the phone pairs.
    package var pairing: ProviderConfiguration.Pairing?
    /// The apps listed in the file.
    package var apps: [App] = []
    /// The notifications that exist before an accessory connects.
    package var notifications: [NamedNotification] = []
    /// How the phone differs from a faithful one from the start.
    package var behavior = BehaviorChange()
    /// The accessories: one without a name, or those listed in the file.
    package var accessories: [Accessory] = [Accessory(name: "accessory")]
    /// By which requirements accessories are graded; a broken one fails the run.
    public package(set) var grading = Grading.nothing
    /// Whether a user or a test operates the accessory, so that it may perform actions.
    public internal(set) var allowsActions = false
    /// The steps, in order; repetitions are unrolled. At most 10,000.
    public internal(set) var steps: [ScenarioStep]

    /// Steps for some accessories on a phone of the usual settings.
    package init(
        title: String, accessories: [Accessory] = [Accessory(name: "accessory")],
        steps: [ScenarioStep]
    ) { (self.title, self.accessories, self.steps) = (title, accessories, steps) }

    /// What is graded.
    public enum Grading: Sendable {
        case nothing
        /// How an accessory advertises and keeps its link, whether it uses ANCS or not.
        case link
        /// That, and each ``Requirement``.
        case everything
    }

    /// Whether the use of ANCS is graded.
    var isGraded: Bool { grading == .everything }

    /// Whether its phone offers the Apple Media Service from the start: if a step is about media.
    var usesMedia: Bool { behavior.mediaQuirks != nil || steps.contains { $0.verb.usesMedia } }

    /// Whether each accessory is looked for by its name or address.
    var namesAccessories: Bool {
        !accessories.isEmpty && accessories.allSatisfy { $0.identification != .orderOfArrival }
    }

    /// Whether the phone measures the advertising of accessories before it connects: of those that are named.
    var isMeasured: Bool { grading == .link && namesAccessories }

    /// An app on the phone.
    package struct App: Equatable, Sendable {
        package var identifier: String
        /// The name; `nil` if the app is not installed (S23).
        package var displayName: String?
    }

    /// A peer of the phone.
    package struct Accessory: Equatable, Sendable {
        /// The name in steps and reports.
        package var name: String
        /// How the accessory is recognized when it connects.
        package var identification = Identification.orderOfArrival

        package init(name: String, identification: Identification = .orderOfArrival) {
            self.name = name
            self.identification = identification
        }
    }

    /// How an accessory is told apart from others.
    package enum Identification: Equatable, Sendable {
        /// The first accessory that no other entry matches.
        case orderOfArrival
        /// The name that it advertises.
        case advertisedName(String)
        /// Its address, as `F0:F1:F2:F3:F4:F5`.
        case address(String)
    }
}

extension Scenario {
    /// The names of the phone's apps, by identifier: the usual ones; those that notifications mention, named
    /// after the last part of their identifiers; and those that the file lists, which may also declare an app
    /// as not installed.
    package var installedApps: [String: String] {
        var apps = UsualApps.names
        let named =
            notifications.compactMap(\.content.app)
            + steps.compactMap { $0.verb.deed?.notificationApp }
        for identifier in named where apps[identifier] == nil {
            apps[identifier] = identifier.split(separator: ".").last.map(String.init) ?? identifier
        }
        for app in self.apps { apps[app.identifier] = app.displayName }
        return apps
    }
}

/// One step of a scenario.
public struct ScenarioStep: Sendable {
    /// The place of the step in the file, as `$.steps[3]`.
    public var path: String
    /// The note in the file.
    public var note: String?
    /// The index of the accessory concerned; `nil` for steps that concern only the phone.
    package var accessory: Int?
    /// The name of that accessory, if there are several.
    public var accessoryName: String?
    /// The time limit of the step.
    public var deadline: Duration = .seconds(30)
    /// Whether the run continues if the step fails.
    public var isOptional = false
    /// The round of a repetition, from 1.
    public var round: Int?
    /// What to do.
    package var verb: any PhoneVerb

    package init(
        path: String, note: String? = nil, accessory: Int? = nil, accessoryName: String? = nil,
        deadline: Duration = .seconds(30), isOptional: Bool = false, round: Int? = nil,
        verb: any PhoneVerb
    ) {
        (self.path, self.note, self.accessory) = (path, note, accessory)
        (self.accessoryName, self.deadline, self.isOptional) = (accessoryName, deadline, isOptional)
        (self.round, self.verb) = (round, verb)
    }
}

extension ScenarioStep {
    /// The duration of a step that waits for a fixed time.
    package var length: Duration? { verb.awaited?.length }

    /// The longest possible duration.
    var longest: Duration { length ?? deadline }
}

/// Descriptions of steps.
extension ScenarioStep {
    /// The step in one line, with the accessory if there are several, and with the note of the file, if any.
    public var title: String {
        (accessoryName.map { "\($0): " } ?? "") + verb.title + (note.map { " (\($0))" } ?? "")
    }

    /// What the step waits for an accessory's user to do; `nil` if it waits for nothing of the kind.
    public var awaitedAction: AwaitedAction? { verb.awaited?.action }
}
