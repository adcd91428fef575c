internal import ANCS
internal import ANCSKit

/// A verb of a scenario, with its syntax, documentation and action. To add one, declare it in a file of this
/// folder and list it in that file's table.
protocol ScenarioVerb: Hashable, Sendable {
    /// The name of the verb in the file.
    static var name: String { get }
    /// A description, for the JSON Schema.
    static var summary: String { get }
    /// A description of its value for the manual, a line each.
    static var manual: [String] { get }
    /// The form of its value.
    static var shape: Shape<Self> { get }

    /// The verb and what it takes, in words.
    var title: String { get }
    /// What the step requires.
    var need: ScenarioNeed { get }
    /// How the step is carried out.
    var course: ScenarioCourse { get }
}

/// What a step requires, from least to most.
enum ScenarioNeed: Sendable {
    /// Only the phone.
    case phone
    /// An accessory that has been connected before.
    case accessory
    /// A connected accessory.
    case link
    /// A bonded accessory.
    case bond
}

/// How a step is carried out.
enum ScenarioCourse {
    /// The run waits for a condition.
    case wait(ScenarioCondition)
    /// The phone does something.
    case perform(any ScenarioDeed)
}

/// A verb for an action of the phone.
protocol ScenarioDeed: ScenarioVerb {
    /// The condition that ends the step; `nil` if it ends at once.
    var result: ScenarioCondition? { get }
    /// The notification that the action changes.
    var notification: String? { get }
    /// The app that the action's notification names.
    var notificationApp: String? { get }
    /// The name of the notification that the action creates.
    var posted: String? { get }
    /// The effects on the grading of accessories.
    var effects: [ScenarioEffect] { get }

    /// Carries out the action. Returns the notification named by ``posted``.
    func perform(
        on phone: ScenarioPhone, at accessory: AccessoryID?
    ) async throws(ScenarioObstacle) -> NotificationID?
}

extension ScenarioDeed {
    var need: ScenarioNeed { .phone }
    var course: ScenarioCourse { .perform(self) }
    var result: ScenarioCondition? { nil }
    var notification: String? { nil }
    var notificationApp: String? { nil }
    var posted: String? { nil }
    var effects: [ScenarioEffect] { [] }
}

/// A verb for an action of the phone that concerns one accessory.
protocol AccessoryDeed: ScenarioDeed {
    func perform(on phone: ScenarioPhone, at accessory: AccessoryID) async
}

extension AccessoryDeed {
    var need: ScenarioNeed { .accessory }

    func perform(
        on phone: ScenarioPhone, at accessory: AccessoryID?
    ) async throws(ScenarioObstacle) -> NotificationID? {
        if let accessory { await perform(on: phone, at: accessory) }
        return nil
    }
}

/// The effect of an action on the grading of accessories.
enum ScenarioEffect: Sendable {
    /// A deliberate fault.
    case fault(ScenarioFault)
    case behavior(BehaviorChange)
    case consent(Bool)
    /// The phone ends links.
    case linkEnd
    case bondForgotten
    case published(isAnnounced: Bool)
    case unpublished
}

extension ScenarioVerb {
    /// Reads the value of the verb.
    static func read(
        _ cursor: DocumentCursor, _ reader: inout StepReader
    ) throws(DocumentError) -> any ScenarioVerb {
        try shape.read(cursor, &reader)
    }

    /// The verb in the JSON Schema.
    static var schema: SchemaFragment { shape.schema.described(summary) }

    /// The condition that the step waits for, unless the phone does something.
    var awaited: ScenarioCondition? {
        switch course {
        case .wait(let condition): condition
        case .perform: nil
        }
    }

    /// The action of the phone, if it is one.
    var deed: (any ScenarioDeed)? {
        switch course {
        case .wait: nil
        case .perform(let deed): deed
        }
    }
}

/// All verbs of scenarios.
enum ScenarioVerbs {
    /// In the order of the manual.
    static let all: [any ScenarioVerb.Type] =
        expectationVerbs + notificationVerbs + callVerbs + behaviorVerbs + linkVerbs + bindingVerbs
        + serviceVerbs + valueVerbs + timeVerbs
}
