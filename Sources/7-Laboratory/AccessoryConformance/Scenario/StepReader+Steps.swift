package import Kinds

/// Reads the steps of a scenario.
extension StepReader {
    private static let modifiers: [Field<ScenarioStep>] = [
        Field(
            "within", .seconds, replacing: \.deadline, default: 30,
            "How long the step may take, in seconds."),
        Field("note", .text, into: \.note, "What the step is for; shown in reports."),
        Field(
            "optional", .boolean, replacing: \.isOptional, default: false,
            "Whether the run continues if the step fails."),
    ]
    private static let verbs = PhoneVerbs.all.map { $0.name } + [Repetition.name]

    /// The largest number of steps, counting each round of each repetition.
    static let maximumSteps = 10_000

    // MARK: Steps

    /// Reads a list of steps and unrolls repetitions.
    package mutating func steps(_ cursor: DocumentCursor) throws(DocumentError) -> [ScenarioStep] {
        var steps: [ScenarioStep] = []
        for element in try cursor.elements("a list of steps") where count <= Self.maximumSteps {
            if let read = keep({ reader throws(DocumentError) in
                try reader.stepOrRepetition(element)
            }) {
                steps += read
            } else {
                assumeName(in: element)
            }
        }
        return steps
    }

    /// Takes the name that a step with a mistake would give as given: steps that refer to it are right.
    private mutating func assumeName(in step: DocumentCursor) {
        for member in step.value.members ?? [] {
            guard let name = member.value["as"]?.string?.numbered(round), names[name] == nil
            else { continue }
            names[name] = true
        }
    }

    private mutating func stepOrRepetition(
        _ cursor: DocumentCursor
    ) throws(DocumentError) -> [ScenarioStep] {
        let modifiers = ["accessory"] + Self.modifiers.map(\.name)
        let known = Self.verbs + PhoneVerbs.former.map { $0.name }
        let object = try cursor.object("a step", allowing: known + modifiers)
        let verbs = object.members.filter { known.contains($0.name) }
        guard verbs.count == 1, let verb = verbs.first else {
            throw DocumentError(
                path: cursor.path, expected: "a step with one of \(Self.verbs.listed)",
                found: verbs.isEmpty ? "none of them" : verbs.map(\.name).listed + " together",
                number: cursor.number)
        }
        guard let type = PhoneVerbs.named(verb.name) else {
            if let other = object.members.first(where: { $0.name != verb.name }) {
                throw other.cursor.error(
                    expected: "repeat alone: \"\(other.name)\" belongs to the steps in it")
            }
            return try repetition(verb.cursor)
        }
        count += 1
        guard count <= Self.maximumSteps else {
            throw DocumentError(
                path: cursor.path, expected: "at most \(Self.maximumSteps) steps in all rounds",
                found: "more", number: cursor.number)
        }
        let read = keep { reader throws(DocumentError) in try type.read(verb.cursor, &reader) }
        // The other members are read even if the verb is wrong.
        var step = ScenarioStep(path: cursor.path, verb: read ?? PhoneVerbs.Pause(duration: .zero))
        step.round = round
        try object.read(Self.modifiers, &self, into: &step)
        guard read != nil else { throw .kept }
        if case .wait(.expectation(.action(let action?, of: let name?))) = step.verb.course,
            names[name] == true
        {
            names[name + action.remainder] = false
        }
        step.accessory = try accessory(object, of: step.verb)
        if accessories.count > 1 { step.accessoryName = step.accessory.map { accessories[$0] } }
        return [step]
    }

    private mutating func repetition(
        _ cursor: DocumentCursor
    ) throws(DocumentError) -> [ScenarioStep] {
        guard round == nil else {
            throw DocumentError(
                path: cursor.path, expected: "a step", found: "a repeat in a repeat",
                number: cursor.number)
        }
        let repetition = try Repetition.shape.read(cursor, &self)
        guard let steps = repetition.steps else { return [] }
        defer { round = nil }
        var all: [ScenarioStep] = []
        let before = mistakes.count
        for number in 1...repetition.times where mistakes.count == before {
            round = number
            all += try self.steps(steps)
        }
        return all
    }

    /// The accessory of a step. Steps of the phone need none, and the name may be omitted if there is only
    /// one accessory.
    private func accessory(
        _ object: DocumentObject, of verb: any PhoneVerb
    ) throws(DocumentError) -> Int? {
        guard !accessories.isEmpty else { return 0 }
        if let cursor = object["accessory"] {
            return try cursor.read(
                .word(of: accessories.enumerated().map { ($0.element, $0.offset) }, "an accessory"))
        }
        guard verb.need != .phone else { return nil }
        guard accessories.count == 1 else {
            throw DocumentError(
                path: object.cursor.path,
                expected: "the member \"accessory\": \(accessories.listed)", found: "none",
                number: object.cursor.number)
        }
        return 0
    }
}

/// Steps that are repeated.
package struct Repetition: Sendable {
    var times = 1
    package var steps: DocumentCursor?

    package static let name = "repeat"
    package static let summary =
        "Steps that are repeated. In their texts, {n} is the number of the round, from 1."
    package static let manual = [
        #"`{"times": N, "steps": [...]}`; `{n}` in names and texts is the number of the round"#
    ]

    package static let shape = Shape<Self>.object("a repetition", fields, from: Repetition())

    private static let fields: [Field<Repetition>] = [
        Field(
            "times", .integer(in: 1...StepReader.maximumSteps), replacing: \.times,
            required: "a whole number"),
        Field("steps", stepList, into: \.steps, required: "a list of steps"),
    ]

    private static let stepList = Shape<DocumentCursor>([
        "type": "array", "items": ["$ref": "#/$defs/step", "not": ["required": ["repeat"]]],
    ]) { cursor, _ in cursor }
}

extension StepReader {
    /// The JSON Schema of a step: one verb, and the members allowed beside it.
    package static var schema: SchemaFragment {
        let accessory = SchemaFragment.text.described(
            "The accessory that the step is about, if there are several.")
        let beside = [("accessory", accessory, false)] + modifiers.map(\.form.property)
        let verbs = PhoneVerbs.all.map { ($0.name, $0.schema, false) }
        let repetition = Repetition.shape.schema.described(Repetition.summary)
        let schema = SchemaFragment.object(beside + verbs + [(Repetition.name, repetition, false)])
        let alone: JSONValue = [
            "required": [.string(Repetition.name)],
            "description": "The other members belong to its steps.", "maxProperties": 1,
        ]
        let choices = PhoneVerbs.all.map { ["required": [.string($0.name)]] as JSONValue }
        return schema.adding([.init("oneOf", .array(choices + [alone]))]).described(
            "One verb with its value. It may also have accessory (the one that it is about), within "
                + "(how many seconds it may take, 30 by default), note (shown in reports), and "
                + "optional (the step may fail)."
        ).defined(as: "step")
    }
}
