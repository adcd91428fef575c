internal import ANCSService
internal import DBus
internal import JSONText
internal import LinuxIO

// Commands about notifications.
extension ServiceCommands {
    static func list(
        _ arguments: CommandSyntax.Arguments, on loop: EventLoop
    ) async throws(CommandSyntax.UsageError) -> ExitStatus {
        let isJSON = arguments.has("--json")
        return try await run(arguments, on: loop) { client throws(ServiceClient.Failure) in
            let lines = try await client.call("List", [.uint32(0)]).first?.strings ?? []
            for line in lines { show(line, isJSON: isJSON) }
            if lines.isEmpty, !isJSON {
                StandardStreams.writeLine(
                    "no notifications; 'ancs status' shows the state of the phones")
            }
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
        guard ["positive", "negative"].contains(words[1]) else {
            throw .init(message: "an action is positive or negative, not '\(words[1])'")
        }
        return try await run(arguments, on: loop) { client throws(ServiceClient.Failure) in
            _ = try await client.call("Perform", [.string(id.description), .string(words[1])])
        }
    }

    static func watch(
        _ arguments: CommandSyntax.Arguments, on loop: EventLoop
    ) async throws(CommandSyntax.UsageError) -> ExitStatus {
        let isJSON = arguments.has("--json")
        return try await run(arguments, on: loop) { client throws(ServiceClient.Failure) in
            for await signal in await client.signals(BusNames.manager, "Notification") {
                guard let signal else {
                    throw .init(status: .failure, message: "'ancs serve' has ended")
                }
                await follow(signal, of: client, isJSON: isJSON)
            }
        }
    }

    /// Signals carry no text, so it is read from the daemon, unless the notification has been removed.
    private static func follow(
        _ signal: BusSignal, of client: ServiceClient, isJSON: Bool
    ) async {
        guard signal.arguments.count == 3, let event = signal.arguments[0].string,
            let path = signal.arguments[1].objectPath
        else { return }
        guard event != "removed" else {
            let header = signal.arguments[2].properties ?? [:]
            return show(removal: header, isJSON: isJSON)
        }
        do throws(ServiceClient.Failure) {
            let values = try await client.call(
                "JSON", [.string(event)], of: BusNames.notification, at: path)
            if let line = values.first?.string { show(line, isJSON: isJSON) }
        } catch { return }
    }

    private static func show(removal header: [String: BusValue], isJSON: Bool) {
        let id = header["Id"]?.string ?? ""
        guard isJSON else {
            StandardStreams.writeLine("- \(TerminalText.visible(id))")
            return
        }
        let line: JSONValue = [
            "event": "removed", "category": .string(header["Category"]?.string ?? ""),
            "id": .string(id),
        ]
        StandardStreams.writeLine(line.text)
    }

    private static func show(_ line: String, isJSON: Bool) {
        guard !isJSON, let record = try? JSONValue(parsing: line) else {
            StandardStreams.writeLine(line)
            return
        }
        for line in RecordLines(record).lines { StandardStreams.writeLine(line) }
    }
}

/// A record in the form for people.
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
        let details = [text("id"), text("category"), text("date")] + actions.map { "[\($0)]" }
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
