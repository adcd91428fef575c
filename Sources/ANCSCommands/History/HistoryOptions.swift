internal import Terminal
internal import ANCSService
internal import LinuxIO

/// The command line of `ancs history`.
struct HistoryOptions: Equatable, Sendable {
    static let syntax = CommandSyntax(
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
        options: [
            .init(
                "--app", .text("APP"),
                "only those of one app, by its identifier, such as com.apple.MobileSMS, or its name"
            ),
            .init(
                "--since", .text("TIME"),
                "only those of the last 2h, 7d or 3w, or since 2026-11-22 or 2026-11-22T12:00"),
            .init("--missed", nil, "only missed calls"),
            .init("--limit", .text("N"), "at most N notifications (default: 50)"),
            .init("--json", nil, "JSON Lines on standard output"),
            .init(
                "--forget", nil,
                "remove notifications: those with the given IDs, those of --app, or all with --all"),
            .init("--all", nil, "with --forget: all notifications"),
            .init(
                "--state", .directory,
                "the directory of the history (default: $XDG_STATE_HOME/ancs)"),
            .help,
        ])

    enum Action: Equatable, Sendable {
        case list(HistoryQuery)
        /// Remove notifications that match; all conditions are of the same kind.
        case forget([HistoryRemoval])
    }

    var action: Action
    var stateDirectory: String
    var isJSON: Bool

    /// Parses a command line at the given time.
    init(
        _ arguments: CommandSyntax.Arguments, environment: [String: String],
        now: CaptureTime = .now
    ) throws(CommandSyntax.UsageError) {
        stateDirectory = try arguments.stateDirectory(environment: environment)
        isJSON = arguments.has("--json")
        if arguments.has("--forget") {
            action = .forget(try Self.removals(arguments))
        } else {
            action = .list(try Self.query(arguments, now))
        }
    }

    private static func query(
        _ arguments: CommandSyntax.Arguments, _ now: CaptureTime
    ) throws(CommandSyntax.UsageError) -> HistoryQuery {
        guard !arguments.has("--all") else {
            throw .init(message: "--all works with --forget only")
        }
        var query = HistoryQuery()
        query.text = arguments.operands.joined(separator: " ")
        query.app = arguments["--app"]
        query.isMissedCalls = arguments.has("--missed")
        query.limit = try arguments.integer("--limit", in: 1...1_000_000) ?? query.limit
        if let text = arguments["--since"] { query.since = try since(text, now) }
        return query
    }

    private static func since(
        _ text: String, _ now: CaptureTime
    ) throws(CommandSyntax.UsageError) -> CaptureTime {
        if let duration = DurationWord.duration(text), duration <= .seconds(1_000_000_000) {
            return now + (.zero - duration)
        }
        guard let time = LocalClock.time(text) else {
            throw .init(
                message: "--since takes a time such as 2h, 7d, 3w, 2026-11-22 or 2026-11-22T12:00, "
                    + "not '\(text)'")
        }
        return time
    }

    private static func removals(
        _ arguments: CommandSyntax.Arguments
    ) throws(CommandSyntax.UsageError) -> [HistoryRemoval] {
        for option in ["--since", "--missed", "--limit"] where arguments.has(option) {
            throw .init(message: "\(option) and --forget exclude each other")
        }
        let removals = try ids(arguments.operands).map { HistoryRemoval.record($0) }
        let app = arguments["--app"].map { [HistoryRemoval.app($0)] } ?? []
        let all: [HistoryRemoval] = arguments.has("--all") ? [.all] : []
        // A command line that could be misunderstood must not remove more than intended.
        switch [removals, app, all].filter({ !$0.isEmpty }) {
        case let kinds where kinds.count == 1: return kinds[0]
        default:
            throw .init(message: "--forget takes either IDs, or --app APP, or --all")
        }
    }

    private static func ids(_ words: [String]) throws(CommandSyntax.UsageError) -> [RecordID] {
        var ids: [RecordID] = []
        for word in words {
            guard let id = RecordID(word) else {
                throw .init(
                    message: "'\(word)' is not the ID of a notification; 'ancs history' shows them")
            }
            ids.append(id)
        }
        return ids
    }
}
