package import CommandKit

/// The commands that use the daemon.
package enum ServiceCommands {
    private static func syntax(
        _ command: String, _ summary: String, operands: String = "",
        _ count: ClosedRange<Int> = 0...0, values: [CommandSyntax.Value] = [],
        json: String? = nil, more: [CommandSyntax.Option] = []
    ) -> CommandSyntax {
        CommandSyntax(
            command: command, summary: summary, operands: operands, operandCount: count,
            operandValues: values,
            options: more + (json.map { [.init("--json", nil, $0)] } ?? []) + [
                .init("--user", nil, "use this user's daemon only"),
                .init("--system", nil, "use the gateway's daemon only"),
                .help,
            ])
    }

    package static let status = syntax(
        "status", "Shows the state of 'ancs serve' and its phones, and what to do about problems.",
        json: "one JSON object on standard output")
    package static let list = syntax(
        "list", "Lists the current notifications of the phones.",
        json: "JSON Lines on standard output")
    package static let watch = syntax(
        "watch", "Shows notifications as they arrive, until it is interrupted.",
        json: "JSON Lines, as 'ancs receive --json' prints them, each with an id")
    package static let perform = syntax(
        "perform",
        """
        Performs an action on a notification. 'ancs list' shows the ID and the labels of the actions.
        ACTION is positive or negative, a label, or a word for what it does: answer or decline for a
        ringing call, 'hang up' for an active one, clear for any other notification.
        """,
        operands: "ID ACTION", 2...2,
        values: [
            .text("ID"),
            .word("ACTION", ["positive", "negative", "answer", "decline", "clear"]),
        ])
    package static let forget = syntax(
        "forget",
        """
        Forgets a phone: its bond, its notifications, and what the history keeps of it. PHONE is its
        name, or its digest from 'ancs status --json'. To use it again, pair it again. 'ancs bonds remove'
        is for the bonds of 'ancs receive --hci' and 'ancs phone', while they do not run.
        """,
        operands: "PHONE", 1...1, values: [.text("PHONE")])
    package static let mute = syntax(
        "mute",
        """
        Mutes an app: its notifications are not shown, and their text is not fetched from the phone.
        APP is its identifier or its name, as --list shows them, and TIME a time such as 30m, 1h
        or 7d (default: always). Without an app, lists the muted ones.
        """,
        operands: "[APP [TIME|today|always|off]]", 0...2,
        values: [.text("APP"), .word("TIME", ["30m", "1h", "7d", "today", "always", "off"])],
        json: "JSON Lines on standard output, with --list",
        more: [
            .init(
                "--list", nil,
                "list the apps that have sent notifications since 'ancs serve' started")
        ])
    /// The name in version 0.1 of 'ancs mute --list'.
    package static let apps = syntax(
        "apps",
        "Lists the apps that have sent notifications since 'ancs serve' started: now 'ancs mute --list'.",
        json: "JSON Lines on standard output")
    package static let pair = syntax(
        "pair",
        """
        Lets a phone pair for two minutes, says what to do on the phone and what was seen, and asks
        the questions of pairing. Ends when notifications arrive, or with the most likely cause
        why they do not.
        """,
        json: "JSON Lines on standard output: each step, with its text",
        more: [
            .init("--seconds", .text("S"), "how long phones may pair (default: 120)")
        ])

    /// Which bus the options name; `nil` for the one on which the daemon is found.
    private static func usesSystemBus(
        _ arguments: CommandSyntax.Arguments
    ) throws(CommandSyntax.UsageError) -> Bool? {
        switch (arguments.has("--user"), arguments.has("--system")) {
        case (true, true): throw .init(message: "--user and --system exclude each other")
        case (true, false): false
        case (false, true): true
        case (false, false): nil
        }
    }

    package static func run(
        _ arguments: CommandSyntax.Arguments, on loop: EventLoop,
        _ body: @Sendable (ServiceClient) async throws(ServiceClient.Failure) -> Void
    ) async throws(CommandSyntax.UsageError) -> ExitStatus {
        await ServiceClient.run(usesSystemBus: try usesSystemBus(arguments), on: loop) {
            client throws(ServiceClient.Failure) in
            try await body(client)
            return .success
        }
    }
}
