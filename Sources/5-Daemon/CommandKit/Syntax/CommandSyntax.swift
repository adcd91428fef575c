package import Kinds

/// The options and operands of a command. Parses command lines and writes the help text; shell completions
/// and manual pages are generated from it too.
package struct CommandSyntax: Sendable {
    /// One option; without a value it is a flag. A class, so that the tables of options handle each as one reference.
    package final class Option: Sendable {
        package let name: String
        /// Another name, such as `-h`.
        package let alias: String?
        package let value: Value?
        package let help: String
        /// Whether the option may be given several times, with all of its values in effect.
        package let repeats: Bool
        /// Whether its value is a file that the command writes.
        package let isWritten: Bool

        package init(
            _ name: String, _ value: Value? = nil, _ help: String, alias: String? = nil,
            repeats: Bool = false, isWritten: Bool = false
        ) {
            (self.name, self.alias, self.value, self.help) = (name, alias, value, help)
            (self.repeats, self.isWritten) = (repeats, isWritten)
        }

        /// The option as it appears in the help: its names and its value.
        package var usage: String {
            (alias.map { "\($0), " } ?? "") + name + (value.map { " \($0.name)" } ?? "")
        }
    }

    /// The value of an option, or an operand.
    package struct Value: Equatable, Sendable {
        /// What a shell can offer as completions.
        package enum Completion: Equatable, Sendable {
            /// Nothing: any text.
            case text
            case file
            case directory
            /// A scenario, by its name or in a file.
            case scenario
            /// One of these words.
            case word([String])
            /// Several of these words, with commas between them.
            case list([String])
            /// The place of a controller; see `TransportMoniker`.
            case moniker
            /// The name of an adapter of bluetoothd.
            case adapter
        }

        /// The name of the value in the help text.
        package var name: String
        package var completion: Completion

        /// Whether it may name a file.
        fileprivate var isFile: Bool { completion == .file || completion == .scenario }

        /// A value of a kind.
        package init(_ name: String, _ form: WordForm) {
            self.name = name
            completion =
                switch form {
                case .known(.files): .file
                case .known(.directories): .directory
                case .known(.scenarios): .scenario
                case .known(.monikers): .moniker
                case .known(.adapters): .adapter
                case .words(let words): .word(words)
                case .list(.words(let words)): .list(words)
                case .text, .known, .boolean, .number, .constant, .list, .members, .oneOf: .text
                }
        }

        package static func text(_ name: String) -> Self { Self(name, .text) }
        package static func file(_ name: String = "FILE") -> Self { Self(name, .known(.files)) }
        package static let scenario = Self("SCENARIO", .known(.scenarios))
        package static let directory = Self("DIR", .known(.directories))
        package static let moniker = Self("MONIKER", .known(.monikers))
        package static func word(_ name: String, _ words: [String]) -> Self {
            Self(name, .words(words))
        }
    }

    /// An error in a command line, in one sentence, or the mistakes in a file that it names.
    package struct UsageError: Error {
        package var message: String
        /// What is written to standard error, safe for a terminal.
        package var lines: [String]

        package init(_ message: String) { self.init(message: message) }

        package init(message: String) {
            self.message = message
            lines = ["ancs: \(TerminalText.visible(message))"]
        }

        /// Mistakes in a file, a line each, with the place first, where editors look for it.
        package init(mistakes: [String]) {
            message = mistakes.joined(separator: "; ")
            lines = mistakes.map { TerminalText.visible($0) }
        }
    }

    /// The options and operands of a parsed command line.
    package struct Arguments {
        /// The command that they were given to.
        package let command: String
        fileprivate var values: [String: [String]] = [:]
        /// The words that belong to no option.
        package fileprivate(set) var operands: [String] = []
        /// The words after `--`, for a command that runs a program.
        package fileprivate(set) var program: [String] = []

        /// Whether a flag was given.
        package func has(_ flag: String) -> Bool { values[flag] != nil }

        /// The value of an option (the last one, if it was repeated), or `nil` if it was not given.
        package subscript(option: String) -> String? { values[option]?.last }

        /// All values of an option that may be repeated.
        package func all(_ option: String) -> [String] { values[option] ?? [] }
    }

    package var command: String
    package var summary: String { makeSummary() }
    package var operands = ""
    /// How many operands there may be.
    package var operandCount = 0...0
    /// Descriptions of the operands, in order; operands after the last one are not described.
    package var operandValues: [Value] = []
    package var options: [Option] { makeOptions() }
    /// Whether the words after `--` are a program to run, with its arguments.
    package var runsProgram = false
    // Made when they are asked for: to find a command, and to list all, neither is needed.
    private let makeSummary: @Sendable () -> String
    private let makeOptions: @Sendable () -> [Option]

    package init(
        command: String, summary: @autoclosure @escaping @Sendable () -> String,
        operands: String = "", operandCount: ClosedRange<Int> = 0...0, operandValues: [Value] = [],
        options: @autoclosure @escaping @Sendable () -> [Option], runsProgram: Bool = false
    ) {
        (self.command, self.operands, self.operandCount) = (command, operands, operandCount)
        self.operandValues = operandValues
        makeSummary = summary
        makeOptions = options
        self.runsProgram = runsProgram
    }

    /// Parses the words after the command's name. `--option VALUE` and `--option=VALUE` mean the same; `--`
    /// ends the options.
    package func parse(_ words: some Sequence<String>) throws(UsageError) -> Arguments {
        var arguments = Arguments(command: command)
        let options = options
        var words = words.makeIterator()
        var takesOptions = true
        while let word = words.next() {
            guard takesOptions, word.utf8.first == UInt8(ascii: "-"), word != "-" else {
                arguments.operands.append(word)
                continue
            }
            if word == "--" {
                takesOptions = false
                while runsProgram, let word = words.next() { arguments.program.append(word) }
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
        // `--help` works even if the operands are wrong.
        guard operandCount.contains(arguments.operands.count) || arguments.has("--help") else {
            let stray = arguments.operands.last.map { "unexpected '\($0)'" } ?? "missing argument"
            throw UsageError(message: "\(stray); \(usage)")
        }
        try checkFiles(of: arguments)
        return arguments
    }

    /// Refuses two names of one file of which at least one would be written: the other would be lost.
    private func checkFiles(of arguments: Arguments) throws(UsageError) {
        var files: [(name: String, path: String, isWritten: Bool)] = []
        for option in options where option.value?.isFile == true {
            files += arguments.all(option.name).suffix(option.repeats ? .max : 1).map {
                (option.name, $0, option.isWritten)
            }
        }
        guard files.contains(where: \.isWritten) else { return }
        for (index, path) in arguments.operands.enumerated() {
            guard let last = operandValues.last, path != "-" else { break }
            let value = index < operandValues.count ? operandValues[index] : last
            if value.isFile { files.append((value.name, path, false)) }
        }
        for (index, file) in files.enumerated() {
            let other = files[..<index].first {
                ($0.isWritten || file.isWritten) && SystemFile.isSame($0.path, file.path)
            }
            guard let other else { continue }
            throw UsageError(
                message: "\(other.name) and \(file.name) name the same file, \(file.path): each "
                    + "needs one of its own")
        }
    }

    /// The error for a word that is not an option.
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
            guard given == nil else { throw UsageError(message: "\(option.name) takes no value") }
            return ""
        }
        guard let value = given ?? next() else {
            throw UsageError(message: "\(option.name) needs a value: \(wanted.name)")
        }
        return value
    }

    /// One line that shows how to run the command.
    package var usage: String {
        "usage: ancs \(command) [options]" + (operands.isEmpty ? "" : " \(operands)")
    }

    /// The narrowest column in which the description of an option stands beside it.
    private static let narrowest = 24

    /// The whole help text, in lines of at most `width` columns; only a longer word exceeds them.
    package func help(width: Int = 100) -> String {
        let heads = options.map { "  " + $0.usage }
        let indent = (heads.map(\.count).max() ?? 0) + 2
        let lines = zip(heads, options).flatMap { head, option in
            guard width - indent >= Self.narrowest else {
                return [head]
                    + WrappedText.lines(of: option.help, width: width - 6).map { "      " + $0 }
            }
            return WrappedText.lines(of: option.help, width: width - indent).enumerated()
                .map { index, line in
                    let head = index == 0 ? head : ""
                    return head + String(repeating: " ", count: indent - head.count) + line
                }
        }
        let texts = FoldedLine.lines(of: usage, width: width) + [""] + summaryLines(width: width)
        return (texts + [""] + lines).joined(separator: "\n") + "\n"
    }

    /// The summary, as it is written if it fits; otherwise with its paragraphs broken elsewhere.
    private func summaryLines(width: Int) -> [String] {
        let lines = summary.split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
        return lines.split(separator: "", omittingEmptySubsequences: false).flatMap { paragraph in
            // Lines that begin with a space are a list or an example.
            let isText = !paragraph.contains { $0.hasPrefix(" ") }
            let fits = paragraph.allSatisfy { $0.count <= width }
            let broken =
                isText && !fits
                ? WrappedText.lines(of: paragraph.joined(separator: " "), width: width)
                : paragraph.flatMap { FoldedLine.lines(of: $0, width: width) }
            return broken + [""]
        }.dropLast()
    }
}
