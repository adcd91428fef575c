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
        case .invalid(let file, let mistakes): DocumentErrors.lines(of: mistakes, in: file)
        }
    }
}
