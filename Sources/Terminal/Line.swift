package import JSONText

/// One description of something that happened, for every printer: the object that programs read, and what people
/// read. Its texts are as received; a printer makes them safe for a terminal.
package struct Line: Sendable {
    /// How the sentence stands out.
    package enum Emphasis: Equatable, Sendable {
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
        /// A step or a finding, with its mark before it.
        case marked(Mark)
        /// The end of a run, all of it in a style.
        case verdict(TerminalPaint.Style)
    }

    /// What became of something, in one sign.
    package enum Mark: String, Sendable {
        case good = "✓"
        case partly = "~"
        case bad = "✗"
        /// It was not tried, or did not count.
        case open = "–"
    }

    /// A line below the sentence.
    package enum Below: Equatable, Sendable {
        /// What the user can do.
        case hint(String)
        /// Content, indented further.
        case text(String)
        /// What is less important than content, indented like it.
        case details(String)
        /// Words that explain the heading, indented like it.
        case words(String)
    }

    /// The direction of an arrow.
    package enum Arrow: Equatable, Sendable {
        case left, right, none
    }

    /// How a view of both sides of a link shows it, such as the demo's, where the phone is on the left.
    package enum View: Equatable, Sendable {
        /// A heading for what follows.
        case caption(String)
        /// An event of the link.
        case link(Arrow, String)
        /// What the user of a side sees.
        case sight(String, texts: [String] = [], details: [String] = [])
        /// A button that the user of a side presses.
        case press(String)
        /// What goes over the link because of a notification.
        case traffic(Arrow, String)
        /// Lines that belong to neither side.
        case note([String])
    }

    /// What kind of event it is: `event` of its object. `nil` for what only people read.
    package var kind: String?
    /// Who or what it is about: the members after `event`.
    package var subject: [JSONValue.Member] = []
    /// The other members, in order.
    package var members: [JSONValue.Member]
    /// What people read; `nil` if it is of no interest to them.
    package var sentence: String?
    package var emphasis = Emphasis.stage
    /// What stands before the sentence, in no style.
    package var lead = ""
    /// What stands behind the sentence, in a style of its own.
    package var remark: (text: String, style: TerminalPaint.Style)?
    /// What belongs to the sentence.
    package var below: [Below]
    /// What a view of both sides shows; `nil` if nothing.
    package var view: View?
    /// What a log says: `--verbose` shows it. `nil` if that is the sentence.
    private var detail: String?

    package init(
        _ kind: String?, _ members: [JSONValue.Member], _ sentence: String? = nil,
        _ emphasis: Emphasis = .stage, below: [Below] = [], detail: String? = nil
    ) {
        (self.kind, self.members, self.sentence) = (kind, members, sentence)
        (self.emphasis, self.below, self.detail) = (emphasis, below, detail)
    }

    package init(
        _ kind: String, _ members: KeyValuePairs<String, JSONValue?> = [:],
        _ sentence: String? = nil, _ emphasis: Emphasis = .stage, below: [Below] = [],
        detail: String? = nil
    ) {
        self.init(
            kind, [JSONValue.Member](present: members), sentence, emphasis, below: below,
            detail: detail)
    }

    /// What only people read.
    package init(
        told sentence: String?, _ emphasis: Emphasis = .stage, below: [Below] = [],
        detail: String? = nil
    ) {
        self.init(nil, [], sentence, emphasis, below: below, detail: detail)
    }

    /// What a log says, which never has the content of a notification.
    package var log: String? {
        switch emphasis {
        case .stage, .alarm, .problem, .hint: detail ?? sentence
        case .item, .heading, .marked, .verdict: detail
        }
    }

    /// The same, said to people only where that is true, and in the log in any case.
    package func said(if isSaid: Bool) -> Line {
        guard !isSaid else { return self }
        var line = self
        line.detail = log
        line.sentence = nil
        line.below = []
        return line
    }

    /// The same, with what a view of both sides shows.
    package func viewed(_ view: View?) -> Line {
        var line = self
        line.view = view
        return line
    }

    /// The object; `nil` for what only people read.
    package var json: JSONValue? {
        kind.map { .object([JSONValue.Member("event", .string($0))] + subject + members) }
    }
}
