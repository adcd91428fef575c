internal import ANCSService
package import CommandKit

/// The command line of `ancs history`.
package struct HistoryOptions: Equatable, Sendable {
    package static let syntax = CommandSyntax(
        command: "history",
        summary: """
            Lists the notifications that 'ancs serve' has kept, the latest at the end. With QUERY, only
            those whose app or text has words that begin with the words of QUERY; case and accents do
            not matter.

            The history is off unless 'keep' under [history] in the configuration turns it on.
            With --forget, the command removes notifications permanently: those with the given IDs,
            those of one app, or all. The daemon may keep running; notifications of the last second
            may not be in the file yet.
            """,
        operands: "[QUERY ...] | --forget [ID ...]", operandCount: 0...64,
        options: table.map(\.syntax))

    private static let table: [CommandOption<Self>] = [
        .init(
            "--app", "APP", .text, into: \.query.app,
            "only those of one app, by its identifier, such as com.apple.MobileSMS, or its name"),
        .init(
            "--since", .text("TIME"),
            "only those of the last 2h, 7d or 3w, or since 2026-11-22 or 2026-11-22T12:00"),
        .flag("--missed", \.query.isMissedCalls, "only missed calls"),
        .init(
            "--limit", "N", .integer(in: 1...1_000_000), replacing: \.query.limit,
            "at most N notifications (default: 50)"),
        .json(\.isJSON),
        .flag(
            "--forget", \.forgets,
            "remove notifications: those with the given IDs, those of --app, or all with --all"),
        .flag("--all", \.forgetsAll, "with --forget: all notifications"),
        .init(
            "--state", .directory,
            "the directory of the history (default: $XDG_STATE_HOME/ancs)"),
        .help,
    ]

    enum Action: Equatable, Sendable {
        case list(HistoryQuery)
        /// Remove notifications that match; all conditions are of the same kind.
        case forget([HistoryRemoval])
    }

    var action: Action { forgets ? .forget(removals) : .list(query) }
    var stateDirectory: String
    var isJSON = false
    private var query = HistoryQuery()
    private var forgets = false
    private var forgetsAll = false
    private var removals: [HistoryRemoval] = []

    /// Parses a command line at the given time.
    package init(
        _ arguments: CommandSyntax.Arguments, environment: [String: String], now: CaptureTime = .now
    ) throws(CommandSyntax.UsageError) {
        stateDirectory = try arguments.stateDirectory(environment: environment)
        try arguments.read(Self.table, into: &self)
        if forgets {
            removals = try removals(arguments)
        } else {
            guard !forgetsAll else { throw .init(message: "--all works with --forget only") }
            query.text = arguments.operands.joined(separator: " ")
            query.since = try arguments.value("--since", .since(now))
        }
    }

    private func removals(
        _ arguments: CommandSyntax.Arguments
    ) throws(CommandSyntax.UsageError) -> [HistoryRemoval] {
        for option in ["--since", "--missed", "--limit"] where arguments.has(option) {
            throw .init(message: "\(option) and --forget exclude each other")
        }
        let removals = try Self.ids(arguments.operands).map { HistoryRemoval.record($0) }
        let app = query.app.map { [HistoryRemoval.app($0)] } ?? []
        let all: [HistoryRemoval] = forgetsAll ? [.all] : []
        // A command line that could be misunderstood must not remove more than intended.
        switch [removals, app, all].filter({ !$0.isEmpty }) {
        case let kinds where kinds.count == 1: return kinds[0]
        default: throw .init(message: "--forget takes either IDs, or --app APP, or --all")
        }
    }

    private static func ids(_ words: [String]) throws(CommandSyntax.UsageError) -> [RecordID] {
        var ids: [RecordID] = []
        for word in words {
            guard let id = RecordID(word) else {
                throw .init("'\(word)' is not the ID of a notification; 'ancs history' shows them")
            }
            ids.append(id)
        }
        return ids
    }
}

extension Kind<CaptureTime> {
    /// A time, or how long ago it was.
    fileprivate static func since(_ now: CaptureTime) -> Kind {
        .text("a time such as 2h, 7d, 3w, 2026-11-22 or 2026-11-22T12:00") { text in
            if let duration = DurationWord.duration(text), duration <= .seconds(1_000_000_000) {
                return now + (.zero - duration)
            }
            return LocalClock.time(text)
        }
    }
}
