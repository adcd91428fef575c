internal import ANCSCapture
internal import AccessoryConformance
internal import CommandKit
internal import HCITransports

/// Turns the octets of a capture file into pages of lines: the output of `ancs decode`.
struct CaptureStory: ~Copyable {
    private let isJSON: Bool
    private let isColored: Bool
    private var analyzer = CaptureAnalyzer()
    private var links: CaptureLinks
    private var sessions = CaptureSessions()
    /// Whether the line that begins the story is written.
    private var hasBegun = false

    /// Why the file could not be read to its end.
    var failure: CaptureReader.Failure? { analyzer.summary.failure }

    /// Creates a story at the beginning of a capture, which judges either all links, or those of Apple's devices.
    init(json: Bool, isColored: Bool = false, judgesAllLinks: Bool = false) {
        links = CaptureLinks(judgesAll: judgesAllLinks)
        isJSON = json
        self.isColored = isColored
    }

    /// Takes more octets of the file and returns what they show.
    mutating func receive(_ octets: some Collection<UInt8>) -> StoryPage {
        analyzer.receive(octets)
        return page()
    }

    /// Ends the file and returns the last page.
    mutating func finish() -> StoryPage {
        analyzer.finish()
        var page = page()
        let summary = analyzer.summary
        if let failure = summary.failure, let line = line(failure) { page.append(line) }
        // What turns out to be no capture of HCI has no story.
        if summary.format != nil, summary.failure?.isUnknownFormat != true,
            let closing = closing(summary)
        {
            for line in grade { page.append(line) }
            page.append(closing)
        }
        return page
    }

    /// The exit status of the run: wrong usage if the file is not a capture, a failure if it is damaged.
    var status: ExitStatus {
        if let failure { return failure.isUnknownFormat ? .usage : .failure }
        return analyzer.summary.hasMalformed ? .failure : .success
    }

    private mutating func page() -> StoryPage {
        var events: [CaptureEvent] = []
        while let output = analyzer.pollOutput() {
            switch output {
            case .event(let event):
                events.append(event)
                let start = analyzer.summary.start ?? event.time
                links.observe(event, since: start)
                sessions.observe(event, since: start)
            case .format, .failed: break
            }
        }
        let summary = analyzer.summary
        var first: String?
        if !hasBegun, let start = summary.start {
            hasBegun = true
            first = opening(of: summary.format, at: start)
        }
        return StoryPage(
            events, since: summary.start, opening: first, json: isJSON, isColored: isColored)
    }

    /// What the requirements say of the use of ANCS, and Apple's of the links, if they say something.
    private var grade: [String] {
        let printer = LinePrinter(isJSON: isJSON, isColored: isColored)
        return (sessions.verdicts() + links.verdicts()).flatMap { verdicts in
            [Line(told: verdicts[0].accessory, .heading)]
                + RequirementVerdict.lines(ofCapture: verdicts)
        }.flatMap { printer.output($0) }
    }

    /// The line for a failure. Standard output has nothing for people, and stays empty if the file is not a capture.
    private func line(_ failure: CaptureReader.Failure) -> String? {
        guard !failure.isUnknownFormat else { return nil }
        return text(
            Line(
                "capture",
                [
                    "error": .string(failure.message),
                    "offset": .integer(Int(clamping: failure.offset)),
                ]))
    }

    private func opening(of format: CaptureFormat?, at time: CaptureTime) -> String? {
        let name = format?.text ?? ""
        return text(
            Line(
                "capture", ["state": "began", "format": .string(name), "at": .string(time.text)],
                "\(name) · begins \(time.text)"))
    }

    private func closing(_ summary: CaptureAnalyzer.Summary) -> String? {
        let duration = summary.start.flatMap { start in summary.end.map { $0 - start } } ?? .zero
        return text(
            Line(
                "capture",
                [
                    "state": "ended", "time": .number(duration.seconds),
                    "records": .integer(summary.records),
                    "connections": .integer(summary.connections),
                    "sessions": .integer(summary.sessions),
                    "complete": .boolean(summary.failure == nil),
                ],
                "ends after \(duration.thousandths) s: \(counted(summary.records, "record")), "
                    + "\(counted(summary.connections, "connection")), "
                    + "\(counted(summary.sessions, "ANCS session"))"))
    }

    private func text(_ line: Line) -> String? {
        guard isJSON else { return line.sentence }
        var line = line
        let former = line.formerCaptureMembers
        line.add(former)
        return line.text
    }
}

extension CaptureFormat {
    /// The name of the format.
    fileprivate var text: String {
        switch self {
        case .btsnoop(.unencapsulated): "btsnoop (HCI)"
        case .btsnoop(.h4): "btsnoop (H4)"
        case .btsnoop(.monitor): "btsnoop (monitor)"
        case .packetLogger(.bigEndian): "PacketLogger (big endian)"
        case .packetLogger(.littleEndian): "PacketLogger (little endian)"
        case .pcap(.h4): "pcap (H4)"
        case .pcap(.h4WithDirection): "pcap (H4 with direction)"
        case .pcap(.monitor): "pcap (monitor)"
        case .pcapng: "pcapng"
        }
    }
}
