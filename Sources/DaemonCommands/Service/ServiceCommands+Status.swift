internal import ANCSEvents
internal import ANCSReceiver
internal import ANCSService
package import CommandKit
internal import DBus
internal import JSONText
package import LinuxIO
internal import Terminal

// Commands about the daemon itself.
extension ServiceCommands {
    package static func status(
        _ client: ServiceClient, _ arguments: CommandSyntax.Arguments
    ) async throws(ServiceClient.Failure) {
        let isJSON = arguments.has("--json")
        let daemon = try await client.properties()
        let phones = try await client.objects(of: BusNames.phone).map {
            PhoneStatus($0.properties)
        }
        let sinks = try await client.call("Sinks").first?.array ?? []
        let report = StatusReport(
            daemon: daemon, phones: phones,
            sinks: sinks.compactMap { ServiceStatus.SinkEntry($0) })
        if isJSON {
            StandardStreams.writeLine(report.json.text)
        } else {
            for line in report.lines { StandardStreams.writeLine(line) }
        }
    }

    package static func apps(
        _ client: ServiceClient, _ arguments: CommandSyntax.Arguments
    ) async throws(ServiceClient.Failure) {
        let isJSON = arguments.has("--json")
        let apps = try await seenApps(client)
        guard !isJSON else {
            for app in apps {
                let line: JSONValue = [
                    "identifier": .string(app.identifier),
                    "displayName": .string(app.displayName), "count": .integer(app.count),
                ]
                StandardStreams.writeLine(line.text)
            }
            return
        }
        guard !apps.isEmpty else {
            StandardStreams.writeLine("no app has sent a notification yet")
            return
        }
        var table = TextTable([
            .init("count", isFlushRight: true), .init("identifier"), .init("name"),
        ])
        table.rows = apps.map { app in
            [
                "\(app.count)", TerminalText.visible(app.identifier),
                TerminalText.visible(app.displayName),
            ]
        }
        let (heading, rows) = table.lines(width: StandardStreams.columns)
        for line in [heading] + rows { StandardStreams.writeLine(line) }
    }

    package static func mute(
        _ arguments: CommandSyntax.Arguments, on loop: EventLoop
    ) async throws(CommandSyntax.UsageError) -> ExitStatus {
        let words = arguments.operands
        guard let app = words.first else { return try await listMutes(arguments, on: loop) }
        let term = words.count > 1 ? words[1] : "always"
        guard let muteTerm = MuteTerm(term) else {
            throw .init(message: "'\(term)' is not a time: use \(MuteTerm.forms)")
        }
        return try await run(arguments, on: loop) { client throws(ServiceClient.Failure) in
            let muted = try await client.call("Mute", [.string(app), .string(term)])
            let identifier = muted.first?.string ?? app
            let known = try await seenApps(client).first { $0.identifier == identifier }
            StandardStreams.writeLine(
                MuteText(identifier, known, muteTerm, as: term).line)
        }
    }

    private static func seenApps(
        _ client: ServiceClient
    ) async throws(ServiceClient.Failure) -> [SeenApp] {
        (try await client.call("Apps").first?.array ?? []).compactMap { app in
            guard case .structure(let parts) = app, parts.count == 3 else { return nil }
            return SeenApp(
                identifier: parts[0].string ?? "", displayName: parts[1].string ?? "",
                count: parts[2].integer ?? 0)
        }
    }

    private static func listMutes(
        _ arguments: CommandSyntax.Arguments, on loop: EventLoop
    ) async throws(CommandSyntax.UsageError) -> ExitStatus {
        try await run(arguments, on: loop) { client throws(ServiceClient.Failure) in
            let mutes = try await client.call("Mutes").first?.array ?? []
            for case .structure(let mute) in mutes where mute.count == 2 {
                let end = mute[1].integer ?? 0
                let time = LocalTime(at: CaptureTime(microsecondsSince1970: Int64(end)))
                StandardStreams.writeLine(
                    TerminalText.visible(mute[0].string ?? "")
                        + (end == 0 ? " always" : " until \(time)"))
            }
            if mutes.isEmpty { StandardStreams.writeLine("no app is muted") }
        }
    }
}

/// What `ancs mute` has done.
struct MuteText: Sendable {
    let line: String

    /// - Parameters:
    ///   - identifier: The app.
    ///   - known: The same, if it has sent notifications.
    ///   - term: For how long it is muted.
    ///   - word: The same as it was typed.
    init(_ identifier: String, _ known: SeenApp?, _ term: MuteTerm, as word: String) {
        let name = known?.displayName ?? ""
        let app = TerminalText.visible(name.isEmpty ? identifier : "\(identifier) (\(name))")
        let state =
            switch term {
            case .off: "is not muted"
            case .always: "is muted"
            case .today: "is muted until midnight"
            case .lasting: "is muted for \(word)"
            }
        line =
            "\(app) \(state)"
            + (known == nil ? "; it has sent no notification since 'ancs serve' started" : "")
    }
}

/// The output of `ancs status`.
struct StatusReport: Sendable {
    var daemon: [String: BusValue]
    var phones: [PhoneStatus]
    var sinks: [ServiceStatus.SinkEntry]

    var lines: [String] {
        var lines = ["ancs \(text("Version")): \(text("Message"))"]
        if daemon["PairingWindow"]?.bool == true {
            let face = daemon["Face"]?.string.flatMap(ConsumerConfiguration.Face.init(rawValue:))
            lines.append("pairing is open" + (face?.mention ?? ""))
        }
        if phones.isEmpty { lines.append("no phone yet: 'ancs pair' pairs one") }
        for phone in phones {
            lines.append(phone.subject + ": " + phone.state.text)
            let counts = phone.sortedCounts.map { "\($0.value) \($0.key)" }
            if !counts.isEmpty { lines.append("    " + counts.joined(separator: ", ")) }
            if let link = phone.link {
                let kept = link.isKept ? ", which the phone keeps" : ""
                lines.append("    link: \(link.message)\(kept)")
            }
            if let advice = phone.advice { lines.append("    " + TerminalText.visible(advice)) }
        }
        for sink in sinks {
            let (status, mark) = (sink.status, sink.status.isWorking ? "✓" : "✗")
            let loss = status.dropped > 0 ? " (\(status.dropped) dropped)" : ""
            lines.append("\(mark) \(sink.name): \(TerminalText.visible(status.message))\(loss)")
        }
        return lines
    }

    private func text(_ name: String) -> String {
        TerminalText.visible(daemon[name]?.string ?? "")
    }

    var json: JSONValue {
        func text(_ name: String) -> JSONValue { .string(daemon[name]?.string ?? "") }
        return [
            "version": text("Version"), "state": text("State"), "message": text("Message"),
            "pairingWindow": .boolean(daemon["PairingWindow"]?.bool ?? false),
            "phones": .array(phones.map(\.json)),
            "sinks": .array(
                sinks.map { sink in
                    [
                        "name": .string(sink.name), "working": .boolean(sink.status.isWorking),
                        "message": .string(sink.status.message),
                        "dropped": .integer(sink.status.dropped),
                    ]
                }),
        ]
    }
}

extension PhoneStatus {
    fileprivate var subject: String {
        phone.name.map { TerminalText.visible($0) }
            ?? "a phone without a name (\(phone.digest.prefix(4)))"
    }

    /// The counts of its notifications, by category.
    fileprivate var sortedCounts: [(key: String, value: Int)] { counts.sorted { $0.key < $1.key } }

    fileprivate var json: JSONValue {
        let counts = sortedCounts.map { JSONValue.Member($0.key, .integer($0.value)) }
        return .object(present: [
            "phone": .string(phone.digest), "name": .string(phone.name ?? ""),
            "state": .string(state.rawValue), "advice": .string(advice ?? ""),
            "counts": .object(counts), "link": link?.json,
        ])
    }
}

extension PhoneStatus.State {
    fileprivate var text: String {
        switch self {
        case .away: "not connected"
        case .connected: "connected"
        case .pairing: "pairing"
        case .waitingForService: "connected, but does not offer its notifications yet"
        case .subscribed: "receiving its notifications"
        case .unauthorized: "connected, but does not share its notifications"
        case .silent: "connected, but does not answer"
        }
    }
}
