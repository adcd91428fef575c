public import Octets

/// One packet between host and controller, without its H4 indicator. Core Vol 4, Part A, 2.
public enum HCIPacket: Hashable, Sendable {
    /// Host to controller: a command.
    case command([UInt8])
    /// Either way: ACL data.
    case acl([UInt8])
    /// Controller to host: an event.
    case event([UInt8])
}

extension HCIPacket: OctetEncodable {
    /// The octet that precedes the packet on an H4 transport.
    public var indicator: UInt8 {
        switch self {
        case .command: 0x01
        case .acl: 0x02
        case .event: 0x04
        }
    }

    /// The packet without the indicator.
    public var body: [UInt8] {
        switch self {
        case .command(let body), .acl(let body), .event(let body): body
        }
    }

    /// The indicator and the packet.
    public var encodedCount: Int { 1 + body.count }

    /// Appends indicator and packet, as an H4 transport carries them.
    public func encode(into output: inout OutputSpan<UInt8>) {
        output.append(indicator)
        output.append(octets: body)
    }
}

/// Cuts the octets of an H4 transport, fragmented in any way, into packets. Core Vol 4, Part A, 2.
///
/// Synchronous and isochronous packets are skipped by their length. There is no way back after an
/// unknown indicator: the octets that follow cannot be told apart, so the framer stays failed and its
/// owner resets the transport.
public struct H4Framer: ~Copyable, Sendable {
    /// What the framer found.
    public enum Output: Hashable, Sendable {
        /// A whole packet.
        case packet(HCIPacket)
        /// Nothing more can be read.
        case failed(Failure)
    }

    /// Why the stream makes no sense.
    public enum Failure: Error, Hashable, Sendable {
        /// The octet that should say what follows is none of the indicators.
        case unknownIndicator(UInt8)
        /// A packet announces more octets than the limit.
        case tooLong(indicator: UInt8, length: Int)
    }

    /// The limit of the framer.
    public struct Configuration: Hashable, Sendable {
        /// The largest ACL, synchronous or isochronous payload in octets. A length field of 16 bits
        /// allows 65,535; no controller has such buffers, but hosts of virtual ones do.
        public var maximumLength: Int

        /// A limit of the size of the length field.
        public init(maximumLength: Int = 65_535) { self.maximumLength = maximumLength }
    }

    private enum State {
        case awaitingIndicator
        case header(Kind, [UInt8])
        case body(Kind, [UInt8], total: Int)
        case skipping(count: Int)
        case failed
    }

    private enum Kind: UInt8 {
        case command = 0x01
        case acl = 0x02
        case synchronous = 0x03
        case event = 0x04
        case isochronous = 0x05

        var headerCount: Int {
            switch self {
            case .command, .synchronous: 3
            case .acl, .isochronous: 4
            case .event: 2
            }
        }

        /// The length that a whole header announces.
        func length(header: [UInt8]) -> Int {
            switch self {
            case .command, .synchronous: Int(header[2])
            case .acl: Int(header[2]) | Int(header[3]) << 8
            case .isochronous: Int(header[2]) | Int(header[3] & 0x3F) << 8
            case .event: Int(header[1])
            }
        }
    }

    private let configuration: Configuration
    private var state = State.awaitingIndicator
    private var outputs = Queue<Output>()

    /// A framer at the border between two packets.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Octets came from the transport. As many packets as they complete wait for ``pollOutput()``.
    public mutating func receive(_ octets: Span<UInt8>) {
        var rest = octets
        while !rest.isEmpty {
            switch exchange(&state, with: .failed) {
            case .awaitingIndicator: begin(rest[0], &rest)
            case .header(let kind, let header): collect(kind, header, &rest)
            case .body(let kind, let packet, let total): fill(kind, packet, total, &rest)
            case .skipping(let count):
                let skipped = min(count, rest.count)
                rest = rest.extracting(droppingFirst: skipped)
                state = skipped < count ? .skipping(count: count - skipped) : .awaitingIndicator
            case .failed: return
            }
        }
    }

    /// What was found, in order, or `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }

    private mutating func begin(_ indicator: UInt8, _ rest: inout Span<UInt8>) {
        rest = rest.extracting(droppingFirst: 1)
        guard let kind = Kind(rawValue: indicator) else {
            outputs.append(.failed(.unknownIndicator(indicator)))
            return
        }
        state = .header(kind, [])
    }

    private mutating func collect(_ kind: Kind, _ start: [UInt8], _ rest: inout Span<UInt8>) {
        var header = start
        move(kind.headerCount - header.count, from: &rest, to: &header)
        guard header.count == kind.headerCount else {
            state = .header(kind, header)
            return
        }
        let length = kind.length(header: header)
        guard length <= configuration.maximumLength else {
            outputs.append(.failed(.tooLong(indicator: kind.rawValue, length: length)))
            return
        }
        switch kind {
        case .synchronous, .isochronous:
            state = length > 0 ? .skipping(count: length) : .awaitingIndicator
        case .command, .acl, .event:
            header.reserveCapacity(header.count + length)
            finish(kind, header, header.count + length)
        }
    }

    private mutating func fill(
        _ kind: Kind, _ start: [UInt8], _ total: Int, _ rest: inout Span<UInt8>
    ) {
        var packet = start
        move(total - packet.count, from: &rest, to: &packet)
        finish(kind, packet, total)
    }

    /// Emits the packet if it is whole, else waits for more of it.
    private mutating func finish(_ kind: Kind, _ packet: [UInt8], _ total: Int) {
        guard packet.count == total else {
            state = .body(kind, packet, total: total)
            return
        }
        state = .awaitingIndicator
        switch kind {
        case .command: outputs.append(.packet(.command(packet)))
        case .acl: outputs.append(.packet(.acl(packet)))
        case .event: outputs.append(.packet(.event(packet)))
        case .synchronous, .isochronous: break
        }
    }

    private func move(_ wanted: Int, from rest: inout Span<UInt8>, to buffer: inout [UInt8]) {
        let count = min(wanted, rest.count)
        for index in 0..<count { buffer.append(rest[index]) }
        rest = rest.extracting(droppingFirst: count)
    }
}
