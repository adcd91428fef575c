package import CommandKit

/// Whether the files of `--report` and `--junit` have texts: those of notifications, and what a program printed.
package enum ReportTexts: Sendable {
    /// They have, which is the default: the texts of a simulated phone are those of its scenario. Version 0.1 masked
    /// them, so a line says it.
    case usual
    /// They were asked for.
    case wanted
    /// They are left out.
    case left

    /// The mode of the files. Version 0.1 made what had been asked for private, and goes on to.
    package var mode: UInt32 { self == .wanted ? 0o600 : 0o644 }

    /// Refuses options that contradict each other, and those that have no file.
    package static func check(
        _ arguments: CommandSyntax.Arguments, _ files: [String?]
    ) throws(CommandSyntax.UsageError) {
        let given = ["--content", "--no-content"].filter(arguments.has)
        guard let first = given.first else { return }
        guard given.count == 1 else {
            throw .init(message: "--content and --no-content contradict each other")
        }
        guard files.contains(where: { $0 != nil }) else {
            throw .init(message: "\(first) needs --report FILE or --junit FILE")
        }
    }
}
