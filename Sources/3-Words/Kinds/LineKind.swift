package import JSONText

/// A kind of line that a command prints with `--json`: the description from which its JSON Schema is made. It stands
/// beside the code that makes the lines.
package struct LineKind: Sendable {
    /// Members by their names, in order. A name that ends in `?` is that of a member that not every line has.
    package typealias Members = KeyValuePairs<String, SchemaFragment>

    /// A member of the object.
    package struct Member: Sendable {
        package var name: String
        package var value: SchemaFragment
        package var isRequired: Bool

        package init(_ name: String, _ value: SchemaFragment) {
            isRequired = name.last != "?"
            self.name = isRequired ? name : String(name.dropLast())
            self.value = value
        }
    }

    /// The values of the member that says the kind; none for an object of which a command prints one kind only.
    package let events: [String]
    /// Its name among the definitions of a schema.
    package var name: String
    /// When such a line is printed, as the end of a sentence: "the link has ended".
    package let meaning: String
    /// All members, in the order in which they are printed.
    package private(set) var members: [Member]
    private let key: String

    /// - Parameters:
    ///   - event: the value of `event`, or several with `|` between them.
    ///   - name: its name in a schema; otherwise the event and the words that say which of several it is.
    ///   - key: the member that says the kind.
    ///   - meaning: when such a line is printed.
    ///   - members: the other members, in order.
    package init(
        _ event: String, as name: String? = nil, key: String = "event", _ meaning: String,
        _ members: Members...
    ) {
        self.init(event, as: name, key: key, meaning, members: members.joined().map(Member.init))
    }

    init(
        _ event: String, as name: String? = nil, key: String = "event", _ meaning: String,
        members rest: [Member]
    ) {
        events = event.split(separator: "|").map(String.init)
        self.key = key
        self.meaning = meaning
        let kind = SchemaFragment.words(oneOf: events)
        self.members = (events.isEmpty ? [] : [Member(key, kind)]) + rest
        self.name = name ?? ""
        if name == nil {
            // Members with one possible word say which of several kinds it is.
            let words = rest.compactMap { $0.isRequired ? $0.value.member("const")?.string : nil }
            self.name = ([events.first ?? "line"] + words).enumerated()
                .map { $0.offset == 0 ? $0.element : $0.element.capitalizedFirst }.joined()
        }
    }
}

extension LineKind {
    /// The value of the member that says the kind; empty if there are several.
    package var event: String { members.first?.value.member("const")?.string ?? "" }

    /// The same with more members of its own.
    package func extended(_ members: Members) -> LineKind {
        var kind = self
        kind.members += members.map(Member.init)
        return kind
    }

    /// The same with the members that every line of a command has: some before those of its own, some right
    /// after the kind, which say whom it is about, and some at the end.
    package func with(
        before first: Members = [:], about subject: Members = [:], after last: Members = [:]
    ) -> LineKind {
        var kind = self
        let place = kind.members.first?.name == key ? 1 : 0
        kind.members.insert(contentsOf: subject.map(Member.init), at: place)
        kind.members.insert(contentsOf: first.map(Member.init), at: 0)
        kind.members += last.map(Member.init)
        return kind
    }

    /// The same under another name, where a schema has two of that name.
    package func named(_ name: String) -> LineKind {
        var kind = self
        kind.name = name
        return kind
    }

    /// The schema of the object.
    package var schema: SchemaFragment {
        SchemaFragment.object(members.map { ($0.name, $0.value, $0.isRequired) }).described(meaning)
    }
}

/// The lines that a command prints with `--json`, as a JSON Schema.
package struct LineSchema: Sendable {
    /// The name of its file.
    package let name: String
    /// The commands that print them.
    package let commands: [String]
    private let title: String
    private let description: String
    package let kinds: [LineKind]

    package init(
        _ name: String, of commands: [String]? = nil, _ description: String, _ kinds: [LineKind]
    ) {
        self.name = name
        self.commands = commands ?? [name]
        let words = self.commands.map { "ancs \($0) --json" }.joined(separator: " and ")
        title = "A line of \(words)"
        self.description = description
        self.kinds = kinds
    }

    /// The schema: of one kind its object, of several any one of them.
    package var json: JSONValue {
        let head: [JSONValue.Member] = [
            .init("$schema", "https://json-schema.org/draft/2020-12/schema"),
            .init("title", .string(title)), .init("description", .string(description)),
        ]
        let schemas = kinds.map(\.schema)
        let shared = schemas.reduce(into: [String: JSONValue]()) { all, schema in
            all.merge(schema.definitions) { _, new in new }
        }
        .sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value) }
        guard kinds.count > 1 else {
            let own = schemas.flatMap(\.members).filter { $0.name != "description" }
            let definitions = shared.isEmpty ? [] : [JSONValue.Member("$defs", .object(shared))]
            return .object(head + Self.sentences(own + definitions))
        }
        let choices = kinds.map { JSONValue.object([.init("$ref", .string("#/$defs/\($0.name)"))]) }
        let definitions = zip(kinds, schemas).map { JSONValue.Member($0.name, $1.json) } + shared
        let body = Self.sentences([.init("$defs", .object(definitions))])
        return .object(head + [.init("oneOf", .array(choices))] + body)
    }

    /// The same with each description as a sentence, without the marks of a page.
    private static func sentences(_ members: [JSONValue.Member]) -> [JSONValue.Member] {
        members.map { member in
            guard member.name == "description", let text = member.value.string else {
                return .init(member.name, sentences(member.value))
            }
            let end = text.hasSuffix(".") ? "" : "."
            return .init(member.name, .string(text.replacing("`", with: "").capitalizedFirst + end))
        }
    }

    private static func sentences(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members): .object(sentences(members))
        case .array(let elements): .array(elements.map { sentences($0) })
        case .null, .boolean, .integer, .number, .string: value
        }
    }
}

extension SchemaFragment {
    /// One of these words; of one word that word.
    package static func words(oneOf words: [String]) -> SchemaFragment {
        words.count == 1 ? constant(.string(words[0])) : self.words(words)
    }

    /// A member of the schema itself, or of the definition that it refers to.
    fileprivate func member(_ name: String) -> JSONValue? {
        if let own = json[name] { return own }
        let reference = json["$ref"]?.string?.split(separator: "/").last
        return reference.flatMap { definitions[String($0)]?[name] }
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
