internal import Kinds
internal import ANCSKit

extension ScenarioFault {
    /// The members that describe a fault.
    private struct Details {
        var delay = Duration.zero
        var error = ControlPointError.unknownCommand
        var octets = 10
        var characteristics = Self.allCharacteristics.map(\.1)
        var parameters = ParameterFault.refuse
        var count = 1
        var distance = Duration.zero
        var command: CommandID?

        static let allCharacteristics: [(String, ProviderSession.Characteristic)] = [
            ("notificationSource", .notificationSource), ("dataSource", .dataSource),
        ]
    }

    /// A kind of fault.
    private struct Kind: Sendable {
        var name: String
        /// The member that only this fault has.
        var own: Field<Details>?
        /// Whether it occurs a number of times, although it does not concern commands.
        var isCounted = false
        var fault: Fault

        enum Fault: Sendable {
            case answer(@Sendable (Details) -> AnswerFault.Effect)
            /// A fault that does not concern commands.
            case other(@Sendable (Details) -> ScenarioFault)
        }

        init(
            _ name: String, _ own: Field<Details>? = nil,
            effect: @escaping @Sendable (Details) -> AnswerFault.Effect
        ) {
            self.name = name
            self.own = own
            fault = .answer(effect)
        }

        init(_ name: String, _ own: Field<Details>? = nil, isCounted: Bool = false, fault: Fault) {
            (self.name, self.own, self.isCounted, self.fault) = (name, own, isCounted, fault)
        }

        /// Whether it has the members of all faults in answers, and no other.
        var isPlain: Bool { if case .answer = fault { own == nil } else { false } }

        /// The members allowed beside the name.
        var fields: [Field<Details>] {
            let own = own.map { [$0] } ?? []
            return switch fault {
            case .answer: own + ScenarioFault.commandFields
            case .other: own + (isCounted ? [ScenarioFault.countField] : [])
            }
        }
    }

    private static let kinds: [Kind] = [
        Kind("late", delay) { .delay($0.delay) }, Kind("lost") { _ in .lose },
        Kind("duplicated") { _ in .duplicate }, Kind("joined") { _ in .joinWithNext },
        Kind("refused", error) { .refuse($0.error) }, Kind("unanswered") { _ in .ignoreWrite },
        Kind("reordered") { _ in .reorder(.reversed) }, Kind("headerOnly") { _ in .headerOnly },
        Kind("linkLoss", octets) { .dropLink(afterOctets: $0.octets) },
        Kind(
            "droppedSubscriptions", characteristic,
            fault: .other { .droppedSubscriptions($0.characteristics) }),
        Kind(
            "parameters", parameters, isCounted: true,
            fault: .other { .parameters($0.parameters, count: $0.count) }),
        Kind("mediaLinkLoss", fault: .other { _ in .media(.linkLoss) }),
        Kind("mediaVanishes", fault: .other { _ in .media(.vanishing) }),
        Kind("mediaBurst", isCounted: true, fault: .other { .media(.burst($0.count)) }),
        Kind("positionJumps", back, fault: .other { .positionJump($0.distance) }),
    ]

    private static let delay = Field<Details>(
        "by", .seconds, replacing: \.delay, required: "a number of seconds")
    private static let error = Field<Details>(
        "error", ControlPointError.shape, replacing: \.error, required: "an error")
    private static let octets = Field<Details>(
        "octets", .integer(in: 0...65_535), replacing: \.octets, default: 10,
        "The link is lost after this many octets of the answer.")
    private static let parameters = Field<Details>(
        "answer", .word("an answer"), replacing: \.parameters, required: "an answer")
    private static let characteristic = Field<Details>(
        "characteristic",
        Shape.word(of: Details.allCharacteristics, "a characteristic").map { [$0] },
        replacing: \.characteristics, "The characteristic (default: both).")

    private static let back = Field<Details>(
        "back", .seconds, replacing: \.distance, required: "a number of seconds")

    private static let countField = Field<Details>("times", times, replacing: \.count)
    private static let times = Shape<Int>(
        Shape.integer(in: 1...1000).schema.described("The number of commands that it affects.")
            .defaulting(to: 1).defined(as: "times"), read: Shape.integer(in: 1...1000).read)

    private static let commandFields: [Field<Details>] = [
        countField, Field("command", CommandID.shape, into: \.command),
    ]

    /// What goes wrong.
    package static let shape = Shape<ScenarioFault>(.oneOf(schemas)) {
        cursor, reader throws(DocumentError) -> ScenarioFault in
        let names = ["fault"] + commandFields.map(\.name) + kinds.compactMap(\.own?.name)
        let object = try cursor.object("a fault", allowing: names)
        let kind = try object.require("fault", "what goes wrong")
            .read(.word(of: kinds.map { ($0.name, $0) }, "a fault"))
        try refuseStrangers(of: kind, in: object)
        var details = Details()
        try object.read(kind.fields, &reader, into: &details)
        switch kind.fault {
        case .answer(let effect):
            return .answer(AnswerFault(effect(details), of: details.command, count: details.count))
        case .other(let fault): return fault(details)
        }
    }.named("fault", "What goes wrong with the next commands.")

    /// Refuses members that the fault does not have, which would otherwise be ignored.
    private static func refuseStrangers(
        of kind: Kind, in object: DocumentObject
    ) throws(DocumentError) {
        let known = ["fault"] + kind.fields.map(\.name)
        for (name, cursor) in object.members where !known.contains(name) {
            guard let owner = kinds.first(where: { $0.own?.name == name }) else {
                throw cursor.error(expected: "nothing: \(kind.name) takes no \"\(name)\"")
            }
            throw cursor.error(expected: "nothing: \"\(name)\" belongs to \"\(owner.name)\"")
        }
    }

    /// One schema for the faults without a member of their own, and one for each of the others.
    private static var schemas: [SchemaFragment] {
        let plain = kinds.filter(\.isPlain)
        return [schema(.words(plain.map(\.name)), commandFields)]
            + kinds.filter { !$0.isPlain }.map { kind in
                schema(.constant(.string(kind.name)), kind.fields)
            }
    }

    private static func schema(_ name: SchemaFragment, _ fields: [Field<Details>]) -> SchemaFragment
    { .object([("fault", name, true)] + fields.map(\.form.property)) }
}
