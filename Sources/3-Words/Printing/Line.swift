package import JSONText

/// One description of something that happened, for every printer: the object that programs read, and what people
/// read. Each part is made when a printer asks for it. Its texts are as received; a printer makes them safe for a
/// terminal.
package struct Line {
    /// How the sentence stands out.
    package enum Emphasis: Equatable, Sendable {
        /// As it is.
        case plain
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
        /// A step, with its mark before it, indented.
        case marked(Mark)
        /// A finding, with its mark before it.
        case found(Mark)
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
        /// It is worth knowing.
        case note = "•"
        /// It could not be seen.
        case unseen = "?"
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

        /// Those of these texts that say something.
        package static func all(_ form: (String) -> Below, _ texts: String?...) -> [Below] {
            texts.compactMap(\.self).filter { !$0.isEmpty }.map(form)
        }
    }

    /// The direction of an arrow.
    package enum Arrow: Equatable, Sendable { case left, right, none }

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

    /// What kind of event it is: `event` of its object, which has none if it is empty. `nil` for what only people read.
    package let kind: String?
    /// Who or what it is about: the member after `event`.
    package var subject: JSONValue.Member?
    /// The other members.
    private let object: any JSONDescribed
    /// The members that were added.
    private var rest: (any JSONDescribed)?
    private var parts: any LineParts
    package var emphasis = Emphasis.stage
    /// What stands before the sentence, in no style.
    package var lead = ""
    /// What stands before the sentence in columns, which are those of the lines around it.
    package var cells: [String] = []
    /// What stands behind the sentence, in a style of its own.
    package var remark: (text: String, style: TerminalPaint.Style)?
    /// The same as version 0.1 said it to programs: objects that follow this one.
    package private(set) var former: [Line] = []

    /// A line with an object that describes itself to people, too.
    package init(_ kind: String, of object: any JSONDescribed & LineParts, _ emphasis: Emphasis) {
        self.init(kind, object, emphasis, object)
    }

    private init(
        _ kind: String?, _ object: any JSONDescribed, _ emphasis: Emphasis, _ parts: any LineParts
    ) { (self.kind, self.object, self.emphasis, self.parts) = (kind, object, emphasis, parts) }

    private init(
        _ kind: String?, _ object: any JSONDescribed, _ emphasis: Emphasis,
        sentence: @escaping () -> String?, below: @escaping () -> [Below],
        detail: @escaping () -> String?
    ) {
        self.init(
            kind, object, emphasis,
            PartsOnDemand(
                makeSentence: sentence, makeBelow: below, makeView: { nil }, makeDetail: detail))
    }

    /// A line with an object that describes itself.
    package init(
        _ kind: String, describedBy object: any JSONDescribed,
        _ sentence: @autoclosure @escaping () -> String? = nil, _ emphasis: Emphasis = .stage,
        below: @autoclosure @escaping () -> [Below] = [],
        detail: @autoclosure @escaping () -> String? = nil
    ) {
        self.init(
            kind, object, emphasis, sentence: sentence, below: below, detail: detail)
    }

    package init(
        _ kind: String, _ members: @autoclosure @escaping () -> [JSONValue.Member],
        _ sentence: @autoclosure @escaping () -> String? = nil, _ emphasis: Emphasis = .stage,
        below: @autoclosure @escaping () -> [Below] = [],
        detail: @autoclosure @escaping () -> String? = nil
    ) {
        self.init(
            kind, Members(members), emphasis, sentence: sentence, below: below, detail: detail)
    }

    package init(
        _ kind: String,
        _ members: @autoclosure @escaping () -> KeyValuePairs<String, JSONValue?> = [:],
        _ sentence: @autoclosure @escaping () -> String? = nil, _ emphasis: Emphasis = .stage,
        below: @autoclosure @escaping () -> [Below] = [],
        detail: @autoclosure @escaping () -> String? = nil
    ) {
        self.init(
            kind, Members { [JSONValue.Member](present: members()) }, emphasis,
            sentence: sentence, below: below, detail: detail)
    }

    /// What only people read.
    package init(
        told sentence: @autoclosure @escaping () -> String?, _ emphasis: Emphasis = .stage,
        below: @autoclosure @escaping () -> [Below] = [],
        detail: @autoclosure @escaping () -> String? = nil
    ) {
        self.init(
            nil, Members { [] }, emphasis, sentence: sentence, below: below, detail: detail)
    }

    /// What people read; `nil` if it is of no interest to them.
    package var sentence: String? {
        get { parts.sentence }
        set { change { $0.makeSentence = { newValue } } }
    }

    /// What belongs to the sentence.
    package var below: [Below] {
        get { parts.below }
        set { change { $0.makeBelow = { newValue } } }
    }

    /// What a view of both sides shows; `nil` if nothing.
    package var view: View? { parts.view }

    private mutating func change(_ change: (inout PartsOnDemand) -> Void) {
        var parts = PartsOnDemand(self.parts)
        change(&parts)
        self.parts = parts
    }

    /// What a log says, which never has the content of a notification.
    package var log: String? { log() }

    /// The same, with these words before a sentence.
    func log(after speaker: () -> String = { "" }) -> String? {
        switch emphasis {
        case .stage, .alarm, .problem, .hint: parts.detail ?? sentence.map { speaker() + $0 }
        case .plain, .item, .heading, .marked, .found, .verdict: parts.detail
        }
    }

    /// The same, said to people only where that is true, and in the log in any case.
    package func said(if isSaid: Bool) -> Line {
        guard !isSaid else { return self }
        var line = self
        line.change { parts in
            parts.makeDetail = { log }
            parts.makeSentence = { nil }
            parts.makeBelow = { [] }
        }
        return line
    }

    /// The same, said to people by what the log says if it is of no interest to them otherwise.
    package func saidInFull() -> Line {
        var line = self
        line.change { $0.makeSentence = { sentence ?? log } }
        return line
    }

    /// The same, with what a view of both sides shows.
    package consuming func viewed(_ view: @autoclosure @escaping () -> View?) -> Line {
        change { $0.makeView = view }
        return self
    }

    /// The same, after these texts in columns.
    package consuming func after(_ cells: String...) -> Line {
        self.cells = cells
        return self
    }

    /// The same, followed by what version 0.1 said to programs in its place.
    package consuming func formerly(_ former: Line?) -> Line {
        self.former += former.map { [$0] } ?? []
        return self
    }

    /// The same, about this.
    package consuming func about(_ subject: JSONValue.Member) -> Line {
        self.subject = subject
        return self
    }

    /// Adds members.
    package mutating func add(_ members: @autoclosure @escaping () -> [JSONValue.Member]) {
        add(Members(members))
    }

    /// Adds what describes itself.
    package mutating func add(_ rest: any JSONDescribed) {
        self.rest = self.rest.map { Joined(first: $0, rest: rest) } ?? rest
        for index in former.indices { former[index].add(rest) }
    }

    /// The object as a text; `nil` for what only people read.
    package var text: String? { kind.map { _ in JSONWriter.text { describe(to: &$0) } } }

    /// The objects as texts: none for what only people read.
    var texts: [String] {
        let texts = text.map { [$0] } ?? []
        return former.isEmpty ? texts : texts + former.flatMap(\.texts)
    }
}

extension Line: JSONDescribed {
    package func describe(to object: inout some JSONMembers) {
        if let kind, !kind.isEmpty { object.add("event", .string(kind)) }
        if let subject { object.add([subject]) }
        self.object.describe(to: &object)
        rest?.describe(to: &object)
    }
}

/// What people get of a line. Each part is made when a printer asks for it: most printers ask only for some.
package protocol LineParts {
    /// See ``Line/sentence``.
    var sentence: String? { get }
    /// See ``Line/below``.
    var below: [Line.Below] { get }
    /// See ``Line/view``.
    var view: Line.View? { get }
    /// What a log says: `--verbose` shows it. `nil` if that is the sentence.
    var detail: String? { get }
}

private struct PartsOnDemand: LineParts {
    var makeSentence: () -> String?
    var makeBelow: () -> [Line.Below]
    var makeView: () -> Line.View?
    var makeDetail: () -> String?

    var sentence: String? { makeSentence() }
    var below: [Line.Below] { makeBelow() }
    var view: Line.View? { makeView() }
    var detail: String? { makeDetail() }
}

extension PartsOnDemand {
    /// The parts as they are.
    init(_ parts: any LineParts) {
        self =
            parts as? Self
            ?? Self(
                makeSentence: { parts.sentence }, makeBelow: { parts.below },
                makeView: { parts.view }, makeDetail: { parts.detail })
    }
}

/// Members that are made when a printer asks for them.
private struct Members: JSONDescribed {
    private let make: () -> [JSONValue.Member]

    init(_ make: @escaping () -> [JSONValue.Member]) { self.make = make }

    func describe(to object: inout some JSONMembers) { object.add(make()) }
}

/// The members of two descriptions.
private struct Joined: JSONDescribed {
    var first: any JSONDescribed
    var rest: any JSONDescribed

    func describe(to object: inout some JSONMembers) {
        first.describe(to: &object)
        rest.describe(to: &object)
    }
}
