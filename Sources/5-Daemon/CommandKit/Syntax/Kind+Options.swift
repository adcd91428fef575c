package import Kinds

extension Kind<String> {
    /// The path of a file.
    package static let file = Kind.text("a file", typed: .known(.files)) { $0 }

    /// The name of a scenario, or the path of its file.
    package static let scenario = Kind.text("a scenario", typed: .known(.scenarios)) { $0 }

    /// The path of a directory; whether it may be empty is for the command.
    package static let anyDirectory = Kind.text("a directory", typed: .known(.directories)) { $0 }

    /// The path of a directory.
    package static let directory = Kind.described(
        "a directory, not an empty path", typed: .known(.directories)
    ) { !$0.isEmpty }

    /// The name of a device.
    package static let deviceName = Kind.described("1 to 248 octets without control characters") {
        (1...248).contains($0.utf8.count) && TerminalText.visible($0) == $0
    }

    /// Text that a mistake does not repeat, because it may be long or cannot be shown.
    package static func described(
        _ expected: String, typed form: WordForm = .text,
        _ isValid: @escaping @Sendable (String) -> Bool
    ) -> Kind {
        Kind(expected, SchemaFragment.text.typed(form)) { value, mistakes in
            if let text = value.string, isValid(text) { return text }
            mistakes.append(Mismatch(.expectedOnly(expected)))
            return nil
        }
    }
}
