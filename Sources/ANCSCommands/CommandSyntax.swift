/// The options and operands that a command takes; reads a command line and writes the help text.
struct CommandSyntax: Sendable {
    /// One option; without a value name it is a flag.
    struct Option: Sendable {
        var name: String
        var value: String?
        var help: String

        init(_ name: String, _ value: String? = nil, _ help: String) {
            self.name = name
            self.value = value
            self.help = help
        }
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
            guard let option = options.first(where: { $0.name == name }) else {
                throw UsageError(message: "'\(name)' is not an option of 'ancs \(command)'")
            }
            let value = parts.count == 2 ? String(parts[1]) : nil
            arguments.values[name, default: []].append(
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

    private func read(
        _ option: Option, given: String?, next: () -> String?
    ) throws(UsageError) -> String {
        guard let valueName = option.value else {
            guard given == nil else {
                throw UsageError(message: "\(option.name) takes no value")
            }
            return ""
        }
        guard let value = given ?? next() else {
            throw UsageError(message: "\(option.name) needs a value: \(valueName)")
        }
        return value
    }

    /// One line: how the command is called.
    var usage: String {
        "usage: ancs \(command) [options]" + (operands.isEmpty ? "" : " \(operands)")
    }

    /// The whole help text.
    var help: String {
        let heads = options.map { option in
            "  " + option.name + (option.value.map { " \($0)" } ?? "")
        }
        let width = (heads.map(\.count).max() ?? 0) + 2
        let lines = zip(heads, options).map { head, option in
            head + String(repeating: " ", count: width - head.count) + option.help
        }
        return ([usage, "", summary, ""] + lines).joined(separator: "\n") + "\n"
    }
}
