package import JSONText

/// How a value is typed at the prompt: the JSON value that a word stands for, and what completion offers.
package indirect enum WordForm: Sendable {
    /// The word itself.
    case text
    /// Text that names something that is there, from which completion offers a choice.
    case known(WordSource)
    /// `on` or `off`.
    case boolean
    /// A decimal number.
    case number
    /// One of several words.
    case words([String])
    /// One value, typed as JSON writes it; a string without quotes.
    case constant(JSONValue)
    /// Values with commas between them.
    case list(WordForm)
    /// The members of an object, each typed as `name=value`.
    case members([Member])
    /// Any of several forms; the first that fits is meant.
    case oneOf([WordForm])

    /// A member of an object.
    package struct Member: Sendable {
        package var name: String
        package var form: WordForm
        package var isRequired = false

        package init(name: String, form: WordForm, isRequired: Bool = false) {
            (self.name, self.form, self.isRequired) = (name, form, isRequired)
        }
    }
}

/// What is there to choose from; completion asks the phone or the machine.
package enum WordSource: Sendable {
    case installedApps
    case notifications
    case ringingCalls
    case activeCalls
    case accessories
    /// The apps with bindings.
    case boundApps
    /// The services that these apps look for.
    case services
    case files
    case directories
    /// The scenarios of the package, and files.
    case scenarios
    /// The places of controllers.
    case monikers
    /// The adapters of bluetoothd.
    case adapters
}

/// What completion offers in one place.
package enum WordCandidates: Equatable, Sendable {
    case words([String])
    case known(WordSource)
}

extension WordForm {
    private static let truths = ["on": true, "off": false, "true": true, "false": false]

    /// The value that a word stands for. A word without a meaning is taken as text, so that the reader of the
    /// value says what it expects.
    package func value(of word: String) -> JSONValue { meaning(of: word) ?? .string(word) }

    private func meaning(of word: String) -> JSONValue? {
        switch self {
        case .text, .known: .string(word)
        case .boolean: Self.truths[word].map { .boolean($0) }
        case .number:
            Int(word).map { .integer($0) }
                ?? Double(word).flatMap { $0.isFinite ? .number($0) : nil }
        case .words(let words): words.contains(word) ? .string(word) : nil
        case .constant(let value): word == (value.string ?? value.text) ? value : nil
        case .list(let element):
            .array(
                word.split(separator: ",", omittingEmptySubsequences: false).map {
                    element.value(of: String($0))
                })
        case .members: nil
        case .oneOf(let forms): forms.lazy.compactMap { $0.meaning(of: word) }.first
        }
    }

    /// What completion offers.
    package var candidates: [WordCandidates] {
        switch self {
        case .text, .number, .members: []
        case .known(let source): [.known(source)]
        case .boolean: [.words(["on", "off"])]
        case .words(let words): [.words(words)]
        case .constant(let value): [.words([value.string ?? value.text])]
        case .list(let element): element.candidates
        case .oneOf(let forms):
            forms.flatMap(\.candidates).reduce(into: []) { all, new in
                if !all.contains(new) { all.append(new) }
            }
        }
    }

    /// The members of an object, or of all objects that are possible.
    package var members: [Member] {
        switch self {
        case .members(let members): return members
        case .oneOf(let forms):
            var all: [Member] = []
            for member in forms.flatMap(\.members) {
                if let index = all.firstIndex(where: { $0.name == member.name }) {
                    all[index].form = .oneOf([all[index].form, member.form])
                    all[index].isRequired = all[index].isRequired && member.isRequired
                } else {
                    all.append(member)
                }
            }
            return all
        case .text, .known, .boolean, .number, .words, .constant, .list: return []
        }
    }

    /// Whether `true` alone is valid: nothing needs to be typed.
    package var isTrueAllowed: Bool {
        switch self {
        case .constant(true): true
        case .oneOf(let forms): forms.contains(where: \.isTrueAllowed)
        case .text, .known, .boolean, .number, .words, .constant, .list, .members: false
        }
    }

    /// Whether several words are valid.
    package var isListAllowed: Bool {
        switch self {
        case .list: true
        case .oneOf(let forms): forms.contains(where: \.isListAllowed)
        case .text, .known, .boolean, .number, .words, .constant, .members: false
        }
    }

    /// Whether the value is an installed app, which may be typed by its name.
    package var isApp: Bool { if case .known(.installedApps) = self { true } else { false } }

    package var isBoolean: Bool { if case .boolean = self { true } else { false } }
}
