import DeviceCommandKit
import ANCSService
import BluetoothTypes
import EventLines
import JSONText
import Octets
import Testing

@testable import ANCSCapture
@testable import ANCSCommands
@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver
@testable import AccessoryConformance
@testable import CommandKit
@testable import DaemonCommands
@testable import LaboratoryCommands
@testable import Printing

@Suite("Recordings of every event in every form")
struct EventGoldenTests {
    static let names = [
        "receive", "phone", "adapter", "binding", "decode", "watch", "pair", "sentences",
    ].map { "events/\($0).txt" }

    @Test("each case of each type has samples of its own")
    func samples() {
        #expect(ConsumerEvent.mistakes == [])
        #expect(ProviderEvent.mistakes == [])
        #expect(AdapterEvent.mistakes == [])
        #expect(AccessoryBinding.Event.mistakes == [])
        #expect(CaptureEvent.Event.mistakes == [])
        #expect(CaptureEvent.PairingEvent.mistakes == [])
        #expect(ServiceEvent.mistakes == [])
    }

    @Test("events of 'ancs receive'")
    func receive() throws {
        func lines(_ event: ConsumerEvent, _ words: [String], isColored: Bool = false) throws
            -> [String]
        {
            var report = try ReceiveReport.sample(words + ["--name", "Desk"], isColored: isColored)
            for event in ConsumerEvent.beginning { _ = report.report(of: event) }
            let lines = report.report(of: event)
            return streams(output: lines.output, diagnostics: lines.diagnostics)
        }
        try Golden(name: "events/receive.txt").check(
            EventTable.lines(of: ConsumerEvent.self) { event in
                EventTable.Forms(
                    piped: try lines(event, []),
                    variants: [
                        "terminal": try lines(event, [], isColored: true),
                        "--pair": try lines(event, ["--pair"]),
                        "--phones": try lines(event, ["--phones", "2"]),
                        "--bluez": try lines(event, ["--bluez", "hci0"]),
                    ],
                    others: [
                        "verbose": try lines(event, ["--verbose"]).filter { $0.hasPrefix("2>") },
                        "json": try lines(event, ["--json"]),
                        "demo": demo(accessory(event), of: .accessory),
                        "demojson": DemoJSON().show(
                            accessory(event), of: .accessory, at: .zero),
                    ])
            })
    }

    private func accessory(_ event: ConsumerEvent) -> Line {
        event.line(for: Reporter(side: .accessory, name: "Desk"))
    }

    private func demo(_ line: Line, of side: DemoSide) -> [String] {
        var page = DemoBench.page(width: nil)
        return page.show(line, of: side, at: .zero)
    }

    @Test("events of 'ancs phone'")
    func phone() throws {
        func lines(
            _ event: ProviderEvent, json: Bool = false, verbose: Bool = false, colored: Bool = false
        ) -> [String] {
            let lines = PhoneReport(
                isJSON: json, isVerbose: verbose, isColored: colored, name: "iPhone"
            ).report(of: event, Samples.posted, nameOf: { _ in "Desk" })
            return streams(output: lines.output, diagnostics: lines.diagnostics)
        }
        try Golden(name: "events/phone.txt").check(
            EventTable.lines(of: ProviderEvent.self) { event in
                EventTable.Forms(
                    piped: lines(event),
                    variants: [
                        "terminal": lines(event, colored: true),
                        "verbose": lines(event, verbose: true),
                    ],
                    others: [
                        "json": lines(event, json: true), "scenario": [event.log],
                        "demo": demo(
                            event.line(
                                for: Reporter(side: .phone, name: "iPhone"), Samples.posted),
                            of: .phone),
                    ])
            })
    }

    @Test("what is routine says nothing to people")
    func routine() {
        let events = ProviderEvent.titledSamples.map(\.event).filter(\.isRoutine)
        #expect(events.count > 3)
        for event in events {
            let line = event.line(for: Reporter(side: .phone, name: "iPhone"))
            #expect(line.sentence == nil)
        }
    }

    @Test("events of the adapter, as 'ancs advertise' shows them")
    func advertise() throws {
        func lines(_ event: AdapterEvent, json: Bool = false, colored: Bool = false) -> [String] {
            let lines = AdvertiseReport(isJSON: json, isColored: colored).report(of: event)
            return streams(output: lines.output, diagnostics: lines.diagnostics)
        }
        try Golden(name: "events/adapter.txt").check(
            EventTable.lines(of: AdapterEvent.self) { event in
                EventTable.Forms(
                    piped: lines(event), variants: ["terminal": lines(event, colored: true)],
                    others: [
                        "json": lines(event, json: true),
                        // What 'ancs scan' and 'ancs gatt' say of it too.
                        "notice": AdapterRun.notice(of: event).map { [$0] } ?? [],
                    ])
            })
    }

    @Test("events of the bindings of a phone's apps")
    func bindings() throws {
        func lines(_ event: BoundApps.Event, json: Bool = false, colored: Bool = false) -> [String]
        {
            let lines = PhoneReport(
                isJSON: json, isVerbose: false, isColored: colored, name: "iPhone"
            ).report(of: event)
            return streams(output: lines.output, diagnostics: lines.diagnostics)
        }
        try Golden(name: "events/binding.txt").check(
            EventTable.lines(of: AccessoryBinding.Event.self) { event in
                let event = BoundApps.Event(app: "health", event: event)
                return EventTable.Forms(
                    piped: lines(event), variants: ["terminal": lines(event, colored: true)],
                    others: [
                        "scenario": event.line.log.map { [$0] } ?? [],
                        "json": lines(event, json: true),
                    ])
            })
    }

    @Test("the events of a capture, as 'ancs decode' prints them")
    func decode() throws {
        func lines(_ happening: CaptureEvent, json: Bool = false, colored: Bool = false) -> [String]
        {
            ToldStory.lines(
                StoryPage(
                    [happening], since: CaptureEvent.Event.time, opening: nil, json: json,
                    isColored: colored
                ).text)
        }
        let place = CaptureEvent.Place(adapter: 0, connection: 1, session: 2)
        try Golden(name: "events/decode.txt").check(
            EventTable.lines(of: CaptureEvent.Event.self) { event in
                let happening = CaptureEvent(
                    time: CaptureEvent.Event.later, place: place, event: event)
                return EventTable.Forms(
                    piped: lines(happening),
                    variants: ["terminal": lines(happening, colored: true)],
                    others: ["json": lines(happening, json: true)])
            })
    }

    @Test("events of the daemon, as 'ancs watch' and 'ancs list' show them")
    func service() throws {
        try Golden(name: "events/watch.txt").check(
            EventTable.lines(of: ServiceEvent.self) { event in
                let json = event.record.map { $0.record.json(event: $0.event) }
                return EventTable.Forms(
                    piped: json.map {
                        LinePrinter(isJSON: false, isColored: false).text(Line(record: $0))
                    } ?? [],
                    others: ["json": json.map { [$0.text] } ?? []])
            })
    }

    @Test("steps of pairing, as 'ancs pair' shows them")
    func pairing() throws {
        #expect(PairingStep.Kind.mistakes == [])
        let time = "2026-11-21T09:30:00.000Z"
        try Golden(name: "events/pair.txt").check(
            EventTable.lines(of: PairingStep.Kind.self) { kind in
                let step = kind.sample
                return EventTable.Forms(
                    piped: [step.text], others: ["json": [step.json(number: 1, time: time).text]])
            })
    }

    @Test("the sentences that events carry")
    func sentences() throws {
        var lines: [String] = []
        lines += Samples.controllerFailures.map { "controller  \($0.message)" }
        lines += Samples.disconnectReasons.map { "disconnected  \($0.message)" }
        lines += Samples.securityFailures.map { "security  \($0.message)" }
        lines += Samples.requestErrors.map { "request  \($0.message)  \($0.json.text)" }
        try Golden(name: "events/sentences.txt").check(lines)
    }
}
