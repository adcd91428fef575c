internal import Terminal
internal import ANCSCapture
internal import AccessoryConformance
internal import JSONText
internal import HCITransports
internal import LinuxIO

/// Turns the octets of a capture file into pages of lines: the output of `ancs decode`.
struct CaptureStory: ~Copyable {
    private let isJSON: Bool
    private let isColored: Bool
    private var reader = CaptureReader()
    private var format: CaptureFormat?
    private var follower: CaptureFollower?
    private var start: CaptureTime?
    private var end: CaptureTime?
    private var recordCount = 0
    private var links = CaptureLinks()
    /// Why the file could not be read to its end.
    private(set) var failure: CaptureReader.Failure?

    /// Creates a story at the beginning of a capture.
    init(json: Bool, isColored: Bool = false) {
        isJSON = json
        self.isColored = isColored
    }

    /// Takes more octets of the file and returns what they show.
    mutating func receive(_ octets: some Collection<UInt8>) -> StoryPage {
        reader.receive(octets)
        return page(isLast: false)
    }

    /// Ends the file and returns the last page.
    mutating func finish() -> StoryPage {
        reader.finish()
        var page = page(isLast: true)
        if let failure, let line = line(failure) { page.append(line) }
        // What turns out to be no capture of HCI has no story.
        if format != nil, failure?.isUnknownFormat != true {
            for line in grade { page.append(line) }
            page.append(closing)
        }
        return page
    }

    /// The exit status of the run: wrong usage if the file is not a capture, a failure if it is damaged.
    var status: ExitStatus {
        if let failure { return failure.isUnknownFormat ? .usage : .failure }
        return follower?.hasMalformed ?? false ? .failure : .success
    }

    private mutating func page(isLast: Bool) -> StoryPage {
        var first: String?
        while let output = reader.pollOutput() {
            switch output {
            case .format(let format):
                self.format = format
                follower = CaptureFollower(format: format)
            case .record(let record):
                if start == nil {
                    start = record.time
                    first = opening(at: record.time)
                }
                end = record.time
                recordCount += 1
                follower?.receive(record)
            case .failed(let failure): self.failure = failure
            }
        }
        if isLast { follower?.finish() }
        let happenings = follower?.drain() ?? []
        for happening in happenings { links.observe(happening) }
        return StoryPage(
            happenings, since: start, opening: first, json: isJSON,
            isColored: isColored)
    }

    /// What Apple's rules say of the links, if they say something.
    private var grade: [String] {
        links.verdicts().flatMap { name, verdicts in
            guard isJSON else {
                let paint = TerminalPaint(isColored: isColored)
                return [name] + LinkVerdictText(paint: paint).lines(of: verdicts)
            }
            return verdicts.map { verdict in
                JSONValue.object(
                    [.init("kind", "linkRule"), .init("accessory", .string(name))]
                        + verdict.jsonMembers
                ).text
            }
        }
    }

    /// The line for a failure. Standard output stays empty if the file is not a capture.
    private func line(_ failure: CaptureReader.Failure) -> String? {
        guard isJSON, !failure.isUnknownFormat else { return nil }
        let object: JSONValue = [
            "kind": "capture", "error": .string(failure.text),
            "offset": .integer(Int(clamping: failure.offset)),
        ]
        return object.text
    }

    private func opening(at time: CaptureTime) -> String {
        let name = format?.text ?? ""
        guard isJSON else { return "\(name) · begins \(time.text)" }
        let object: JSONValue = [
            "kind": "capture", "state": "began", "format": .string(name),
            "at": .string(time.text),
        ]
        return object.text
    }

    private var closing: String {
        let duration = start.flatMap { start in end.map { $0 - start } } ?? .zero
        let (connections, sessions) = follower?.counts ?? (0, 0)
        guard isJSON else {
            return "ends after \(duration.thousandths) s: "
                + [
                    counted(recordCount, "record"), counted(connections, "connection"),
                    counted(sessions, "ANCS session"),
                ].joined(separator: ", ")
        }
        let object: JSONValue = [
            "kind": "capture", "state": "ended", "time": .number(duration.seconds),
            "records": .integer(recordCount), "connections": .integer(connections),
            "sessions": .integer(sessions), "complete": .boolean(failure == nil),
        ]
        return object.text
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

extension CaptureReader.Failure {
    /// The error and its position, in one sentence.
    var text: String {
        switch reason {
        case .unknownFormat:
            "unknown format: 'ancs decode' reads btsnoop, PacketLogger, pcap, pcapng, and lines "
                + "'ns HEX', 'cp HEX', 'ds HEX'; unpack a compressed file first"
        case .unsupportedVersion(let version): "btsnoop of version \(version), not 1"
        case .unsupportedDatalink(let type):
            "btsnoop of \(Self.contents(ofDatalink: type)) (datalink type \(type)); 1001, 1002 and 2001 can "
                + "be read: record with 'btmon -w FILE' on Linux"
        case .unsupportedLinkType(let type):
            "\(Self.contents(ofLinkType: type)) (link type \(type)), not HCI packets; record those on the "
                + "phone or the accessory, for example with 'idevicebtlogger -f pcap FILE' for an iPhone or "
                + "'btmon -w FILE' on Linux"
        case .truncated(let needed, let available):
            "the file is truncated: \(needed) octets are needed at octet \(offset), and \(available) are left"
        case .invalidLength(let length):
            "the file is damaged: the record at octet \(offset) claims \(length) octets"
        }
    }

    /// What a btsnoop file with this type has: RFC 1761, and those that Bluetooth tools added.
    private static func contents(ofDatalink type: UInt32) -> String {
        switch type {
        case 0...10: "a network"
        case 1003: "HCI in BCSP frames of a serial line"
        case 1004: "HCI in three-wire (H5) frames of a serial line"
        case 2002: "simulated devices"
        default: "something else"
        }
    }

    /// What a pcap or pcapng file with this link type has: the list of tcpdump.org.
    private static func contents(ofLinkType type: UInt16) -> String {
        switch type {
        case 251, 256, 272: "a sniffer's capture of packets on the air, where ANCS is encrypted"
        case 255: "a sniffer's capture of BR/EDR packets on the air"
        case 147...162: "a capture with a private link type"
        case 192: "a capture with PPI headers, usually a sniffer's, where ANCS is encrypted"
        case 186, 189, 220, 249, 266: "a capture of USB"
        case 0, 1, 101, 113, 276: "a capture of a network"
        case 105, 119, 127: "a capture of Wi-Fi"
        default: "a capture of something else"
        }
    }
}
