internal import ANCSEvents
internal import ANCSReceiver
internal import ANCSService
package import CommandKit
internal import DBus
internal import EventLines
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
            PhoneLine($0.properties)
        }
        let sinks = try await client.call("Sinks").first?.array ?? []
        let report = StatusReport(
            daemon: daemon, phones: phones, sinks: sinks.compactMap(Facts.Daemon.Sink.init))
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

/// A phone in the output of `ancs status`.
struct PhoneLine: Sendable {
    var digest: String
    var name: String
    var state: String
    var advice: String
    var counts: [String: Int]
    var link: LinkParameters?

    init(_ properties: [String: BusValue]) {
        digest = properties["Digest"]?.string ?? ""
        name = properties["Name"]?.string ?? ""
        state = properties["State"]?.string ?? ""
        advice = properties["Advice"]?.string ?? ""
        link = LinkParameters(properties["Link"])
        counts = [:]
        for (category, count) in properties["Counts"]?.dictionary ?? [:] {
            if let category = category.string, let count = count.integer {
                counts[category] = count
            }
        }
    }

    /// The text for users, with the state in words.
    var text: String {
        let state =
            switch PhoneStatus.State(rawValue: state) {
            case .away: "not connected"
            case .connected: "connected"
            case .pairing: "pairing"
            case .waitingForService: "connected, but does not offer its notifications yet"
            case .subscribed: "receiving its notifications"
            case .unauthorized: "connected, but does not share its notifications"
            case .silent: "connected, but does not answer"
            case nil: state
            }
        let subject =
            name.isEmpty
            ? "a phone without a name (\(digest.prefix(4)))" : TerminalText.visible(name)
        return "\(subject): \(state)"
    }
}

/// The output of `ancs status`.
struct StatusReport: Sendable {
    var daemon: [String: BusValue]
    var phones: [PhoneLine]
    var sinks: [Facts.Daemon.Sink]

    var lines: [String] {
        var lines = ["ancs \(text("Version")): \(text("Message"))"]
        if daemon["PairingWindow"]?.bool == true {
            let face = daemon["Face"]?.string.flatMap(ConsumerConfiguration.Face.init(rawValue:))
            lines.append("pairing is open" + (face?.mention ?? ""))
        }
        if phones.isEmpty { lines.append("no phone yet: 'ancs pair' pairs one") }
        for phone in phones {
            lines.append(phone.text)
            let counts = phone.sortedCounts.map { "\($0.value) \($0.key)" }
            if !counts.isEmpty { lines.append("    " + counts.joined(separator: ", ")) }
            if let link = phone.link {
                let kept = link.isKept ? ", which the phone keeps" : ""
                lines.append("    link: \(link.message)\(kept)")
            }
            if !phone.advice.isEmpty { lines.append("    " + TerminalText.visible(phone.advice)) }
        }
        for sink in sinks {
            let mark = sink.isWorking ? "✓" : "✗"
            let loss = sink.dropped > 0 ? " (\(sink.dropped) dropped)" : ""
            lines.append("\(mark) \(sink.name): \(TerminalText.visible(sink.message))\(loss)")
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
                        "name": .string(sink.name), "working": .boolean(sink.isWorking),
                        "message": .string(sink.message), "dropped": .integer(sink.dropped),
                    ]
                }),
        ]
    }
}

extension PhoneLine {
    /// The counts of its notifications, by category.
    fileprivate var sortedCounts: [(key: String, value: Int)] { counts.sorted { $0.key < $1.key } }

    fileprivate var json: JSONValue {
        let counts = sortedCounts.map { JSONValue.Member($0.key, .integer($0.value)) }
        return .object(present: [
            "phone": .string(digest), "name": .string(name), "state": .string(state),
            "advice": .string(advice), "counts": .object(counts), "link": link?.json,
        ])
    }
}
