internal import ANCS
package import ANCSKit

/// The contents of a scenario file: what a phone does and what an accessory should do.
package struct Scenario: Sendable {
    /// The title shown in reports.
    package var title: String
    /// A description for users.
    package var summary = ""
    /// The time limit of the whole run.
    package var timeout: Duration = .seconds(600)
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
    /// By which rules the accessory is graded; a broken one fails the run.
    package var grading = Grading.nothing
    /// Whether a user or a test operates the accessory, so that it may perform actions.
    var allowsActions = false
    /// The steps, in order; repetitions are unrolled.
    package var steps: [ScenarioStep]

    /// Steps for some accessories on a phone of the usual settings.
    package init(
        title: String, accessories: [Accessory] = [Accessory(name: "accessory")],
        steps: [ScenarioStep]
    ) {
        self.title = title
        self.accessories = accessories
        self.steps = steps
    }

    /// What is graded rule by rule.
    package enum Grading: Sendable {
        case nothing
        /// How it advertises and keeps its link, whether it uses ANCS or not.
        case link
        /// That, and how it uses ANCS.
        case everything
    }

    /// Whether the use of ANCS is graded.
    var isGraded: Bool { grading == .everything }

    /// An app on the phone.
    package struct App: Hashable, Sendable {
        package var identifier: String
        /// The name; `nil` if the app is not installed (S23).
        package var displayName: String?
    }

    /// A peer of the phone.
    package struct Accessory: Hashable, Sendable {
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
    package enum Identification: Hashable, Sendable {
        /// The first accessory that no other entry matches.
        case orderOfArrival
        /// The name that it advertises.
        case advertisedName(String)
        /// Its address, as `F0:F1:F2:F3:F4:F5`.
        case address(String)
    }
}

/// A notification with its name in the scenario.
package struct NamedNotification: Hashable, Sendable {
    /// The name in steps.
    package var name = ""
    /// Its content.
    package var content = NotificationContent()
}

/// A scenario's description of a notification; `nil` leaves a property unchanged.
package struct NotificationContent: Hashable, Sendable {
    package var app: String?
    package var category: CategoryID?
    package var title: String?
    package var subtitle: String?
    package var message: String?
    package var date: DateChoice?
    /// The label of the positive action; an empty one removes the action.
    package var positive: String?
    /// The label of the negative action; an empty one removes the action.
    package var negative: String?
    package var isSilent: Bool?
    package var isImportant: Bool?

    /// The date of a notification.
    package enum DateChoice: Hashable, Sendable {
        /// The time at which it is posted.
        case now
        /// No date (S12).
        case none
        /// This date, in the phone's time zone.
        case at(NotificationDate)
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
package struct ScenarioStep: Sendable {
    /// The place of the step in the file.
    package var path: String
    /// The note in the file.
    package var note: String?
    /// The index of the accessory concerned; `nil` for steps that concern only the phone.
    package var accessory: Int?
    /// The name of that accessory, if there are several.
    package var accessoryName: String?
    /// The time limit of the step.
    package var deadline: Duration = .seconds(30)
    /// Whether the run continues if the step fails.
    var isOptional = false
    /// The round of a repetition, from 1.
    package var round: Int?
    /// What to do.
    package var verb: any PhoneVerb

    package init(
        path: String, note: String? = nil, accessory: Int? = nil, accessoryName: String? = nil,
        deadline: Duration = .seconds(30), isOptional: Bool = false, round: Int? = nil,
        verb: any PhoneVerb
    ) {
        self.path = path
        self.note = note
        self.accessory = accessory
        self.accessoryName = accessoryName
        self.deadline = deadline
        self.isOptional = isOptional
        self.round = round
        self.verb = verb
    }
}

extension ScenarioStep {
    /// The duration of a step that waits for a fixed time.
    package var length: Duration? { verb.awaited?.length }

    /// The longest possible duration.
    var longest: Duration { length ?? deadline }
}

/// What a scenario can wait for. All except `command` and `action` are states, which may already hold.
package enum Milestone: String, CaseIterable, Hashable, Sendable {
    /// The accessory is connected.
    case connected
    /// The link is encrypted.
    case encrypted
    /// Keys were exchanged on this link.
    case paired
    /// Keys that both sides store were exchanged on this link, or earlier and are in use.
    case bonded
    /// The keys of an earlier pairing are in use.
    case restored
    /// The accessory is subscribed to the Notification Source: a session has begun (R49).
    case session
    /// The accessory is subscribed to the Notification Source and the Data Source.
    case subscribed
    /// A session has ended.
    case sessionEnded
    /// There is no link.
    case disconnected
    /// A command arrives that no step has counted yet.
    case command
    /// An action is performed that no step has counted yet.
    case action
}

/// What a scenario expects of an accessory.
package enum Expectation: Hashable, Sendable {
    /// A command arrives.
    case command(CommandPattern)
    /// An action is performed.
    case action(ActionID?, of: String?)
    /// Something does not happen for a time, optionally to a certain notification or app.
    case absence(of: Absence, about: String?, for: Duration)
    /// A characteristic is subscribed to, or is not.
    case subscription(SubscribedCharacteristic, Bool)
    /// A value of the phone's battery or clock is read.
    case read(PhoneAttribute)
    /// A request for connection parameters arrives, and gets this answer; `nil` for any.
    case parameters(ParameterAnswer?)
    /// An app of the phone is bound to a connected accessory, or to none.
    case binding(app: String, Bool)
}

/// What an accessory can be expected not to do.
package enum Absence: String, CaseIterable, Hashable, Sendable {
    case command, action, pairing, connection, disconnection
    /// It requests no connection parameters.
    case parameters
    /// An app of the phone does not bind.
    case binding
}

/// A characteristic to which an accessory can subscribe.
package enum SubscribedCharacteristic: String, CaseIterable, Hashable, Sendable {
    case notificationSource, dataSource, serviceChanged, batteryLevel, currentTime
}

/// A pattern that commands have to match.
package struct CommandPattern: Hashable, Sendable {
    /// The command; `nil` for any.
    package var command: CommandID?
    /// The notification that the command is about.
    package var notification: String?
    /// The app that the command is about.
    package var app: String?
    /// The attributes that the command must ask for; it may ask for more.
    package var attributes: [NotificationAttributeID] = []
    /// The required answer of the phone.
    package var outcome: Outcome?

    /// How a command was answered.
    package enum Outcome: Hashable, Sendable {
        /// With success.
        case success
        /// With an error.
        case refused(ControlPointError)
    }
}

/// A fault that occurs once or a few times.
package enum ScenarioFault: Hashable, Sendable {
    /// A fault in the next answers of the Control Point.
    case answer(AnswerFault)
    /// The phone forgets the accessory's subscriptions without indicating it (S27).
    case droppedSubscriptions([ProviderSession.Characteristic])
    /// A fault in the next answers to requests for connection parameters.
    case parameters(ParameterFault, count: Int)
}
