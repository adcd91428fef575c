internal import ANCSService
internal import DBus
internal import JSONText
internal import LinuxIO

/// The commands that speak to the daemon.
enum ServiceCommands {
    private static func syntax(
        _ command: String, _ summary: String, operands: String = "",
        _ count: ClosedRange<Int> = 0...0, values: [CommandSyntax.Value] = [],
        json: String? = nil, more: [CommandSyntax.Option] = []
    ) -> CommandSyntax {
        CommandSyntax(
            command: command, summary: summary, operands: operands, operandCount: count,
            operandValues: values,
            options: more + (json.map { [.init("--json", nil, $0)] } ?? []) + [
                .init("--user", nil, "the daemon of this user only"),
                .init("--system", nil, "the daemon of the whole machine only"),
                .help,
            ])
    }

    static let status = syntax(
        "status", "Says how 'ancs serve' and its phones are, and what to do about it.",
        json: "one JSON object on standard output")
    static let list = syntax(
        "list", "Lists the notifications that the phones have now.",
        json: "a JSON object for each on standard output")
    static let watch = syntax(
        "watch", "Shows notifications as they come, until it is interrupted.",
        json: "JSON Lines, as of 'ancs receive --json', each with its id")
    static let perform = syntax(
        "perform",
        "Performs an action on a notification, as 'ancs list' names it: the negative action of most "
            + "clears them, that of a ringing call declines it.",
        operands: "ID positive|negative", 2...2,
        values: [.text("ID"), .word("ACTION", ["positive", "negative"])])
    static let forget = syntax(
        "forget",
        "Forgets a phone: its bond, its notifications, and what the history keeps of it. PHONE is "
            + "its name, or the digest that 'ancs status --json' names it by. It can come back by "
            + "pairing again.",
        operands: "PHONE", 1...1, values: [.text("PHONE")])
    static let mute = syntax(
        "mute",
        "Mutes an app: its notifications are not shown and their text is not fetched from the phone. 'ancs "
            + "apps' lists apps. Without an app, lists those that are muted.",
        operands: "[APP [\(MuteTerm.forms)]]", 0...2,
        values: [.text("APP"), .word("TIME", ["30m", "1h", "7d", "today", "always", "off"])])
    static let apps = syntax(
        "apps", "Lists the apps that have sent notifications since 'ancs serve' started.",
        json: "a JSON object for each on standard output")
    static let pair = syntax(
        "pair",
        "Lets a phone pair for two minutes, and asks what there is to ask. On the iPhone, open Settings > "
            + "Bluetooth and choose the name.",
        more: [
            .init("--seconds", .text("S"), "how long phones may pair (default: 120)")
        ])

    /// Which bus was asked for; `nil` for whichever has the daemon.
    private static func usesSystemBus(
        _ arguments: CommandSyntax.Arguments
    ) throws(CommandSyntax.UsageError) -> Bool? {
        switch (arguments.has("--user"), arguments.has("--system")) {
        case (true, true):
            throw .init(message: "--user and --system exclude each other")
        case (true, false): false
        case (false, true): true
        case (false, false): nil
        }
    }

    static func run(
        _ arguments: CommandSyntax.Arguments,
        _ body: @Sendable (ServiceClient) async throws(ServiceClient.Failure) -> Void
    ) async throws(CommandSyntax.UsageError) -> ExitStatus {
        await ServiceClient.run(usesSystemBus: try usesSystemBus(arguments)) {
            client throws(ServiceClient.Failure) in
            try await body(client)
            return .success
        }
    }
}
