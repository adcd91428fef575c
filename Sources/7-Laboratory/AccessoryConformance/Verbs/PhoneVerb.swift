package import Kinds
package import ANCSKit

/// A verb of scenarios and a command of the prompt of `ancs phone`, with its syntax, documentation and action.
/// To add one, declare it in a file of this folder, list it in that file's table, and describe it in verbs.txt.
package protocol PhoneVerb: Equatable, Sendable {
    /// The name of the verb. The prompt does not distinguish upper and lower case.
    static var name: String { get }
    /// Other names at the prompt, which completion does not offer.
    static var aliases: [String] { get }
    /// A description, for the JSON Schema and the help of the prompt.
    static var summary: String { get }
    /// A description of its value for the manual, a line each.
    static var manual: [String] { get }
    /// The form of its value.
    static var shape: Shape<Self> { get }
    /// The members that words without `=` stand for at the prompt, in order. A value that is not an object
    /// precedes them.
    static var operands: [String] { get }
    /// Those without which the prompt refuses a line, in addition to what the shape requires.
    static var required: [String] { get }
    /// The members that may stand beside the value at the prompt.
    static var modifiers: [PromptModifier] { get }
    /// A value that is not an object: how the help of the prompt shows it.
    static var placeholder: String { get }
    /// The value if nothing is typed; `nil` if something must be.
    static var absent: JSONValue? { get }

    /// The verb and what it takes, in words.
    var title: String { get }
    /// What the step requires.
    var need: ScenarioNeed { get }
    /// How the step is carried out.
    var course: ScenarioCourse { get }
    /// Whether it is about what the phone plays, so that the phone of the scenario offers it from the start.
    var usesMedia: Bool { get }
}

extension PhoneVerb {
    package static var aliases: [String] { [] }
    package static var operands: [String] { [] }
    package static var required: [String] { [] }
    package static var modifiers: [PromptModifier] { [] }
    package static var placeholder: String { "VALUE" }
    package static var absent: JSONValue? { nil }
    package var usesMedia: Bool { false }
}

/// What may stand beside the value of a verb at the prompt.
package enum PromptModifier: String, Sendable {
    /// The accessory that it is about.
    case accessory
    /// How long it may take, in seconds.
    case within
}

/// What a step requires, from least to most.
package enum ScenarioNeed: Equatable, Sendable {
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
package enum ScenarioCourse {
    /// The run waits for a condition.
    case wait(ScenarioCondition)
    /// The phone does something.
    case perform(any PhoneDeed)
}

/// A verb for an action of the phone.
package protocol PhoneDeed: PhoneVerb {
    /// The condition that ends the step; `nil` if it ends at once.
    var result: ScenarioCondition? { get }
    /// The notifications that the action changes.
    var notifications: [String] { get }
    /// The app that the action's notification names.
    var notificationApp: String? { get }
    /// The name of the notification that the action creates.
    var posted: String? { get }
    /// The effects on the grading of accessories.
    var effects: [ScenarioEffect] { get }

    /// Carries out the action. Returns the notification named by ``posted``.
    func perform(on phone: OperatedPhone, at accessory: AccessoryID?) async throws(PhoneObstacle)
        -> NotificationID?
}

extension PhoneDeed {
    package var need: ScenarioNeed { .phone }
    package var course: ScenarioCourse { .perform(self) }
    package var result: ScenarioCondition? { nil }
    package var notifications: [String] { [] }
    package var notificationApp: String? { nil }
    package var posted: String? { nil }
    package var effects: [ScenarioEffect] { [] }
}

/// A verb for an action of the phone that creates no notification and concerns no accessory.
protocol PlainDeed: PhoneDeed { func perform(on phone: OperatedPhone) async throws(PhoneObstacle) }

extension PlainDeed {
    package func perform(
        on phone: OperatedPhone, at accessory: AccessoryID?
    ) async throws(PhoneObstacle) -> NotificationID? {
        try await perform(on: phone)
        return nil
    }
}

/// A verb for an action of the phone that concerns one accessory.
protocol AccessoryDeed: PhoneDeed {
    func perform(on phone: OperatedPhone, at accessory: AccessoryID) async
}

extension AccessoryDeed {
    package static var operands: [String] { [PromptModifier.accessory.rawValue] }
    package static var modifiers: [PromptModifier] { [.accessory] }

    package var need: ScenarioNeed { .accessory }

    package func perform(
        on phone: OperatedPhone, at accessory: AccessoryID?
    ) async throws(PhoneObstacle) -> NotificationID? {
        if let accessory { await perform(on: phone, at: accessory) }
        return nil
    }
}

extension PhoneVerb {
    /// Reads the value of the verb.
    package static func read(
        _ cursor: DocumentCursor, _ reader: inout StepReader
    ) throws(DocumentError) -> any PhoneVerb { try shape.read(cursor, &reader) }

    /// The verb in the JSON Schema.
    package static var schema: SchemaFragment { shape.schema.described(summary) }

    /// The condition that the step waits for, unless the phone does something.
    package var awaited: ScenarioCondition? {
        switch course {
        case .wait(let condition): condition
        case .perform: nil
        }
    }

    /// The action of the phone, if it is one.
    package var deed: (any PhoneDeed)? {
        switch course {
        case .wait: nil
        case .perform(let deed): deed
        }
    }
}

/// All verbs.
package enum PhoneVerbs {
    /// In the order of the manual and of the help.
    package static let all: [any PhoneVerb.Type] =
        expectationVerbs + notificationVerbs + callVerbs + appVerbs + behaviorVerbs + linkVerbs
        + bindingVerbs + serviceVerbs + valueVerbs + mediaVerbs + timeVerbs

    /// The verb with a name, also one of version 0.1.
    package static func named(_ name: String) -> (any PhoneVerb.Type)? {
        if let verb = all.first(where: { $0.name == name }) { return verb }
        guard let verb = former.first(where: { $0.name == name }) else { return nil }
        FormerWord.used(name, "use 'inject' with 'parameters', or 'clearFaults'")
        return verb
    }
}
