internal import ANCSService

/// The options and operands that a command takes; reads a command line and writes the help text. Completions and
/// manual pages are made of it too.
struct CommandSyntax: Sendable {
    /// One option; without a value it is a flag.
    struct Option: Sendable {
        var name: String
        /// Another name, such as `-h`.
        var alias: String?
        var value: Value?
        var help: String
        /// Whether each of its values counts, not only the last.
        var repeats: Bool

        init(
            _ name: String, _ value: Value? = nil, _ help: String, alias: String? = nil,
            repeats: Bool = false
        ) {
            self.name = name
            self.alias = alias
            self.value = value
            self.help = help
            self.repeats = repeats
        }

        /// How it is written: its names and its value.
        var usage: String {
            (alias.map { "\($0), " } ?? "") + name + (value.map { " \($0.name)" } ?? "")
        }
    }

    /// What follows an option, or stands as an operand.
    struct Value: Hashable, Sendable {
        /// What a shell can offer for it.
        enum Kind: Hashable, Sendable {
            /// Nothing: only the user knows it.
            case text
            case file
            case directory
            /// One of these words.
            case word([String])
            /// Several of these words, with commas between them.
            case list([String])
            /// Where a controller is, see `TransportMoniker`.
            case moniker
            /// An adapter of bluetoothd.
            case adapter
        }

        /// What the help calls it.
        var name: String
        var kind: Kind

        static func text(_ name: String) -> Self { Self(name: name, kind: .text) }
        static func file(_ name: String = "FILE") -> Self { Self(name: name, kind: .file) }
        static let directory = Self(name: "DIR", kind: .directory)
        static let adapter = Self(name: "ADAPTER", kind: .adapter)
        static let moniker = Self(name: "MONIKER", kind: .moniker)
        static func word(_ name: String, _ words: [String]) -> Self {
            Self(name: name, kind: .word(words))
        }
        static func list(_ words: [String]) -> Self { Self(name: "LIST", kind: .list(words)) }
    }

    /// A command line that cannot be followed, in one sentence.
    struct UsageError: Error {
        var message: String
    }

    /// What a command line said.
    struct Arguments {
        fileprivate var values: [String: [String]] = [:]
        /// What stood there without an option.
        fileprivate(set) var operands: [String] = []

        /// Whether a flag was given.
        func has(_ flag: String) -> Bool { values[flag] != nil }

        /// The value of an option, the last where there are several, or `nil` where it was not given.
        subscript(option: String) -> String? { values[option]?.last }

        /// The values of an option that may be given more than once.
        func all(_ option: String) -> [String] { values[option] ?? [] }

        /// A whole number in a range, or `nil` where the option was not given.
        func integer(_ option: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
            guard let text = self[option] else { return nil }
            guard let value = Int(text), range.contains(value) else {
                throw UsageError(
                    message: "\(option) takes a whole number from \(range.lowerBound) "
                        + "to \(range.upperBound), not '\(text)'")
            }
            return value
        }

        /// A positive number of seconds, or `nil` where the option was not given.
        func seconds(_ option: String) throws(UsageError) -> Duration? {
            guard let text = self[option] else { return nil }
            guard let value = Double(text), value > 0, value <= 1e9 else {
                throw UsageError(
                    message: "\(option) takes a number of seconds above 0, not '\(text)'")
            }
            return .seconds(value)
        }
    }

    var command: String
    var summary: String
    var operands: String
    /// How many operands may stand there.
    var operandCount: ClosedRange<Int>
    /// What the operands are, the first first; nothing is known of those after the last.
    var operandValues: [Value] = []
    var options: [Option]

    /// Reads what follows the command's name. `--option VALUE` and `--option=VALUE` are the same;
    /// `--` ends the options.
    func parse(_ words: some Sequence<String>) throws(UsageError) -> Arguments {
        var arguments = Arguments()
        var words = words.makeIterator()
        var takesOptions = true
        while let word = words.next() {
            guard takesOptions, word.utf8.first == UInt8(ascii: "-"), word != "-" else {
                arguments.operands.append(word)
                continue
            }
            if word == "--" {
                takesOptions = false
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let option = options.first(where: { $0.name == name || $0.alias == name }) else {
                throw unknown(name)
            }
            let value = parts.count == 2 ? String(parts[1]) : nil
            arguments.values[option.name, default: []].append(
                try read(option, given: value, next: { words.next() }))
        }
        // Whoever asks how a command is called need not call it as it should be.
        guard operandCount.contains(arguments.operands.count) || arguments.has("--help") else {
            let stray =
                arguments.operands.last.map { "'\($0)' is too much" } ?? "an operand is missing"
            throw UsageError(message: "\(stray): \(usage)")
        }
        return arguments
    }

    /// What to say of a word that is not an option.
    private func unknown(_ name: String) -> UsageError {
        let letters = String(name.drop { $0 == "-" })
        let suggestion = NearestWord.of(letters, in: options.map { String($0.name.dropFirst(2)) })
            .map { "; did you mean '--\($0)'?" }
        return UsageError(
            message: "'\(name)' is not an option of 'ancs \(command)'"
                + (suggestion ?? "; 'ancs \(command) --help' lists them"))
    }

    private func read(
        _ option: Option, given: String?, next: () -> String?
    ) throws(UsageError) -> String {
        guard let wanted = option.value else {
            guard given == nil else {
                throw UsageError(message: "\(option.name) takes no value")
            }
            return ""
        }
        guard let value = given ?? next() else {
            throw UsageError(message: "\(option.name) needs a value: \(wanted.name)")
        }
        return value
    }

    /// One line: how the command is called.
    var usage: String {
        "usage: ancs \(command) [options]" + (operands.isEmpty ? "" : " \(operands)")
    }

    /// The whole help text; what is said of options is in lines of `width` columns, or a few more where a word is
    /// longer.
    func help(width: Int = 100) -> String {
        let heads = options.map { "  " + $0.usage }
        let indent = (heads.map(\.count).max() ?? 0) + 2
        let lines = zip(heads, options).flatMap { head, option in
            WrappedText.lines(of: option.help, width: max(30, width - indent)).enumerated()
                .map { index, line in
                    let head = index == 0 ? head : ""
                    return head + String(repeating: " ", count: indent - head.count) + line
                }
        }
        return ([usage, "", summary, ""] + lines).joined(separator: "\n") + "\n"
    }
}
