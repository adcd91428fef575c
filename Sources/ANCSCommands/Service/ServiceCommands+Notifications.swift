internal import Terminal
internal import ANCSService
internal import DBus
internal import JSONText
internal import LinuxIO

// Commands about notifications.
extension ServiceCommands {
    static func list(
        _ client: ServiceClient, _ arguments: CommandSyntax.Arguments
    ) async throws(ServiceClient.Failure) {
        let isJSON = arguments.has("--json")
        let lines = try await client.call("List", [.uint32(0)]).first?.strings ?? []
        for line in lines { show(line, isJSON: isJSON) }
        if lines.isEmpty, !isJSON {
            StandardStreams.writeLine(
                "no notifications; 'ancs status' shows the state of the phones")
        }
    }

    static func perform(
        _ arguments: CommandSyntax.Arguments, on loop: EventLoop
    ) async throws(CommandSyntax.UsageError) -> ExitStatus {
        let words = arguments.operands
        guard let id = RecordID(words[0]) else {
            throw .init(
                message: "'\(words[0])' is not the id of a notification; 'ancs list' shows them")
        }
        return try await run(arguments, on: loop) { client throws(ServiceClient.Failure) in
            _ = try await client.call("Perform", [.string(id.description), .string(words[1])])
        }
    }

    static func watch(
        _ client: ServiceClient, _ arguments: CommandSyntax.Arguments
    ) async throws(ServiceClient.Failure) {
        let isJSON = arguments.has("--json")
        var watch = NotificationWatch(client, isJSON: isJSON)
        try await watch.run()
    }

    /// Prints a record, for users or as JSON.
    static func show(_ line: String, isJSON: Bool) {
        guard !isJSON, let record = try? JSONValue(parsing: line) else {
            StandardStreams.writeLine(line)
            return
        }
        for line in RecordLines(record).lines { StandardStreams.writeLine(line) }
    }
}

/// A record as text for users.
struct RecordLines: Sendable {
    private let record: JSONValue

    /// Creates the lines of a record in the form of `ancs receive --json`.
    init(_ record: JSONValue) { self.record = record }

    var lines: [String] {
        let name = record["app"]?["displayName"]?.string ?? record["app"]?["identifier"]?.string
        let title = [name ?? text("category"), text("title")].filter { !$0.isEmpty }
        let texts = [text("subtitle"), text("message")].filter { !$0.isEmpty }
        let actions = ["positive", "negative"].compactMap { record["actions"]?[$0]?.string }
            .filter { !$0.isEmpty }
        let muted = record["muted"]?.boolean == true ? "muted" : ""
        let details =
            [text("id"), muted, text("category"), text("date")] + actions.map { "[\($0)]" }
        return ["\(mark) " + TerminalText.visible(title.joined(separator: " · "))]
            + texts.map { "    " + TerminalText.visible($0) }
            + [
                "    "
                    + TerminalText.visible(
                        details.filter { !$0.isEmpty }.joined(separator: " · "))
            ]
    }

    private func text(_ name: String) -> String { record[name]?.string ?? "" }

    private var mark: String {
        switch text("event") {
        case "announced": "!"
        case "modified": "~"
        case "removed": "-"
        default: "+"
        }
    }
}
