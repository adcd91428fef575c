public import Octets

/// A packet between host and controller, without its H4 indicator. Core Vol 4, Part A, 2.
public enum HCIPacket: Equatable, Sendable {
    /// A command, from host to controller.
    case command([UInt8])
    /// ACL data, in either direction.
    case acl([UInt8])
    /// An event, from controller to host.
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

    /// The length in octets: 1 for the indicator, and that of the packet.
    public var encodedCount: Int { 1 + body.count }

    /// Appends the indicator and the packet, the format of an H4 transport.
    public func encode(into output: inout OutputSpan<UInt8>) {
        output.append(indicator)
        output.append(octets: body)
    }
}

/// Splits the octets of an H4 transport, which may arrive in fragments of any size, into packets. Core Vol 4,
/// Part A, 2.
///
/// Synchronous and isochronous packets are skipped. After an unknown indicator, packet borders can no longer
/// be found: the framer stays failed, and its owner has to reset the transport.
public struct H4Framer: ~Copyable, Sendable {
    /// A packet or a failure.
    public enum Output: Equatable, Sendable {
        /// A complete packet.
        case packet(HCIPacket)
        /// The stream is invalid; nothing more will be read.
        case failed(Failure)
    }

    /// Why the stream is invalid.
    public enum Failure: Error, Equatable, Sendable {
        /// An octet that must be an indicator has an unknown value.
        case unknownIndicator(UInt8)
        /// A packet is longer than the limit, in octets.
        case tooLong(indicator: UInt8, length: Int)
    }

    /// The limit of the framer.
    public struct Configuration: Equatable, Sendable {
        /// The longest ACL, synchronous or isochronous payload in octets. The 16-bit length field allows
        /// 65,535; no controller has such buffers, but virtual ones receive such packets.
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

        /// The payload length in a complete header.
        func length(header: Span<UInt8>) -> Int {
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

    /// A framer that expects the start of a packet.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Takes the next packet from the front of octets that arrived from the transport, or the failure that they show;
    /// `nil` once they are used up. After it, call it with the rest.
    public mutating func next(from octets: inout Span<UInt8>) -> Output? {
        while !octets.isEmpty {
            var output: Output?
            switch exchange(&state, with: .failed) {
            case .awaitingIndicator: output = begin(octets[0], &octets)
            case .header(let kind, let header): output = collect(kind, header, &octets)
            case .body(let kind, let packet, let total): output = fill(kind, packet, total, &octets)
            case .skipping(let count):
                let skipped = min(count, octets.count)
                octets = octets.extracting(droppingFirst: skipped)
                state = skipped < count ? .skipping(count: count - skipped) : .awaitingIndicator
            case .failed: octets = octets.extracting(droppingFirst: octets.count)
            }
            if let output { return output }
        }
        return nil
    }

    /// Queues all packets of these octets.
    @available(*, deprecated, renamed: "next(from:)")
    public mutating func receive(_ octets: Span<UInt8>) {
        var rest = octets
        while let output = next(from: &rest) { outputs.append(output) }
    }

    /// Takes the next packet that ``receive(_:)`` has queued.
    @available(*, deprecated, renamed: "next(from:)")
    public mutating func pollOutput() -> Output? { outputs.popFirst() }

    private mutating func begin(_ indicator: UInt8, _ rest: inout Span<UInt8>) -> Output? {
        rest = rest.extracting(droppingFirst: 1)
        guard let kind = Kind(rawValue: indicator) else {
            return .failed(.unknownIndicator(indicator))
        }
        if let packet = takeWhole(kind, &rest) { return finish(kind, packet, packet.count) }
        state = .header(kind, [])
        return nil
    }

    private mutating func collect(
        _ kind: Kind, _ start: [UInt8], _ rest: inout Span<UInt8>
    ) -> Output? {
        var header = start
        move(kind.headerCount - header.count, from: &rest, to: &header)
        guard header.count == kind.headerCount else {
            state = .header(kind, header)
            return nil
        }
        let length = kind.length(header: header.span)
        guard length <= configuration.maximumLength else {
            return .failed(.tooLong(indicator: kind.rawValue, length: length))
        }
        switch kind {
        case .synchronous, .isochronous:
            state = length > 0 ? .skipping(count: length) : .awaitingIndicator
            return nil
        case .command, .acl, .event:
            header.reserveCapacity(header.count + length)
            return finish(kind, header, header.count + length)
        }
    }

    /// Takes a packet that lies in one fragment, which is the usual case.
    private func takeWhole(_ kind: Kind, _ rest: inout Span<UInt8>) -> [UInt8]? {
        guard rest.count >= kind.headerCount else { return nil }
        let length = kind.length(header: rest)
        guard length <= configuration.maximumLength else { return nil }
        return try? rest.takeOctets(kind.headerCount + length)
    }

    private mutating func fill(
        _ kind: Kind, _ start: [UInt8], _ total: Int, _ rest: inout Span<UInt8>
    ) -> Output? {
        var packet = start
        move(total - packet.count, from: &rest, to: &packet)
        return finish(kind, packet, total)
    }

    /// The packet if it is complete; otherwise the rest is awaited.
    private mutating func finish(_ kind: Kind, _ packet: [UInt8], _ total: Int) -> Output? {
        guard packet.count == total else {
            state = .body(kind, packet, total: total)
            return nil
        }
        state = .awaitingIndicator
        return switch kind {
        case .command: .packet(.command(packet))
        case .acl: .packet(.acl(packet))
        case .event: .packet(.event(packet))
        case .synchronous, .isochronous: nil
        }
    }

    private func move(_ wanted: Int, from rest: inout Span<UInt8>, to buffer: inout [UInt8]) {
        let count = min(wanted, rest.count)
        let octets = rest.extracting(first: count)
        buffer.append(addingCapacity: count) { $0.append(octets: octets) }
        rest = rest.extracting(droppingFirst: count)
    }
}
