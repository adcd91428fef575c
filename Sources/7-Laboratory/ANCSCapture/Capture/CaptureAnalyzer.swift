public import HCITransports

/// Finds out what happened in a capture, as its octets come: links, pairing, attributes, and ANCS. It reads btsnoop,
/// PacketLogger, pcap and pcapng files, recognized by their contents.
///
///     analyzer.receive(octets)
///     while let output = analyzer.pollOutput() { … }
///
/// Its memory use is bounded, however long the capture is, as long as the outputs are polled before more octets are
/// received. Nothing in a file is a fault of the caller: what cannot be read is an output.
public struct CaptureAnalyzer: ~Copyable {
    /// What was found. Outputs are in order.
    public enum Output: Equatable, Sendable {
        /// The file is a capture in this format; the first output.
        case format(CaptureFormat)
        /// Something happened.
        case event(CaptureEvent)
        /// The rest of the file cannot be read; the last output, but for the events that are open.
        case failed(CaptureReader.Failure)
    }

    /// What a capture has so far.
    public struct Summary: Equatable, Sendable {
        /// The format, once it is recognized.
        public internal(set) var format: CaptureFormat?
        /// The time of the first record.
        public internal(set) var start: CaptureTime?
        /// The time of the last record.
        public internal(set) var end: CaptureTime?
        /// The number of records.
        public internal(set) var records = 0
        /// The number of connections.
        public internal(set) var connections = 0
        /// The number of ANCS sessions.
        public internal(set) var sessions = 0
        /// Whether a packet was malformed, which suggests a damaged file.
        public internal(set) var hasMalformed = false
        /// Why the rest of the file cannot be read.
        public internal(set) var failure: CaptureReader.Failure?
    }

    private var reader = CaptureReader()
    private var follower: CaptureFollower?
    private var isAtEnd = false
    private var current = Summary()

    /// An analyzer at the beginning of a file.
    public init() {}

    /// What the capture has so far.
    public var summary: Summary {
        var summary = current
        if let follower {
            (summary.connections, summary.sessions) = follower.counts
            summary.hasMalformed = follower.hasMalformed
        }
        return summary
    }

    /// Takes more octets of the file, in pieces of any size.
    public mutating func receive(_ octets: some Collection<UInt8>) { reader.receive(octets) }

    /// The file has ended: what is still open is reported.
    public mutating func finish() {
        reader.finish()
        isAtEnd = true
    }

    /// What was found next, or `nil` if more octets are needed or the file has ended.
    public mutating func pollOutput() -> Output? {
        while true {
            if let event = follower?.pollEvent() { return .event(event) }
            switch reader.pollOutput() {
            case .format(let format):
                current.format = format
                follower = CaptureFollower(format: format)
                return .format(format)
            case .record(let record):
                if current.start == nil { current.start = record.time }
                current.end = record.time
                current.records += 1
                follower?.receive(record)
            case .failed(let failure):
                current.failure = failure
                return .failed(failure)
            case nil:
                guard isAtEnd else { return nil }
                isAtEnd = false
                follower?.finish()
            }
        }
    }
}

/// What it follows are objects, so it stays where it was made.
@available(*, unavailable) extension CaptureAnalyzer: Sendable {}
