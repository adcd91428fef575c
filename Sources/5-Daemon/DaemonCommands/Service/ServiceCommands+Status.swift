internal import AMS
internal import ANCSService
package import CommandKit
internal import DBus
internal import EventLines

// Commands about the daemon itself.
extension ServiceCommands {
    package static func status(
        _ client: ServiceClient, _ arguments: CommandSyntax.Arguments
    ) async throws(ServiceClient.Failure) {
        let daemon = try await client.properties()
        var phones: [PhoneStatus] = []
        for (path, properties) in try await client.objects(of: BusNames.phone) {
            var phone = PhoneStatus(properties)
            if phone.state == .subscribed {
                // A daemon of an earlier version does not have this, and one without bluetoothd does not know it.
                let answer = try? await client.call("Battery", of: BusNames.phone, at: path)
                phone.battery = answer?.first?.integer
            }
            phones.append(phone)
        }
        let sinks = try await client.call("Sinks").first?.array ?? []
        let report = StatusReport(
            daemon: daemon, phones: phones,
            sinks: sinks.compactMap { ServiceStatus.SinkEntry($0) })
        LinePrinter(isJSON: arguments.has("--json")).write(report.lines)
    }

    /// The steps of the last dialogue of pairing, if the daemon is there.
    package static func pairingSteps(usesSystemBus: Bool, on loop: EventLoop) async -> [JSONValue] {
        guard let client = try? await ServiceClient.connect(usesSystemBus: usesSystemBus, on: loop)
        else { return [] }
        let values = try? await client.call("PairingSteps", [.uint32(0)])
        await client.close()
        return (values?.first?.strings ?? []).compactMap { try? JSONValue(parsing: $0) }
    }

    package static func apps(
        _ client: ServiceClient, _ arguments: CommandSyntax.Arguments
    ) async throws(ServiceClient.Failure) {
        if arguments.command == "apps" {
            FormerWord.used("ancs apps", successor: "ancs mute --list")
        }
        let isJSON = arguments.has("--json")
        let mutes = try await mutes(client)
        let apps = try await seenApps(client).map { app in
            ListedApp(app: app, mute: mutes.first { $0.app == app.identifier }?.end)
        }
        guard isJSON || !apps.isEmpty else {
            StandardStreams.writeLine("no app has sent a notification yet")
            return
        }
        LinePrinter(isJSON: isJSON).write(apps.map(\.line), under: ListedApp.columns)
    }

    package static func mute(
        _ arguments: CommandSyntax.Arguments, on loop: EventLoop
    ) async throws(CommandSyntax.UsageError) -> ExitStatus {
        let words = arguments.operands
        if arguments.has("--list") {
            guard words.isEmpty else { throw .init(message: "--list takes no app; \(mute.usage)") }
            return try await run(arguments, on: loop) { client throws(ServiceClient.Failure) in
                try await apps(client, arguments)
            }
        }
        guard !arguments.has("--json") else { throw .init(message: "--json works with --list") }
        guard let app = words.first else { return try await listMutes(arguments, on: loop) }
        let term = words.count > 1 ? words[1] : "always"
        guard let muteTerm = MuteTerm(term) else {
            throw .init(message: "'\(term)' is not a time: use \(MuteTerm.forms)")
        }
        return try await run(arguments, on: loop) { client throws(ServiceClient.Failure) in
            let muted = try await client.call("Mute", [.string(app), .string(term)])
            let identifier = muted.first?.string ?? app
            let known = try await seenApps(client).first { $0.identifier == identifier }
            StandardStreams.writeLine(MuteText(identifier, known, muteTerm, as: term).line)
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

    /// The muted apps, safe for a terminal, each with when that ends.
    private static func mutes(
        _ client: ServiceClient
    ) async throws(ServiceClient.Failure) -> [(app: String, end: String)] {
        (try await client.call("Mutes").first?.array ?? []).compactMap { mute in
            guard case .structure(let parts) = mute, parts.count == 2 else { return nil }
            let end = parts[1].integer ?? 0
            // With the date: a mute may last for weeks.
            let time = LocalClock.text(of: CaptureTime(microsecondsSince1970: Int64(end)))
            return (
                TerminalText.visible(parts[0].string ?? ""), end == 0 ? "always" : "until \(time)"
            )
        }
    }

    private static func listMutes(
        _ arguments: CommandSyntax.Arguments, on loop: EventLoop
    ) async throws(CommandSyntax.UsageError) -> ExitStatus {
        try await run(arguments, on: loop) { client throws(ServiceClient.Failure) in
            let mutes = try await mutes(client)
            for mute in mutes { StandardStreams.writeLine("\(mute.app) \(mute.end)") }
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

extension PhoneStatus {
    /// The object that programs read.
    static let form = ObjectForm<PhoneStatus>(
        .text("phone", \.phone.digest), .text("name") { $0.phone.name ?? "" },
        .text("state", \.state.rawValue), .text("advice") { $0.advice ?? "" },
        .init(
            "counts", ["type": "object", "additionalProperties": SchemaFragment.count.json]
        ) { phone in
            .object(phone.sortedCounts.map { JSONValue.Member($0.key, .integer($0.value)) })
        },
        .init("link?", .link, \.link?.json), .object("player?", mediaForm, \.player),
        .number("battery?", .count, \.battery))

    private static let mediaForm = ObjectForm<MediaState>(
        .text("state", .words(["playing", "paused", "stopped"]), \.word),
        .text("app?", \.app), .text("title?") { $0.title?.string },
        .text("artist?") { $0.artist?.string }, .text("album?") { $0.album?.string })

    /// The counts of its notifications, by category.
    private var sortedCounts: [(key: String, value: Int)] { counts.sorted(byText: \.key) }

    /// What people read, with the state in words; `labels` is what texts call the phones.
    fileprivate func line(_ labels: [String: String]) -> Line {
        let label = labels[phone.digest, default: ""]
        let subject =
            phone.name.map { label.isEmpty ? $0 : label }
            ?? "a phone without a name (\(phone.digest.prefix(4)))"
        let counts = sortedCounts.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        let link = link.map { "link: \($0.message)" + ($0.isKept ? ", which the phone keeps" : "") }
        return Line(
            told: "\(subject): \(state.text)", .plain,
            below: Line.Below.all(
                Line.Below.text, counts, player?.sentence, battery.map { "battery: \($0)%" },
                link, advice ?? ""))
    }
}

extension MediaState {
    /// What it plays, in one line: `playing: Clair de lune, Debussy (Music)`.
    fileprivate var sentence: String {
        let texts = [title, artist].compactMap { $0?.string }.joined(separator: ", ")
        return word + (texts.isEmpty ? "" : ": \(texts)") + (app.map { " (\($0))" } ?? "")
    }
}

/// The output of `ancs status`.
struct StatusReport: Sendable {
    var daemon: [String: BusValue]
    var phones: [PhoneStatus]
    var sinks: [ServiceStatus.SinkEntry]

    /// The object that programs read.
    static let form = ObjectForm<StatusReport>(
        .text("version") { $0.text("Version") }, .text("state") { $0.text("State") },
        .text("message") { $0.text("Message") }, .flag("pairingWindow", \.isPairingOpen),
        .objects("phones", PhoneStatus.form, \.phones),
        .objects("sinks", ServiceStatus.SinkEntry.form, \.sinks))

    /// The daemon, its phones, and what it passes notifications to.
    var lines: [Line] {
        let face = daemon["Face"]?.string.flatMap(ConsumerConfiguration.Face.init(rawValue:))
        var lines = [
            Line(
                "", Self.form.members(of: self), "ancs \(text("Version")): \(text("Message"))",
                .plain)
        ]
        if isPairingOpen {
            lines.append(Line(told: "pairing is open" + (face?.mention ?? ""), .plain))
        }
        if phones.isEmpty {
            lines.append(Line(told: "no phone yet: 'ancs pair' pairs one", .plain))
        }
        let labels = phones.map(\.phone).labels
        return lines + phones.map { $0.line(labels) } + sinks.map(\.line)
    }

    private var isPairingOpen: Bool { daemon["PairingWindow"]?.bool == true }

    private func text(_ name: String) -> String { daemon[name]?.string ?? "" }
}

extension ServiceStatus.SinkEntry {
    fileprivate static let form = ObjectForm<Self>(
        .text("name", \.name), .flag("working", \.status.isWorking),
        .text("message", \.status.message), .number("dropped", .count, \.status.dropped))

    fileprivate var line: Line {
        let loss = status.dropped > 0 ? " (\(status.dropped) dropped)" : ""
        return Line(
            told: "\(name): \(status.message)\(loss)", .found(status.isWorking ? .good : .bad))
    }
}

/// A line of `ancs mute --list`.
struct ListedApp: Sendable {
    var app: SeenApp
    /// Until when it is muted, in words; `nil` if it is not.
    var mute: String?

    static let form = ObjectForm<ListedApp>(
        .text("identifier", \.app.identifier), .text("displayName", \.app.displayName),
        .number("count", .count, \.app.count), .flag("muted") { $0.mute != nil })

    static let columns: [TextTable.Column] = [
        .init("count", isFlushRight: true), .init("identifier"), .init("muted"), .init("name"),
    ]

    var line: Line {
        Line("", Self.form.members(of: self), app.displayName, .plain)
            .after("\(app.count)", app.identifier, mute ?? "")
    }
}

extension PhoneStatus.State {
    var text: String {
        switch self {
        case .away: "not connected"
        case .connected: "connected"
        case .pairing: "pairing"
        case .waitingForService: "connected, but does not offer its notifications yet"
        case .subscribed: "receiving its notifications"
        case .unauthorized: "connected, but does not share its notifications"
        case .silent: "connected, but does not answer"
        case .unaccepted: "paired with this machine, but not accepted"
        case .noPlace: "connected, but without a place"
        }
    }
}
