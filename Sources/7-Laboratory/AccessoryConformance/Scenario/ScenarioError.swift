internal import Kinds
public import LinuxIO

/// Why a scenario could not be read.
public enum ScenarioError: Error {
    /// No scenario of the package has this name; perhaps another one was meant.
    case unknownName(String, suggestion: String?)
    /// The file could not be read, or is larger than 16 MiB.
    case unreadable(IOError)
    /// It is not a scenario: all mistakes, in order. `file` is its path or name.
    case invalid(file: String, [ScenarioMistake])

    /// The reason, a line for each mistake. It may have text from the file.
    public var message: String { lines.joined(separator: "\n") }

    /// The same, a line each.
    package var lines: [String] {
        switch self {
        case .unknownName(let name, let suggestion):
            [
                "no scenario is named \"\(name)\""
                    + (suggestion.map { "; did you mean \"\($0)\"?" } ?? "")
            ]
        case .unreadable(let error): [error.message]
        case .invalid(let file, let mistakes):
            DocumentErrors.lines(of: mistakes.map(\.ofDocument), in: file)
        }
    }
}

/// A mistake in a scenario, and where it is.
public struct ScenarioMistake: Error, Hashable, Sendable {
    /// The line, from 1.
    public var line: Int
    /// The column, from 1.
    public var column: Int
    /// What was expected there and what was found. It may have text from the file.
    public var message: String

    init(_ mistake: DocumentMistake) {
        line = mistake.line
        column = mistake.column
        message = mistake.message
    }

    fileprivate var ofDocument: DocumentMistake {
        DocumentMistake(line: line, column: column, message: message)
    }
}
