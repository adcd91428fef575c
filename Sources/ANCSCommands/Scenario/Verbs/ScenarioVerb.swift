internal import ANCS
internal import ANCSKit

/// A verb of a scenario, with what a step says about it: all that there is to say about the verb. To add
/// one, declare it in a file of this folder and list it in that file's table.
protocol ScenarioVerb: Hashable, Sendable {
    /// The word in the file.
    static var name: String { get }
    /// What it does, for the JSON Schema.
    static var summary: String { get }
    /// What stands behind it, for the manual; a line each.
    static var manual: [String] { get }
    /// What may stand behind it.
    static var shape: Shape<Self> { get }

    /// The verb and what it takes, in words.
    var title: String { get }
    /// What has to be there for it.
    var need: ScenarioNeed { get }
    /// How a step with it goes.
    var course: ScenarioCourse { get }
}

/// What has to be there for a step, from less to more.
enum ScenarioNeed: Sendable {
    /// Nothing but the phone.
    case phone
    /// It is about an accessory, which has been connected.
    case accessory
    /// The accessory is connected.
    case link
    /// The phone has a bond of the accessory.
    case bond
}

/// How a step goes.
enum ScenarioCourse {
    /// It waits.
    case wait(ScenarioCondition)
    /// The phone does something.
    case perform(any ScenarioDeed)
}

/// A verb for something that the phone does.
protocol ScenarioDeed: ScenarioVerb {
    /// What comes of it, and ends the step; `nil` where it is done at once.
    var result: ScenarioCondition? { get }
    /// The notification that it changes.
    var notification: String? { get }
    /// The app that a notification of it names.
    var notificationApp: String? { get }
    /// What the notification is called that it leaves behind.
    var posted: String? { get }
    /// What it means to those who judge accessories.
    var effects: [ScenarioEffect] { get }

    /// Does it; returns the notification that is ``posted``.
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

/// A verb for something that the phone does with one accessory.
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

/// What a deed of the phone means to those who judge accessories.
enum ScenarioEffect: Sendable {
    /// Something goes wrong on purpose.
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
    /// Reads what stands behind the verb.
    static func read(
        _ cursor: DocumentCursor, _ reader: inout StepReader
    ) throws(DocumentError) -> any ScenarioVerb {
        try shape.read(cursor, &reader)
    }

    /// The verb in the JSON Schema.
    static var schema: SchemaFragment { shape.schema.described(summary) }

    /// What the step waits for, unless the phone does something.
    var awaited: ScenarioCondition? {
        switch course {
        case .wait(let condition): condition
        case .perform: nil
        }
    }

    /// What the phone does.
    var deed: (any ScenarioDeed)? {
        switch course {
        case .wait: nil
        case .perform(let deed): deed
        }
    }
}

/// The verbs of scenarios.
enum ScenarioVerbs {
    /// In the order of the manual.
    static let all: [any ScenarioVerb.Type] =
        expectationVerbs + notificationVerbs + callVerbs + behaviorVerbs + linkVerbs + bindingVerbs
        + serviceVerbs + valueVerbs + timeVerbs
}
