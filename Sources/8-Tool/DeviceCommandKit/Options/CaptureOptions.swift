package import CommandKit

/// Where the packets of a run are recorded.
package struct CapturePlace: Equatable, Sendable {
    /// The file, or the directory of several.
    package var path: String
    /// Whether what is recorded can be sent: `--snoop-redacted`.
    package var isRedacted: Bool

    package init(path: String, isRedacted: Bool = false) {
        (self.path, self.isRedacted) = (path, isRedacted)
    }
}

extension CommandOption {
    /// `--snoop`, with a note on the secrets in a capture; `value` is its file, or the directory of several. It reads
    /// `--snoop-redacted` too.
    package static func snoop(
        _ place: any WritableKeyPath<Root, CapturePlace?> & Sendable,
        _ help: String = "write the HCI packets to a btsnoop capture",
        _ value: CommandSyntax.Value = .file()
    ) -> Self {
        let help = help + "; it contains texts and keys"
        return Self(.init("--snoop", value, help, isWritten: value == .file())) {
            arguments, root throws(CommandSyntax.UsageError) in
            root[keyPath: place] = try arguments.capturePlace()
        }
    }

    /// `--snoop-redacted`, beside `--snoop`.
    package static func snoopRedacted(_ value: CommandSyntax.Value = .file()) -> Self {
        Self(
            "--snoop-redacted", value,
            "the same without texts, names, addresses and keys, to send to others",
            isWritten: value == .file())
    }
}

extension CommandSyntax.Arguments {
    /// What `--snoop` or `--snoop-redacted` names.
    package func capturePlace() throws(CommandSyntax.UsageError) -> CapturePlace? {
        guard let path = self["--snoop-redacted"] else {
            return self["--snoop"].map { CapturePlace(path: $0) }
        }
        guard self["--snoop"] == nil else {
            throw .init(
                "--snoop and --snoop-redacted exclude each other: 'ancs decode FILE --redact' makes "
                    + "the second of the first")
        }
        return CapturePlace(path: path, isRedacted: true)
    }
}
