import DeviceCommandKit
import ANCSService
import BluetoothLE
import BluetoothTypes
import DBus
import JSONText
import Octets
import Testing

@testable import ANCS
@testable import ANCSCommands
@testable import ANCSEvents
@testable import ANCSMedia
@testable import ANCSKit
@testable import ANCSProvider
@testable import ANCSReceiver
@testable import AccessoryConformance
@testable import CommandKit
@testable import DaemonCommands
@testable import LaboratoryCommands
@testable import Printing

@Suite("Recordings of output that is not an event")
struct CommandGoldenTests {
    static let names = [
        "advertise", "bonds", "decode", "doctor", "gatt", "history", "phone", "receive", "rules",
        "scan", "status", "apps",
    ].map { "commands/\($0).txt" }

    /// Adds what a command prints: in a pipe, at a terminal of 80 columns, and as JSON.
    private func add(
        _ title: String, to table: inout EventTable, piped: [String], terminal: [String],
        json: [String]
    ) {
        table.add(
            title,
            EventTable.Forms(
                piped: piped, variants: ["terminal": terminal], others: ["json": json]))
    }

    /// Adds lines of a command: in a pipe, at a terminal of 80 columns, and as JSON.
    private func add(
        _ title: String, to table: inout EventTable, _ lines: [Line],
        under columns: [TextTable.Column] = []
    ) {
        func output(json: Bool = false, colored: Bool = false, width: Int? = nil) -> [String] {
            LinePrinter(isJSON: json, isColored: colored)
                .output(lines, under: columns, width: width)
        }
        add(
            title, to: &table, piped: output(), terminal: output(colored: true, width: 80),
            json: output(json: true))
    }

    @Test("ancs receive: actions, fetches and problems")
    func receive() throws {
        var table = EventTable()
        let session = SessionID(provider: PhoneID(rawValue: 1), number: 1)
        let uid = NotificationUID(rawValue: 7)
        let attributes = NotificationSamples.call.attributes
        let partial = RequestError(.timedOut, partial: Array(attributes.prefix(2)))
        typealias Body = (ReceiveReport) -> Printed
        let rows: [(String, Body)] = [
            ("performed", { $0.report(of: .negative, on: uid, in: session, nil) }),
            (
                "not performed",
                { $0.report(of: .positive, on: uid, in: session, RequestError(.notPerformed)) }
            ),
            ("fetched", { $0.report(ofFetched: uid, in: session, .success(attributes)) }),
            ("not fetched", { $0.report(ofFetched: uid, in: session, .failure(partial)) }),
            ("pair", { $0.reportOfPairingWindow(seconds: 120, isFull: false) }),
            ("pair, full", { $0.reportOfPairingWindow(seconds: 120, isFull: true) }),
            ("problem", { $0.report(problem: Samples.hostile) }),
        ]
        let media: [(String, Body)] = MediaSamples.all.map { title, media in
            (title, { $0.report(of: media) })
        }
        let commands: [(String, Body)] = [
            ("command accepted", { $0.report(of: .play, to: session.provider, nil) }),
            (
                "command not sent",
                { $0.report(of: .likeTrack, to: session.provider, .notSupported) }
            ),
            (
                "command refused",
                { $0.report(of: .nextTrack, to: session.provider, .refused(.invalidCommand)) }
            ),
        ]
        for (title, body) in rows + media + commands {
            func lines(_ words: String..., isColored: Bool = false) throws -> [String] {
                var report = try ReceiveReport.sample(
                    words + ["--name", "Desk"], isColored: isColored)
                for event in ConsumerEvent.beginning { _ = report.report(of: event) }
                let lines = body(report)
                return streams(output: lines.output, diagnostics: lines.diagnostics)
            }
            add(
                title, to: &table, piped: try lines(), terminal: try lines(isColored: true),
                json: try lines("--json"))
        }
        try Golden(name: "commands/receive.txt").check(table.lines)
    }

    @Test("ancs phone: lists, and steps of a scenario")
    func phone() throws {
        var table = EventTable()
        let watch = Accessory(
            id: AccessoryID(rawValue: 1),
            description: PeerDescription(
                name: Samples.hostile, address: Samples.address, identity: Samples.identity,
                digest: Samples.digest),
            isConnected: true, protection: Samples.protections[1], isBonded: true,
            hasConsent: false, mtu: 247, isSubscribedToNotificationSource: true,
            isSubscribedToDataSource: false)
        var away = watch
        away.isConnected = false
        away.protection = nil
        let bound = BoundApps.Entry(
            app: BoundApp(name: "health", service: BluetoothUUID(0x180D as UInt16)),
            state: .connecting(Samples.peer), accessoryName: Samples.hostile)
        let item = (id: NotificationID(rawValue: 1), posted: Samples.posted)
        let scenario = try Scenario(
            parsing: Array(#"{"title":"T","description":"D","steps":[{"wait":"subscribed"}]}"#.utf8)
        )
        typealias Body = (PhoneReport, ScenarioReport) -> [String]
        let rows: [(String, Body)] = [
            ("accessories", { phone, _ in phone.lines(of: [watch, away]) }),
            ("no accessories", { phone, _ in phone.lines(of: [Accessory]()) }),
            ("bindings", { phone, _ in phone.lines(of: [bound]) }),
            ("no bindings", { phone, _ in phone.lines(of: [BoundApps.Entry]()) }),
            ("apps", { phone, _ in phone.lines(ofApps: [(Samples.messages, "Messages")]) }),
            ("notifications", { phone, _ in phone.lines(of: [item]) }),
            (
                "fault",
                { phone, _ in phone.report(fault: Samples.hostile).diagnostics.map { "2> " + $0 } }
            ),
            ("scenario", { _, report in report.opening(of: scenario) }),
            ("step that waits", { _, report in report.lines(waitingFor: scenario.steps[0]) }),
        ]
        for (title, body) in rows {
            func lines(json: Bool = false, colored: Bool = false) -> [String] {
                body(
                    PhoneReport(isJSON: json, isVerbose: false, isColored: colored, name: "iPhone"),
                    ScenarioReport(isJSON: json, isColored: colored))
            }
            add(
                title, to: &table, piped: lines(), terminal: lines(colored: true),
                json: lines(json: true))
        }
        try Golden(name: "commands/phone.txt").check(table.lines)
    }

    @Test("ancs advertise: advertisements and values")
    func advertise() throws {
        var table = EventTable()
        let plan = try AdvertisementPlan(
            .init(
                localName: "Thermometer",
                services: [
                    BluetoothUUID(ANCSUUID.service), BluetoothUUID(0x180F as UInt16),
                    BluetoothUUID(0xC0DE_0000_B5CE_4E99_A40F_4B1E_122D_0000 as UInt128),
                ]))
        let level = PublishedValues.Key(
            service: BluetoothUUID(0x180F as UInt16),
            characteristic: BluetoothUUID(0x2A19 as UInt16))
        typealias Body = (AdvertiseReport) -> Printed
        var rows: [(String, Body)] = [
            ("plan", { $0.report(of: plan) }),
            ("on air, new", { $0.reportOnAir(plan, isNew: true) }),
            ("on air again", { $0.reportOnAir(plan, isNew: false) }),
            ("interrupted", { $0.reportOffAir(.interrupted, "queue full") }),
            ("read", { $0.report(.read, by: Samples.peer, level, [0x64]) }),
            ("written", { $0.report(.written, by: Samples.peer, level, [0x1B, 0xFF]) }),
            ("subscribed", { $0.report(.subscribed, by: Samples.peer, level) }),
            ("unsubscribed", { $0.report(.unsubscribed, by: Samples.peer, level) }),
            ("refused", { $0.report(refusalOf: level, by: Samples.peer, .invalidOffset) }),
            ("refused, unknown", { $0.report(refusalOf: nil, by: Samples.peer, .invalidHandle) }),
            ("missed", { $0.reportMissed(3) }),
            ("problem", { $0.report(problem: Samples.hostile) }),
        ]
        for reason in [AdvertiseReport.OffAirReason.connected, .timeLimit, .stopped] {
            rows.append(("off air, \(reason)", { $0.reportOffAir(reason, nil) }))
        }
        for (subscribers, isSent) in [(0, true), (1, true), (2, true), (2, false)] {
            rows.append(
                (
                    "updated, \(subscribers) subscribers, \(isSent ? "sent" : "not sent")",
                    { $0.report(update: level, [0x64], subscribers: subscribers, isSent: isSent) }
                ))
        }
        for (title, body) in rows {
            func lines(json: Bool = false, colored: Bool = false) -> [String] {
                let lines = body(AdvertiseReport(isJSON: json, isColored: colored))
                return streams(output: lines.output, diagnostics: lines.diagnostics)
            }
            add(
                title, to: &table, piped: lines(), terminal: lines(colored: true),
                json: lines(json: true))
        }
        try Golden(name: "commands/advertise.txt").check(table.lines)
    }

    @Test("ancs scan: devices")
    func scan() throws {
        let data = [
            AdvertisementData(
                localName: "Desk", solicitedServiceUUIDs: [BluetoothUUID(ANCSUUID.service)],
                isConnectable: true),
            AdvertisementData(localName: Samples.hostile, isConnectable: false),
            AdvertisementData(
                serviceUUIDs: [BluetoothUUID(0x180F as UInt16)],
                manufacturerData: [0x4C, 0, 0x10, 0x05], txPowerLevel: 4, isConnectable: true),
        ]
        let sightings = data.enumerated().map { index, data in
            Sighting(
                address: DeviceAddress(0xC000_0000_0000 + UInt64(index), kind: .random),
                identifier: PeerIdentifier(rawValue: UInt128(index)), data: data,
                rssi: index == 1 ? nil : -60)
        }
        var table = EventTable()
        for (index, sighting) in sightings.enumerated() {
            add("device \(index + 1)", to: &table, [sighting.line])
        }
        var devices = ScanTable()
        for sighting in sightings { devices.hear(sighting, at: .zero) }
        func lines(_ rows: Int?) -> [String] {
            devices.lines(
                columns: 80, rows: rows, at: .zero + .seconds(11), notice: "a notice",
                paint: TerminalPaint(isColored: true))
        }
        table.add("table", EventTable.Forms(piped: [], variants: ["terminal": lines(4)]))
        table.add("last table", EventTable.Forms(piped: [], variants: ["terminal": lines(nil)]))
        try Golden(name: "commands/scan.txt").check(table.lines)
    }

    @Test("ancs bonds: lists and one bond")
    func bonds() throws {
        var table = EventTable()
        var device = BondFixtures.device([BondFixtures.secure, BondFixtures.legacy])
        let stranger = KnownPeer(
            identifier: Samples.peer, address: BondFixtures.watch, name: Samples.hostile)
        device.state.peers = [stranger]
        let columns = BondsCommand.StoredDevice.columns
        add("list", to: &table, device.lines, under: columns)
        for record in [BondFixtures.secure, BondFixtures.legacy] {
            let bond = BondFixtures.stored(record, name: "Ada")
            add("show", to: &table, bond.lines(at: device.path))
            add("removed", to: &table, bond.linesOfRemoval)
        }
        add("forgotten", to: &table, stranger.linesOfRemoval(from: .accessory))
        try Golden(name: "commands/bonds.txt").check(table.lines)
    }

    @Test("ancs decode: a capture, and lines")
    func decode() throws {
        var table = EventTable()
        var link = LinkBuilder(.monitor)
        link.wholeSession()
        link.disconnect()
        func lines(json: Bool = false, colored: Bool = false) -> [String] {
            var story = CaptureStory(json: json, isColored: colored)
            return ToldStory.lines(story.receive(link.capture.octets).text + story.finish().text)
        }
        add(
            "capture", to: &table, piped: lines(), terminal: lines(colored: true),
            json: lines(json: true))
        for row in DecodeCommandTests.rows {
            let text = DecodeCommand.run(lines: [row.line], json: false).output
            let json = DecodeCommand.run(lines: [row.line], json: true).output
            add(row.line, to: &table, piped: text, terminal: text, json: json)
        }
        try Golden(name: "commands/decode.txt").check(table.lines)
    }

    @Test("ancs history")
    func history() throws {
        var table = EventTable()
        let events = ServiceEvent.samples(of: .added) + ServiceEvent.samples(of: .removed)
        for (record, _) in events.compactMap(\.record) {
            for withTexts in [true, false] {
                let entry = HistoryEntry(record, withTexts: withTexts)
                // The time is in the machine's time zone.
                let now = LocalClock.text(of: entry.time)
                let time = LocalClock.text(of: entry.posted)
                func lines(_ isColored: Bool) -> [String] {
                    LinePrinter(isJSON: false, isColored: isColored).text(
                        Line(
                            stored: entry.json,
                            at: time.replacing(now, with: "2001-01-01 00:00")))
                }
                add(
                    withTexts ? "entry" : "entry without texts", to: &table, piped: lines(false),
                    terminal: lines(true), json: [entry.json.text])
            }
        }
        try Golden(name: "commands/history.txt").check(table.lines)
    }

    @Test("ancs rules test")
    func rules() throws {
        let configuration = try ServiceConfiguration(
            reading: Array(RulesCommandTests.configuration.utf8), path: "c")
        var table = EventTable()
        for time in ["fri 23:15", "fri 12:00"] {
            let report = RulesReport(
                subject: try RuleSubject(
                    json: try JSONValue(parsing: RulesCommandTests.message), phoneName: nil,
                    time: try #require(LocalTime(time))), rules: RuleSet(configuration.rules))
            add(time, to: &table, [report.line])
        }
        try Golden(name: "commands/rules.txt").check(table.lines)
    }

    @Test("ancs doctor")
    func doctor() throws {
        let all = [
            Finding.fine(.adapter, "hci0"),
            .note(.phone, "none", why: "it comes from a phone", remedy: "pair one"),
            .unseen(.history, because: "Permission denied"),
            .fault(
                .link, of: Samples.hostile, "gone", why: "it matters", remedy: "come back"),
        ]
        var table = EventTable()
        for count in 1...all.count {
            add(
                "\(count) findings", to: &table, Diagnosis(Array(all.prefix(count))).lines)
        }
        try Golden(name: "commands/doctor.txt").check(table.lines)
    }

    @Test("ancs status")
    func status() throws {
        var phones = PhoneStatus.State.allCases.map { state in
            PhoneStatus([
                "Digest": .string(Samples.digest),
                "Name": .string(state == .away ? "" : Samples.hostile),
                "State": .string(state.rawValue), "Advice": .string("do something"),
                "Counts": .dictionary(
                    [.string("social"): .uint32(2)], key: "s", value: "u"),
                "Link": .structure([.double(11.25), .uint16(4), .double(720), .bool(true)]),
                "Player": .options(
                    state == .silent
                        ? ["State": .string("paused"), "App": .string("Music")]
                        : state == .subscribed
                            ? [
                                "State": .string("playing"), "Title": .string(Samples.hostile),
                                "Artist": .string("Debussy"),
                                "AppIdentifier": .string("com.apple.Music"),
                            ] : [:]),
            ])
        }
        phones[4].battery = 80
        let sinks = [true, false].compactMap { isWorking in
            ServiceStatus.SinkEntry(
                .structure([
                    .string("desktop"), .bool(isWorking), .string(Samples.hostile),
                    .uint64(isWorking ? 0 : 3),
                ]))
        }
        let daemon: [String: BusValue] = [
            "Version": .string("1.2.3"), "State": .string("onAir"),
            "Message": .string("on air"), "PairingWindow": .bool(true),
        ]
        var table = EventTable()
        for report in [
            StatusReport(daemon: daemon, phones: phones, sinks: sinks),
            StatusReport(daemon: [:], phones: [], sinks: []),
        ] {
            add("status", to: &table, report.lines)
        }
        let app = SeenApp(identifier: "a.b", displayName: Samples.hostile, count: 3)
        var apps = EventTable()
        let listed = ListedApp(app: app, mute: nil)
        let muted = ListedApp(app: app, mute: "until 2026-11-28 12:00")
        add("apps", to: &apps, [listed.line, muted.line], under: ListedApp.columns)
        try Golden(name: "commands/apps.txt").check(apps.lines)
        try Golden(name: "commands/status.txt").check(table.lines)
    }
}
