import Foundation
import FoundationXML
import Octets
import Printing
import Testing

@testable import ANCS
@testable import ANCSCommands
@testable import ANCSEvents
@testable import ANCSKit
@testable import AccessoryConformance

/// What a strict parser finds in a page.
private final class PageReader: NSObject, XMLParserDelegate {
    private(set) var names: Set<String> = []
    private(set) var attributes: Set<String> = []
    private(set) var ids: [String] = []
    private(set) var links: [String] = []
    private(set) var text = ""

    /// Reads a page; `nil` if it is not well-formed.
    static func read(_ html: String) -> PageReader? {
        let reader = PageReader()
        let parser = XMLParser(data: Data(html.utf8))
        parser.delegate = reader
        return parser.parse() ? reader : nil
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        names.insert(name)
        self.attributes.formUnion(attributes.keys)
        if let id = attributes["id"] { ids.append(id) }
        if let link = attributes["href"] { links.append(link) }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
}

@Suite("The report of a run as a page")
struct ReportPageTests {
    /// Elements and attributes that a page may have: none loads or runs anything.
    static let names: Set = [
        "html", "head", "meta", "title", "style", "body", "main", "header", "footer", "section",
        "article", "h1", "h2", "h3", "h4", "p", "span", "b", "bdi", "a", "ul", "ol", "li", "dl",
        "div", "dt", "dd", "table", "caption", "thead", "tbody", "tr", "th", "td", "figure",
        "figcaption", "details", "summary", "pre", "code", "q", "svg", "g", "path", "rect",
        "circle", "text",
    ]
    static let attributes: Set = [
        "xmlns", "lang", "charset", "http-equiv", "content", "name", "id", "class", "href", "role",
        "aria-label", "aria-labelledby", "aria-hidden", "tabindex", "scope", "colspan", "viewBox",
        "d", "x", "y", "width", "height", "cx", "cy", "r",
    ]

    private func read(_ html: String) throws -> PageReader {
        #expect(html.utf8.count <= ReportPage.limit)
        let reader = try #require(PageReader.read(html), "it is not well-formed")
        #expect(reader.names.subtracting(Self.names) == [])
        #expect(reader.attributes.subtracting(Self.attributes) == [])
        #expect(Set(reader.ids).count == reader.ids.count)
        for link in reader.links {
            #expect(link.hasPrefix("#") && reader.ids.contains(String(link.dropFirst())), "\(link)")
        }
        let bad = html.unicodeScalars.filter { TerminalText.isHidden($0) && $0 != "\n" }
        #expect(bad.isEmpty)
        return reader
    }

    @Test("names, outputs and facts of attackers are text, and only that")
    func hostile() throws {
        let hostile = ReportSamples.hostile
        var recording = try ReportSamples.recording(
            title: hostile, name: hostile, output: [hostile, "]]>", "<b>"])
        recording.title = hostile
        let html = ReportSamples.page([recording, recording])
        let reader = try read(html)
        #expect(!html.contains("<script") && !html.contains("<img"))
        #expect(reader.text.contains("<script>alert(1)</script>"))
        #expect(reader.text.contains(#"\u{202E}"#))
        #expect(!html.contains("\u{301}\u{301}\u{301}\u{301}"))
    }

    @Test("100,000 events fit, and what is left out is counted")
    func events() throws {
        let recording = try ReportSamples.recording(events: 100_000)
        #expect(recording.entries.count == 800)
        #expect(recording.count == 100_000)
        #expect(recording.bands.bands.count <= 400)
        let reader = try read(ReportSamples.page([recording]))
        let shown = reader.ids.filter { $0.hasPrefix("r1e") }
        #expect(shown.count > 300 && shown.contains("r1e0") && shown.contains("r1e99999"))
        #expect(reader.text.contains("\(100_000 - shown.count) events left out"))
        #expect(reader.text.contains("99200 events left out"))
    }

    @Test(
        "four accessories with names of nothing but marks, whose links go up and down, leave room for the run"
    )
    func hostileLanes() throws {
        let name = String(repeating: "\u{202E}\"", count: 400)
        let lost = DisconnectReason.link(.connectionTimeout)
        var recording = RecordedRun(
            try ReportSamples.scenario(name), hasContent: true, at: .zero)
        for number in 0..<4000 {
            let watch = AccessoryID(rawValue: UInt64(number % 4))
            let peer = PeerDescription(name: name, address: Samples.address, digest: "D")
            ReportSamples.add(
                number % 8 < 4 ? .peer(watch, .connected(peer)) : .peer(watch, .disconnected(lost)),
                to: &recording, at: .milliseconds(number * 10))
        }
        recording.end(
            try ReportSamples.result(name, name: name, events: 2000),
            output: (0..<2000).map { "\($0) \(name)" })
        let reader = try read(ReportSamples.page([recording]))
        #expect(reader.ids.contains("r1") && reader.ids.contains("r1s1"))
        #expect(reader.ids.count { $0.hasPrefix("r1e") } > 20)
        #expect(reader.text.contains("events left out") && reader.text.contains("lines left out"))
    }

    @Test("thousands of long steps and lines fit, and the step that failed is shown")
    func long() throws {
        let note = String(repeating: "ü&", count: 2000)
        let steps = String(
            repeating: #"{"pause":0.001,"note":"\#(note)"},"#, count: 900)
        let bench = try ScenarioBench(
            steps: steps + #"{"wait":"paired","within":1,"note":"the last one"}"#)
        bench.wait(.seconds(5))
        var recording = RecordedRun(try ReportSamples.scenario(), hasContent: true, at: .zero)
        recording.end(
            try #require(bench.result),
            output: (0..<20_000).map { "\($0) " + String(repeating: "<", count: 400) })
        let reader = try read(ReportSamples.page([recording]))
        #expect(reader.text.contains("the last one"))
        #expect(reader.text.contains("steps left out"))
        #expect(reader.text.contains("19999 <"))
        #expect(reader.text.contains("lines left out"))
    }

    @Test("of thousands of runs, those that failed have sections, and all are counted")
    func runs() throws {
        let passed = try {
            var recording = try ReportSamples.recording(title: "passed")
            var result = try #require(recording.result)
            result.steps = []
            result.grades = []
            result.interruption = nil
            recording.end(result, output: [])
            return recording
        }()
        let failed = try ReportSamples.recording(title: "failed")
        var page = ReportPage(expected: 3000, facts: [])
        for number in 0..<2990 { page.add(number % 1000 == 999 ? failed : passed) }
        let reader = try read(page.html)
        #expect(reader.text.contains("2988 of 3000 runs passed; 10 not run"))
        for number in [1000, 2000] { #expect(reader.ids.contains("r\(number)")) }
        #expect(reader.text.contains("runs left out"))
        #expect(reader.text.contains("runs without a section: those that failed come first"))
    }

    @Test("of hundreds of runs that failed, those with sections show most of their events")
    func manyFailed() throws {
        let failed = try ReportSamples.recording(title: "failed", events: 200)
        var page = ReportPage(expected: 300, facts: [])
        for _ in 0..<300 { page.add(failed) }
        let reader = try read(page.html)
        let sections = (1...300).filter { reader.ids.contains("r\($0)") }
        #expect(sections.count >= 10)
        for number in sections {
            #expect(reader.ids.count { $0.hasPrefix("r\(number)e") } > 100)
        }
        #expect(reader.text.contains("0 of 300 runs passed"))
        #expect(!reader.text.contains("runs left out"))
    }

    @Test("texts of notifications and what a program printed are left out together")
    func content() throws {
        let output = ["A secret of Watch", "got 'A secret of Wat'", "Zq", "Wx"]
        let without = try read(
            ReportSamples.page([try ReportSamples.recording(output: output)]))
        for text in ["A secret", "Zq", "Wx", "What the accessory printed"] {
            #expect(!without.text.contains(text))
        }
        let with = try read(
            ReportSamples.page([
                try ReportSamples.recording(content: true, output: output)
            ]))
        #expect(with.text.contains("A secret of Watch"))
        #expect(with.text.contains("got 'A secret of Wat'"))
    }

    @Test("before the first run has ended, the page says so, as it does if the command is killed")
    func empty() throws {
        let reader = try read(ReportPage(expected: 3, facts: []).html)
        #expect(reader.text.contains("no run has ended"))
    }

    @Test("a page says which program, judged by which version, on which day, if the day is wanted")
    func head() throws {
        let facts = ReportHead().facts([("Program", "watch")])
        #expect(facts.map { $0.name } == ["Program", "Judged by", "Date"])
        #expect(facts.last?.value.utf8.count == 10)
        #expect(ReportHead(hasDate: false).facts([]).map { $0.name } == ["Judged by"])
        #expect(
            ReportHead.names(in: ["/opt/bin/python3", "lib/watch.py", "{tcp}"])
                == "python3 watch.py {tcp}")
        let reader = try read(ReportPage(expected: 1, "Heron 1.2", facts: []).html)
        #expect(reader.text.contains("Heron 1.2"))
    }

    @Test("what nothing tested is said to be tested by a scenario")
    func untested() throws {
        let reader = try read(ReportSamples.page([try ReportSamples.recording()]))
        #expect(reader.text.contains("untested: see conformance"))
        let own = try read(ReportSamples.page([try ReportSamples.recording(title: "Conformance")]))
        #expect(own.text.contains("untested") && !own.text.contains("see conformance"))
    }

    @Test("a run that could not start has its reason")
    func notStarted() throws {
        var recording = RecordedRun(try ReportSamples.scenario(), hasContent: false, at: .zero)
        ReportSamples.add(.device(.ready), to: &recording, at: .seconds(1))
        recording.end(
            ScenarioResult(notStarted: try ReportSamples.scenario(), because: "no <controller>"),
            output: nil)
        let reader = try read(ReportSamples.page([recording]))
        #expect(reader.text.contains("no <controller>"))
    }

    @Test("evidence leads to the axis, the axis to the verdict, and its marks to events")
    func places() throws {
        let html = ReportSamples.page([try ReportSamples.recording()])
        let reader = try read(html)
        #expect(reader.links.contains { $0.hasPrefix("#r1f") })
        #expect(reader.links.contains { $0.hasPrefix("#r1v") })
        #expect(reader.links.contains { $0.hasPrefix("#r1e") })
        #expect(reader.links.contains { $0.hasPrefix("#r1s") })
        #expect(reader.text.contains("a Write Command arrived"))
        #expect(reader.text.contains("Write to the Control Point with an ATT Write Request"))
        #expect(reader.text.contains("paired within 2.0 s"))
    }
}
