package import CommandKit

// The options of commands that play scenarios.
extension CommandOption {
    /// `--report`.
    package static func report(_ path: any WritableKeyPath<Root, String?> & Sendable) -> Self {
        Self(
            "--report", "FILE", .file, into: path,
            "write what happened as a page for a browser (HTML); see Report.md", isWritten: true)
    }

    /// `--no-content`, for the files of `--report` and `--junit`.
    package static func noContent(
        _ path: any WritableKeyPath<Root, ReportTexts> & Sendable
    ) -> Self {
        flag(
            "--no-content", path, is: .left,
            "leave texts of notifications, and what a program prints, out of the files of --report and --junit"
        )
    }

    /// `--content`, for the same files.
    package static func content(_ path: any WritableKeyPath<Root, ReportTexts> & Sendable) -> Self {
        flag(
            "--content", path, is: .wanted,
            "show them, as without it, but in files that only you can read")
    }

    /// `--title`, for the page of `--report`.
    package static func title(_ path: any WritableKeyPath<Root, String?> & Sendable) -> Self {
        Self("--title", "TEXT", .text, into: path, "the title of the report, such as a version")
    }

    /// `--no-date`, for the page of `--report`.
    package static func noDate(_ path: any WritableKeyPath<Root, Bool> & Sendable) -> Self {
        flag("--no-date", path, is: false, "leave the date out of the report")
    }

    /// `--junit`, for a command that plays scenarios.
    package static func junit(_ path: any WritableKeyPath<Root, String?> & Sendable) -> Self {
        Self(
            "--junit", "FILE", .file, into: path, "write what came of it as JUnit XML",
            isWritten: true)
    }

    /// `--limit`, for a command that plays scenarios.
    package static func limit(_ path: any WritableKeyPath<Root, Duration?> & Sendable) -> Self {
        Self(
            "--limit", "SECONDS", Kind.integer(in: 1...1_000_000).map { .seconds($0) }, into: path,
            "end a run after so long, 1 to 1000000")
    }
}
