internal import JSONText

/// One description of something that happened, for every printer: the object that programs read, and what people
/// read. Its texts are as received; a printer makes them safe for a terminal.
struct Line: Equatable, Sendable {
    /// How the sentence stands out.
    enum Emphasis: Equatable, Sendable {
        /// A stage of the run, with a mark before it.
        case stage
        /// A stage that a person must know of who reads standard error alone.
        case alarm
        /// A problem: on standard error only.
        case problem
        /// Advice, indented.
        case hint
        /// An answer or an item of a list, indented.
        case item
        /// The heading of a notification. What it says is never in a log.
        case heading
    }

    /// A line below the sentence.
    enum Below: Equatable, Sendable {
        /// What the user can do.
        case hint(String)
        /// Content, indented further.
        case text(String)
    }

    /// What kind of event it is: `event` of its object. `nil` for what only people read.
    var kind: String?
    /// Who or what it is about: the members after `event`.
    var subject: [JSONValue.Member] = []
    /// The other members, in order.
    var members: [JSONValue.Member]
    /// What people read; `nil` if it is of no interest to them.
    var sentence: String?
    var emphasis = Emphasis.stage
    /// What belongs to the sentence.
    var below: [Below]
    /// What a log says: `--verbose` shows it. `nil` if that is the sentence.
    private var detail: String?

    init(
        _ kind: String?, _ members: [JSONValue.Member], _ sentence: String? = nil,
        _ emphasis: Emphasis = .stage, below: [Below] = [], detail: String? = nil
    ) {
        (self.kind, self.members, self.sentence) = (kind, members, sentence)
        (self.emphasis, self.below, self.detail) = (emphasis, below, detail)
    }

    init(
        _ kind: String, _ members: KeyValuePairs<String, JSONValue> = [:],
        _ sentence: String? = nil, _ emphasis: Emphasis = .stage, below: [Below] = [],
        detail: String? = nil
    ) {
        self.init(
            kind, members.map { JSONValue.Member($0.key, $0.value) }, sentence, emphasis,
            below: below, detail: detail)
    }

    /// What only people read.
    init(
        told sentence: String?, _ emphasis: Emphasis = .stage, below: [Below] = [],
        detail: String? = nil
    ) {
        self.init(nil, [], sentence, emphasis, below: below, detail: detail)
    }

    /// What a log says, which never has the content of a notification.
    var log: String? {
        switch emphasis {
        case .stage, .alarm, .problem, .hint: detail ?? sentence
        case .item, .heading: detail
        }
    }

    /// The same, said to people only where that is true, and in the log in any case.
    func said(if isSaid: Bool) -> Line {
        guard !isSaid else { return self }
        var line = self
        line.detail = log
        line.sentence = nil
        line.below = []
        return line
    }

    /// The object; `nil` for what only people read.
    var json: JSONValue? {
        kind.map { .object([JSONValue.Member("event", .string($0))] + subject + members) }
    }
}
