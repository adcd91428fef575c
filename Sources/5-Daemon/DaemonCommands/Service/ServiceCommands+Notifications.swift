internal import ANCSService
package import CommandKit
internal import DBus

// Commands about notifications.
extension ServiceCommands {
    package static func list(
        _ client: ServiceClient, _ arguments: CommandSyntax.Arguments
    ) async throws(ServiceClient.Failure) {
        let isJSON = arguments.has("--json")
        let lines = try await client.call("List", [.uint32(0)]).first?.strings ?? []
        let labels = isJSON ? [:] : try await client.phones().map(\.phone).labels
        for line in lines { show(line, labels, isJSON: isJSON) }
        if lines.isEmpty, !isJSON {
            StandardStreams.writeLine(
                "no notifications; 'ancs status' shows the state of the phones")
        }
    }

    package static func perform(
        _ arguments: CommandSyntax.Arguments, on loop: EventLoop
    ) async throws(CommandSyntax.UsageError) -> ExitStatus {
        let words = arguments.operands
        guard let id = RecordID(words[0]) else {
            throw .init("'\(words[0])' is not the id of a notification; 'ancs list' shows them")
        }
        return try await run(arguments, on: loop) { client throws(ServiceClient.Failure) in
            // What it was about is gone afterwards.
            let lines = try await client.call("List", [.uint32(0)]).first?.strings ?? []
            let record = lines.lazy.compactMap { try? JSONValue(parsing: $0) }
                .first { $0["id"]?.string == id.description }
            _ = try await client.call("Perform", [.string(id.description), .string(words[1])])
            let app = record?["app"]
            let names = [
                app?["displayName"]?.string ?? app?["identifier"]?.string, record?["title"]?.string,
            ]
            let subject = names.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " · ")
            StandardStreams.writeLine(
                TerminalText.visible(
                    "performed '\(words[1])' on \(subject.isEmpty ? words[0] : subject)"))
        }
    }

    package static func watch(
        _ client: ServiceClient, _ arguments: CommandSyntax.Arguments
    ) async throws(ServiceClient.Failure) {
        let isJSON = arguments.has("--json")
        var watch = NotificationWatch(client, isJSON: isJSON)
        try await watch.run()
    }

    /// Prints a record, for users or as JSON.
    static func show(_ line: String, _ labels: [String: String], isJSON: Bool) {
        guard !isJSON, let record = try? JSONValue(parsing: line) else {
            StandardStreams.writeLine(line)
            return
        }
        let phone = record["phone"]?.string.flatMap { labels[$0] } ?? ""
        LinePrinter(isJSON: false, isColored: false).write([Line(record: record, of: phone)])
    }
}
