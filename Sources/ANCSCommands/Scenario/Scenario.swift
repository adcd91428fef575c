internal import ANCS
internal import ANCSKit

/// What a phone does and what an accessory should do: the model of a scenario file.
struct Scenario: Sendable {
    /// What the reports call it.
    var title: String
    /// What it is about, for people.
    var summary = ""
    /// The whole run takes no longer.
    var timeout: Duration = .seconds(600)
    /// The largest ATT_MTU that the phone agrees to, in octets; `nil` for what the command line says, as
    /// in the next two.
    var mtu: Int?
    /// Whether the user consents when an accessory pairs (S1).
    var hasConsent: Bool?
    /// When the phone pairs.
    var pairing: ProviderConfiguration.Pairing?
    /// The apps that the file names.
    var apps: [App] = []
    /// What the phone shows before anybody connects.
    var notifications: [NamedNotification] = []
    /// How the phone differs from the faithful one from the start.
    var behavior = BehaviorChange()
    /// Who takes part: one accessory without a name, or those that the file names.
    var accessories: [Accessory] = [Accessory(name: "accessory")]
    /// Whether the accessory is graded rule by rule, and a broken rule fails the run.
    var isGraded = false
    /// Whether anybody acts on the accessory's side, so that it may perform actions.
    var allowsActions = false
    /// What happens, in order; repetitions are written out.
    var steps: [ScenarioStep]

    /// An app on the phone.
    struct App: Hashable, Sendable {
        var identifier: String
        /// `nil` for an app that is not installed (S23).
        var displayName: String?
    }

    /// A peer of the phone.
    struct Accessory: Hashable, Sendable {
        /// What steps and reports call it.
        var name: String
        /// How it is known when it comes.
        var identification = Identification.orderOfArrival
    }

    /// How an accessory is told from others.
    enum Identification: Hashable, Sendable {
        /// The first one that no other entry means.
        case orderOfArrival
        /// The name that it advertises.
        case advertisedName(String)
        /// Its address, as `F0:F1:F2:F3:F4:F5`.
        case address(String)
    }
}

/// A notification of a scenario.
struct NamedNotification: Hashable, Sendable {
    /// What steps call it.
    var name = ""
    /// Its content.
    var content = NotificationContent()
}

/// What a scenario says about a notification; `nil` leaves it as it is.
struct NotificationContent: Hashable, Sendable {
    var app: String?
    var category: CategoryID?
    var title: String?
    var subtitle: String?
    var message: String?
    var date: DateChoice?
    /// The label of the positive action; an empty one takes the action away.
    var positive: String?
    /// The label of the negative action; an empty one takes the action away.
    var negative: String?
    var isSilent: Bool?
    var isImportant: Bool?

    /// When a notification is from.
    enum DateChoice: Hashable, Sendable {
        /// When it is posted.
        case now
        /// There is no date (S12).
        case none
        /// This date, in the phone's time.
        case at(NotificationDate)
    }
}

/// One step of a scenario.
struct ScenarioStep: Sendable {
    /// Where it stands in the file.
    var path: String
    /// What the file says about it.
    var note: String?
    /// Which accessory it is about, as an index; `nil` for steps that concern the phone.
    var accessory: Int?
    /// What the scenario calls that accessory, where there are several.
    var accessoryName: String?
    /// How long it may take.
    var deadline: Duration = .seconds(30)
    /// Whether the run goes on if it fails.
    var isOptional = false
    /// Which round of a repetition it is, from 1.
    var round: Int?
    /// What is to be done.
    var verb: any ScenarioVerb
}

extension ScenarioStep {
    /// How long it takes, where that is what it is about.
    var length: Duration? { verb.awaited?.length }

    /// How long it takes at most.
    var longest: Duration { length ?? deadline }
}

/// What a scenario can wait for. All but `command` and `action` are states: they may be there already.
enum Milestone: String, CaseIterable, Hashable, Sendable {
    /// The link stands.
    case connected
    /// The link is encrypted.
    case encrypted
    /// Keys were exchanged on this link.
    case paired
    /// Keys that both keep were exchanged on this link, or earlier and are in use.
    case bonded
    /// The keys of an earlier pairing are in use.
    case restored
    /// The accessory listens to the Notification Source: the session began (R49).
    case session
    /// The accessory listens to the Notification Source and to the Data Source.
    case subscribed
    /// A session is over.
    case sessionEnded
    /// There is no link.
    case disconnected
    /// A command that no step has counted yet.
    case command
    /// An action that no step has counted yet.
    case action
}

/// What a scenario expects of an accessory.
enum Expectation: Hashable, Sendable {
    /// A command comes.
    case command(CommandPattern)
    /// An action is performed.
    case action(ActionID?, of: String?)
    /// Something does not happen for so long, to a notification or an app where one is named.
    case absence(of: Absence, about: String?, for: Duration)
    /// A characteristic is subscribed, or is not.
    case subscription(SubscribedCharacteristic, Bool)
    /// A value of the phone's battery or clock is read.
    case read(PhoneAttribute)
    /// An app of the phone is bound to an accessory that is connected, or is bound to none.
    case binding(app: String, Bool)
}

/// What an accessory can be expected not to do.
enum Absence: String, CaseIterable, Hashable, Sendable {
    case command, action, pairing, connection, disconnection
    /// What an app of the phone does not do.
    case binding
}

/// A characteristic that an accessory subscribes.
enum SubscribedCharacteristic: String, CaseIterable, Hashable, Sendable {
    case notificationSource, dataSource, serviceChanged, batteryLevel, currentTime
}

/// Which commands count.
struct CommandPattern: Hashable, Sendable {
    /// `nil` for any command.
    var command: CommandID?
    /// The notification that it is about.
    var notification: String?
    /// The app that it is about.
    var app: String?
    /// The attributes that it must ask for; it may ask for more.
    var attributes: [NotificationAttributeID] = []
    /// How the phone must have answered.
    var outcome: Outcome?

    /// How a command was answered.
    enum Outcome: Hashable, Sendable {
        /// With success.
        case success
        /// With an error.
        case refused(ControlPointError)
    }
}

/// What goes wrong once, or a few times.
enum ScenarioFault: Hashable, Sendable {
    /// With the next answers of the Control Point.
    case answer(AnswerFault)
    /// The phone forgets what the accessory has subscribed, and does not say so (S27).
    case droppedSubscriptions([ProviderSession.Characteristic])
}
