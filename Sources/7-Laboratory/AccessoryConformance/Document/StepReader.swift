package import Kinds

/// What a reader of a document knows besides the value that it reads: the names that are defined so far, and the
/// mistakes.
package struct StepReader {
    /// The names of the scenario's accessories; none if they are not known.
    package var accessories: [String]
    /// The seed of all random values.
    package var seed: UInt64
    /// The names of notifications, and whether each is a call that can be answered.
    var names: [String: Bool] = [:]
    /// The round of the current repetition.
    var round: Int?
    /// The number of steps so far.
    var count = 0
    /// Whether a verb is typed at the prompt. What it names is looked up when it is carried out, and what it
    /// creates may have no name.
    private let isTyped: Bool
    /// The mistakes so far.
    package private(set) var mistakes: [DocumentError] = []

    package init(accessories: [String], seed: UInt64) {
        self.accessories = accessories
        self.seed = seed
        isTyped = false
    }

    /// A reader of what is typed at the prompt.
    package init() {
        accessories = []
        seed = 1
        isTyped = true
    }

    // MARK: Mistakes

    /// Keeps a mistake, so that others are found too.
    package mutating func keep(_ mistake: DocumentError) {
        if !mistake.isKept { mistakes.append(mistake) }
    }

    /// Reads a part of the document. Returns `nil` after keeping a mistake in it.
    package mutating func keep<Part>(
        _ read: (inout StepReader) throws(DocumentError) -> Part
    ) -> Part? {
        do throws(DocumentError) { return try read(&self) } catch {
            keep(error)
            return nil
        }
    }

    // MARK: Names

    /// Defines the name of a new notification.
    fileprivate mutating func define(
        _ cursor: DocumentCursor, isCall: Bool
    ) throws(DocumentError) -> String {
        if isTyped { return try cursor.string("a name") }
        let name = try cursor.name("a name").numbered(round)
        guard names.updateValue(isCall, forKey: name) == nil else {
            throw cursor.error(
                expected: round == nil
                    ? "a name that is not taken" : "a name with {n}, because it is in a repetition")
        }
        return name
    }

    /// Reads the name of a notification that an earlier step created.
    fileprivate func reference(_ cursor: DocumentCursor) throws(DocumentError) -> String {
        if isTyped { return try cursor.string("the name of a notification") }
        let name = try cursor.name("the name of a notification").numbered(round)
        guard names[name] != nil else {
            throw cursor.error(
                expected: "the name of a notification that was posted before",
                suggestion: NearestWord.of(name, in: names.keys.sorted(byText: \.self)))
        }
        return name
    }

    /// Defines the name of the active or missed call that a ringing call becomes.
    fileprivate mutating func endedCall(
        _ cursor: DocumentCursor, becoming suffix: String
    ) throws(DocumentError) -> String {
        let name: String
        do throws(DocumentError) { name = try reference(cursor) } catch {
            // What the call would leave behind is not reported as missing, too.
            if let wrong = cursor.value.string?.numbered(round) { names[wrong + suffix] = false }
            throw error
        }
        guard !isTyped else { return name }
        defer { names[name + suffix] = false }
        guard names.updateValue(false, forKey: name) == true else {
            throw cursor.error(expected: "the name of a ringing call")
        }
        return name
    }
}

extension Shape where Value == String {
    private static var nameSchema: SchemaFragment {
        SchemaFragment.nonemptyText.described(
            "The name of a notification, as an earlier step or the list of notifications gave it."
        ).defined(as: "name")
    }

    /// The name of a new notification.
    static func newName(isCall: Bool) -> Self {
        Self(nameSchema) { cursor, reader throws(DocumentError) in
            try reader.define(cursor, isCall: isCall)
        }
    }

    /// The name of an existing notification.
    package static var reference: Self {
        Self(nameSchema.typed(.known(.notifications))) { cursor, reader throws(DocumentError) in
            try reader.reference(cursor)
        }
    }

    /// The name of a ringing call that ends. The notification it leaves is named by this name and the suffix.
    static func endedCall(becoming suffix: String) -> Self {
        Self(nameSchema.typed(.known(.ringingCalls))) { cursor, reader throws(DocumentError) in
            try reader.endedCall(cursor, becoming: suffix)
        }
    }
}

extension Shape where Value == [String] {
    /// The name of an existing notification, or a list of them.
    static var references: Self {
        let list = Shape.list("names of notifications", of: .reference)
        let schema = SchemaFragment.oneOf([Shape<String>.reference.schema, list.schema])
        return Self(schema) { cursor, reader throws(DocumentError) in
            cursor.value.array == nil
                ? [try Shape<String>.reference.read(cursor, &reader)]
                : try list.read(cursor, &reader)
        }
    }
}

extension String {
    /// The text with `{n}` replaced by the number of the round.
    func numbered(_ round: Int?) -> String {
        guard let round else { return self }
        return split(separator: "{n}", omittingEmptySubsequences: false)
            .joined(separator: String(round))
    }
}
