internal import ANCSService
internal import LinuxIO

/// What `ancs history` was told on the command line.
struct HistoryOptions: Hashable, Sendable {
    static let syntax = CommandSyntax(
        command: "history",
        summary: """
            Lists the notifications that 'ancs serve' has kept, the latest at the end: all of them,
            or those with words that begin with the words of QUERY in the name of the app or in
            a text. Upper case and accents make no difference.

            The history is off unless 'keep' under [history] in the configuration turns it on.
            With --forget it removes notifications for good: those of IDs, as the list shows them,
            those of one app, or all. The daemon may go on running; what came within the last
            second may still be on its way to the file.
            """,
        operands: "[QUERY ...] | --forget [ID ...]", operandCount: 0...64,
        options: [
            .init(
                "--app", .text("ID"), "of one app, by its identifier, such as com.apple.MobileSMS"),
            .init(
                "--since", .text("TIME"),
                "of the last 2h or 7d, or since 2026-11-22 or 2026-11-22T12:00"),
            .init("--missed", nil, "missed calls"),
            .init("--limit", .text("N"), "how many at most (default: 50)"),
            .init("--json", nil, "JSON Lines on standard output"),
            .init("--forget", nil, "remove those of IDs, of --app, or with --all all"),
            .init("--all", nil, "with --forget: everything"),
            .init(
                "--state", .directory, "where the history is kept (default: $XDG_STATE_HOME/ancs)"),
            .help,
        ])

    enum Action: Hashable, Sendable {
        case list(HistoryQuery)
        /// These, which are of the same kind.
        case forget([HistoryRemoval])
    }

    var action: Action
    var stateDirectory: String
    var isJSON: Bool

    /// Reads a command line at a time.
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
        guard !arguments.has("--all") else { throw .init(message: "--all is for --forget") }
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
                message: "--since takes a time such as 2h, 7d, 2026-11-22 or 2026-11-22T12:00, "
                    + "not '\(text)'")
        }
        return time
    }

    private static func removals(
        _ arguments: CommandSyntax.Arguments
    ) throws(CommandSyntax.UsageError) -> [HistoryRemoval] {
        for option in ["--since", "--missed", "--limit"] where arguments.has(option) {
            throw .init(message: "\(option) is for lists, and not for --forget")
        }
        let removals = try ids(arguments.operands).map { HistoryRemoval.record($0) }
        let app = arguments["--app"].map { [HistoryRemoval.app($0)] } ?? []
        let all: [HistoryRemoval] = arguments.has("--all") ? [.all] : []
        // A misunderstanding must not cost more than was meant.
        switch [removals, app, all].filter({ !$0.isEmpty }) {
        case let kinds where kinds.count == 1: return kinds[0]
        default:
            throw .init(message: "--forget takes either IDs, or --app ID, or --all")
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
