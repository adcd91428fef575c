internal import Octets

/// Puts the L2CAP PDUs of one link together again. Core Vol 3, Part A, 7.2.2.
///
/// Fragments may have any size, even less than the header. What cannot be put together is dropped and
/// reported; the next beginning of a PDU is a new start.
public struct L2CAPReassembler: ~Copyable, Sendable {
    /// What became of the fragments.
    public enum Output: Hashable, Sendable {
        /// A whole PDU.
        case pdu(L2CAPPDU)
        /// Octets were dropped.
        case dropped(Drop)
    }

    /// Why octets were dropped.
    public enum Drop: Error, Hashable, Sendable {
        /// A fragment continues a PDU that never began.
        case continuationWithoutStart
        /// A new PDU began before the one before was whole.
        case incomplete(received: Int)
        /// A PDU announces a longer payload than the limit.
        case tooLong(channel: L2CAPChannelID, length: Int)
        /// More octets came than the PDU has.
        case excess(channel: L2CAPChannelID, count: Int)
    }

    /// The limit of a reassembler.
    public struct Configuration: Hashable, Sendable {
        /// The longest payload in octets, at most 65,535.
        public var maximumPayload: Int

        /// 517 octets, the largest ATT_MTU in use, unless said otherwise; the other fixed channels
        /// need less.
        public init(maximumPayload: Int = 517) { self.maximumPayload = maximumPayload }
    }

    private enum State {
        case awaitingStart
        case assembling([UInt8])
        /// The rest of a PDU that was reported already is skipped.
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

    /// A fragment came from the controller; it may be longer than the buffers that it advertised.
    public mutating func receive(_ packet: ACLPacket) {
        receive(packet.data.span, boundary: packet.boundary)
    }

    /// A fragment came from the controller.
    public mutating func receive(_ fragment: Span<UInt8>, boundary: ACLPacket.Boundary) {
        switch boundary {
        case .first, .firstNonFlushable, .complete: begin(fragment)
        case .continuing: resume(fragment)
        }
    }

    /// What was put together or dropped, in order, or `nil`.
    public mutating func pollOutput() -> Output? { outputs.popFirst() }

    private mutating func begin(_ fragment: Span<UInt8>) {
        switch exchange(&state, with: .awaitingStart) {
        case .awaitingStart, .skipping: break
        case .assembling(let received):
            outputs.append(.dropped(.incomplete(received: received.count)))
        }
        assemble(Array(fragment))
    }

    private mutating func resume(_ fragment: Span<UInt8>) {
        switch exchange(&state, with: .skipping) {
        case .awaitingStart: outputs.append(.dropped(.continuationWithoutStart))
        case .skipping: break
        case .assembling(var received):
            for index in fragment.indices { received.append(fragment[index]) }
            assemble(received)
        }
    }

    /// Decides what to do with the octets of one PDU that have come so far.
    private mutating func assemble(_ received: [UInt8]) {
        guard received.count >= Self.headerCount else {
            state = .assembling(received)
            return
        }
        let length = Int(received[0]) | Int(received[1]) << 8
        let channel = L2CAPChannelID(rawValue: UInt16(received[2]) | UInt16(received[3]) << 8)
        let excess = received.count - Self.headerCount - length
        if length > configuration.maximumPayload {
            state = .skipping
            outputs.append(.dropped(.tooLong(channel: channel, length: length)))
        } else if excess > 0 {
            state = .skipping
            outputs.append(.dropped(.excess(channel: channel, count: excess)))
        } else if excess < 0 {
            state = .assembling(received)
        } else {
            state = .awaitingStart
            let payload = Array(received[Self.headerCount...])
            outputs.append(.pdu(L2CAPPDU(channel: channel, payload: payload)))
        }
    }
}
