internal import JSONText
internal import LinuxIO

/// Tells a capture, from its octets to lines: what `ancs decode` prints of a capture file.
struct CaptureStory: ~Copyable {
    private let isJSON: Bool
    private let isColored: Bool
    private var reader = CaptureReader()
    private var format: CaptureFormat?
    private var follower: CaptureFollower?
    private var start: CaptureTime?
    private var end: CaptureTime?
    private var recordCount = 0
    /// Why the file could not be read to its end.
    private(set) var failure: CaptureReader.Failure?

    /// A story that has not begun.
    init(json: Bool, isColored: Bool = false) {
        isJSON = json
        self.isColored = isColored
    }

    /// More of the file; the lines that it makes.
    mutating func receive(_ octets: some Collection<UInt8>) -> [String] {
        reader.receive(octets)
        return lines()
    }

    /// The end of the file; the last lines.
    mutating func finish() -> [String] {
        reader.finish()
        var lines = lines()
        let open = follower?.finish() ?? []
        lines += open.flatMap { text(of: $0) }
        if let failure { lines += text(of: failure) }
        if format != nil { lines += [closing] }
        return lines
    }

    /// What the run ends with: a file of another kind is wrong usage, a damaged one a failure.
    var status: ExitStatus {
        if let failure { return failure.isUnknownFormat ? .usage : .failure }
        return follower?.hasMalformed ?? false ? .failure : .success
    }

    private mutating func lines() -> [String] {
        var lines: [String] = []
        while let output = reader.pollOutput() {
            switch output {
            case .format(let format):
                self.format = format
                follower = CaptureFollower(format: format)
            case .record(let record):
                if start == nil {
                    start = record.time
                    lines.append(opening(at: record.time))
                }
                end = record.time
                recordCount += 1
                for happening in follower?.receive(record) ?? [] { lines += text(of: happening) }
            case .failed(let failure): self.failure = failure
            }
        }
        return lines
    }

    private func text(of happening: Happening) -> [String] {
        let start = start ?? happening.time
        guard !isJSON else { return [happening.json(since: start).text] }
        return StoryText(start: start, isColored: isColored).lines(happening)
    }

    /// A file that is no capture at all leaves standard output empty.
    private func text(of failure: CaptureReader.Failure) -> [String] {
        guard isJSON, !failure.isUnknownFormat else { return [] }
        let object: JSONValue = [
            "kind": "capture", "error": .string(failure.text),
            "offset": .integer(Int(clamping: failure.offset)),
        ]
        return [object.text]
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
        }
    }
}

extension CaptureReader.Failure {
    /// What is wrong and where, in one sentence.
    var text: String {
        switch reason {
        case .unknownFormat:
            "not a capture that can be read: btsnoop and PacketLogger can, and text lines "
                + "'ns HEX', 'cp HEX', 'ds HEX' ('editcap -F btsnoop' converts captures of Wireshark)"
        case .unsupportedVersion(let version): "btsnoop of version \(version), not 1"
        case .unsupportedDatalink(let type):
            "btsnoop with datalink type \(type); 1001, 1002 and 2001 can be read"
        case .truncated(let needed, let available):
            "the file is cut: at octet \(offset), \(needed) octets are needed and \(available) there"
        case .invalidLength(let length):
            "the file is damaged: at octet \(offset), a record says that it has \(length) octets"
        }
    }
}
