internal import AccessoryConformance
internal import DeviceCommandKit

/// A verb that was typed at the prompt, with what stands beside it.
struct TypedVerb: Sendable {
    var verb: any PhoneVerb
    /// The accessory that it is about, as typed.
    var accessory: String?
    /// How long it may take.
    var deadline = Duration.seconds(30)
}

// The words of a line become the JSON value that a scenario would have in this place, and are read as that.
extension PhoneVerb {
    /// How the value is typed.
    static var form: WordForm { shape.schema.word }

    /// The members and modifiers that can be typed as `name=value`.
    private static var settings: [WordForm.Member] {
        form.members
            + modifiers.map { modifier in
                switch modifier {
                case .accessory: .init(name: modifier.rawValue, form: .known(.accessories))
                case .within: .init(name: modifier.rawValue, form: .number)
                }
            }
    }

    /// Whether a value that is not an object has to be typed.
    private static var takesValue: Bool { form.members.isEmpty && !form.isTrueAllowed }

    /// Whether an operand may not be left out.
    private static func needs(_ operand: String) -> Bool {
        required.contains(operand) || settings.contains { $0.name == operand && $0.isRequired }
    }

    // MARK: Reading

    /// Reads the words after the name.
    static func read(
        typed words: [String], app: (String) throws(PromptFault) -> String
    ) throws(PromptFault) -> TypedVerb {
        func value(_ word: String, _ form: WordForm) throws(PromptFault) -> JSONValue {
            form.isApp ? .string(try app(word)) : form.value(of: word)
        }
        var given: [(member: WordForm.Member, word: String)] = []
        var texts: [String] = []
        for word in words {
            if let setting = try setting(word) { given.append(setting) } else { texts.append(word) }
        }
        let count = takesValue ? (form.isListAllowed ? texts.count : min(1, texts.count)) : 0
        let open = operands.filter { name in !given.contains { $0.member.name == name } }
        guard texts.count - count <= open.count else { throw usage }
        var values: [JSONValue] = []
        for word in texts.prefix(count) { values.append(try value(word, form)) }
        texts.removeFirst(count)
        for (name, word) in zip(open, texts) {
            guard let member = settings.first(where: { $0.name == name }) else { throw usage }
            given.append((member, word))
        }
        guard open.allSatisfy({ name in !needs(name) || given.contains { $0.member.name == name } })
        else { throw usage }
        var members: [JSONValue.Member] = []
        for (member, word) in given {
            members.removeAll { $0.name == member.name }
            members.append(.init(member.name, try value(word, member.form)))
        }
        return try read(members, values)
    }

    /// The setting that a word is, such as `title=Ada`, `silent` or `no-silent`.
    private static func setting(
        _ word: String
    ) throws(PromptFault) -> (member: WordForm.Member, word: String)? {
        let settings = settings
        for flag in settings where flag.form.isBoolean {
            if word == flag.name { return (flag, "on") }
            if word == "no-" + flag.name { return (flag, "off") }
        }
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let key = parts.first.map(String.init), !settings.isEmpty else {
            return nil
        }
        if let member = settings.first(where: { $0.name == key }) {
            return (member, String(parts[1]))
        }
        guard let first = key.utf8.first, (0x61...0x7A).contains(first),
            key.utf8.allSatisfy({ (0x61...0x7A).contains($0 | 0x20) })
        else { return nil }
        let names = settings.map(\.name)
        let meant = NearestWord.of(key, in: names).map { "; did you mean '\($0)'?" } ?? "."
        let text = operands.dropFirst().first ?? operands.first
        throw PromptFault(
            message: "'\(key)' is not a key\(meant) The keys are \(names.joined(separator: ", "))"
                + (text.map {
                    ". Write a text that contains '=' as \($0)=\(PromptWords.quoted(word))"
                } ?? ""))
    }

    private static func read(
        _ members: [JSONValue.Member], _ values: [JSONValue]
    ) throws(PromptFault) -> TypedVerb {
        var members = members
        func take(_ modifier: PromptModifier) -> DocumentCursor? {
            guard let index = members.firstIndex(where: { $0.name == modifier.rawValue }) else {
                return nil
            }
            let member = members.remove(at: index)
            return DocumentCursor(member.value, path: member.name)
        }
        let (accessory, within) = modifiers.isEmpty ? (nil, nil) : (take(.accessory), take(.within))
        let value: JSONValue
        if takesValue {
            guard let first = values.first ?? absent else { throw usage }
            value = values.count > 1 ? .array(values) : first
        } else if members.isEmpty, form.isTrueAllowed {
            value = true
        } else {
            // What is posted at the prompt need not have a name.
            let isNamed = members.contains { $0.name == "as" }
            let hasName = form.members.contains { $0.name == "as" }
            value = .object(hasName && !isNamed ? members + [.init("as", "")] : members)
        }
        var reader = StepReader()
        let line = reader.keep { reader throws(DocumentError) in
            var typed = TypedVerb(verb: try read(DocumentCursor(value, path: name), &reader))
            typed.accessory = try accessory?.name("an accessory")
            if let within { typed.deadline = try within.read(.seconds) }
            return typed
        }
        guard let line else {
            throw PromptFault(message: reader.mistakes.map(\.message).joined(separator: "; "))
        }
        return line
    }

    // MARK: Help and completion

    /// The name with the operands.
    static var heading: String {
        var words = takesValue ? [name, placeholder] : [name]
        for operand in operands {
            words.append(needs(operand) ? operand.uppercased() : "[\(operand.uppercased())]")
        }
        if settings.contains(where: { !operands.contains($0.name) }) {
            words.append("[KEY=VALUE]…")
        }
        return words.joined(separator: " ")
    }

    /// The entry of the help text.
    static var help: [String] {
        let keys = settings.map(\.name).filter { !operands.contains($0) }
        return ["  \(heading)", "      \(summary)"]
            + (keys.isEmpty ? [] : ["      keys: \(keys.joined(separator: ", "))"])
    }

    static var usage: PromptFault { PromptFault(message: "usage: \(heading)") }

    /// What completion offers after these words: the next operand, or once all are there, settings.
    static func candidates(after words: [String]) -> [WordCandidates] {
        var texts = 0
        var given: Set<String> = []
        for word in words {
            if let setting = try? setting(word) {
                given.insert(setting.member.name)
            } else {
                texts += 1
            }
        }
        if takesValue {
            if texts == 0 || form.isListAllowed { return form.candidates }
            texts -= 1
        }
        let open = operands.filter { !given.contains($0) }
        given.formUnion(open.prefix(texts))
        let rest = settings.filter { !given.contains($0.name) }
        guard let next = rest.first(where: { $0.name == open.dropFirst(texts).first }),
            // An optional text may be left out.
            needs(next.name) || !next.form.candidates.isEmpty
        else { return rest.flatMap(\.candidates) }
        return next.form.candidates
    }
}

extension WordForm.Member {
    /// The settings that completion offers: each value, where there are a few, or what precedes the value.
    fileprivate var candidates: [WordCandidates] {
        if form.isBoolean { return [.words([name, "no-" + name])] }
        var words: [String] = []
        for case .words(let some) in form.candidates { words += some }
        return [.words(words.isEmpty ? [name + "="] : words.map { "\(name)=\($0)" })]
    }
}
