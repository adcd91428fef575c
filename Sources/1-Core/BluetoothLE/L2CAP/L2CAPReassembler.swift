internal import Octets

/// Recombines the L2CAP PDUs of one link from fragments. Core Vol 3, Part A, 7.2.2.
///
/// Fragments may have any length, even less than the header. What cannot be recombined is dropped and
/// reported; the next start of a PDU is handled normally.
public struct L2CAPReassembler: ~Copyable, Sendable {
    /// A PDU, or a report of dropped octets.
    public enum Output: Equatable, Sendable {
        /// A complete PDU.
        case pdu(L2CAPPDU)
        /// Octets were dropped.
        case dropped(Drop)
    }

    /// Why octets were dropped.
    public enum Drop: Error, Equatable, Sendable {
        /// A fragment continues no PDU.
        case continuationWithoutStart
        /// A new PDU started before the previous one was complete.
        case incomplete(received: Int)
        /// A PDU has a longer payload than the limit.
        case tooLong(channel: L2CAPChannelID, length: Int)
        /// More octets arrived than the PDU has.
        case excess(channel: L2CAPChannelID, count: Int)
    }

    /// Limits.
    public struct Configuration: Equatable, Sendable {
        /// The longest payload in octets, at most 65,535.
        public var maximumPayload: Int

        /// A limit; by default 517 octets, the longest ATT PDU. The other fixed channels need less.
        public init(maximumPayload: Int = 517) { self.maximumPayload = maximumPayload }
    }

    private enum State {
        case awaitingStart
        case assembling([UInt8])
        /// Skipping the rest of a PDU that has been reported.
        case skipping
    }

    private static let headerCount = 4

    private let configuration: Configuration
    private var state = State.awaitingStart
    private var outputs = Queue<Output>()

    /// A reassembler for a new link.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// A fragment arrived from the controller. It may be longer than the controller's own buffers.
    public mutating func receive(_ packet: ACLPacket) {
        receive(packet.data.span, boundary: packet.boundary)
    }

    /// A fragment arrived from the controller.
    public mutating func receive(_ fragment: Span<UInt8>, boundary: ACLPacket.Boundary) {
        var outputs = exchange(&self.outputs, with: Queue())
        receive(fragment, boundary: boundary) {
            outputs.append(.dropped($0))
        } _: { channel, payload in
            outputs.append(.pdu(L2CAPPDU(channel: channel, payload: Array(payload))))
        }
        self.outputs = outputs
    }

    /// Takes the next output. After every input, call it until it returns `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }

    /// A fragment arrived from the controller, whose PDU need not be copied: `drops` is called with what is dropped, and
    /// then `body` with the payload of the PDU that the fragment completes, if any. There are no outputs then.
    public mutating func receive(
        _ fragment: Span<UInt8>, boundary: ACLPacket.Boundary, drops: (Drop) -> Void,
        _ body: (L2CAPChannelID, Span<UInt8>) -> Void
    ) {
        switch boundary {
        case .first, .firstNonFlushable, .complete: begin(fragment, drops, body)
        case .continuing: resume(fragment, drops, body)
        }
    }

    private mutating func begin(
        _ fragment: Span<UInt8>, _ drops: (Drop) -> Void,
        _ body: (L2CAPChannelID, Span<UInt8>) -> Void
    ) {
        switch exchange(&state, with: .awaitingStart) {
        case .awaitingStart, .skipping: break
        case .assembling(let received): drops(.incomplete(received: received.count))
        }
        assemble(fragment, { Array(fragment) }, drops, body)
    }

    private mutating func resume(
        _ fragment: Span<UInt8>, _ drops: (Drop) -> Void,
        _ body: (L2CAPChannelID, Span<UInt8>) -> Void
    ) {
        switch exchange(&state, with: .skipping) {
        case .awaitingStart: drops(.continuationWithoutStart)
        case .skipping: break
        case .assembling(var received):
            received.append(addingCapacity: fragment.count) { $0.append(octets: fragment) }
            assemble(received.span, { received }, drops, body)
        }
    }

    /// Handles the octets of a PDU that have arrived so far, of which `stored` makes an array.
    private mutating func assemble(
        _ received: Span<UInt8>, _ stored: () -> [UInt8], _ drops: (Drop) -> Void,
        _ body: (L2CAPChannelID, Span<UInt8>) -> Void
    ) {
        guard received.count >= Self.headerCount else {
            state = .assembling(stored())
            return
        }
        let length = Int(received[0]) | Int(received[1]) << 8
        let channel = L2CAPChannelID(rawValue: UInt16(received[2]) | UInt16(received[3]) << 8)
        let excess = received.count - Self.headerCount - length
        if length > configuration.maximumPayload {
            state = .skipping
            drops(.tooLong(channel: channel, length: length))
        } else if excess > 0 {
            state = .skipping
            drops(.excess(channel: channel, count: excess))
        } else if excess < 0 {
            state = .assembling(stored())
        } else {
            state = .awaitingStart
            body(channel, received.extracting(droppingFirst: Self.headerCount))
        }
    }
}
