internal import Octets

/// Recombines the L2CAP PDUs of one link from fragments. Core Vol 3, Part A, 7.2.2.
///
/// Fragments may have any length, even less than the header. What cannot be recombined is dropped and
/// reported; the next start of a PDU is handled normally.
public struct L2CAPReassembler: ~Copyable, Sendable {
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

    /// A reassembler for a new link.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// A fragment arrived from the controller; it may be longer than the controller's own buffers. Returns the PDU that
    /// it completes, if any; before, `drops` is called with what was dropped.
    public mutating func receive(
        _ fragment: Span<UInt8>, boundary: ACLPacket.Boundary, drops: (Drop) -> Void
    ) -> L2CAPPDU? {
        switch boundary {
        case .first, .firstNonFlushable, .complete: begin(fragment, drops)
        case .continuing: resume(fragment, drops)
        }
    }

    private mutating func begin(_ fragment: Span<UInt8>, _ drops: (Drop) -> Void) -> L2CAPPDU? {
        switch exchange(&state, with: .awaitingStart) {
        case .awaitingStart, .skipping: break
        case .assembling(let received): drops(.incomplete(received: received.count))
        }
        guard let pdu = try? L2CAPPDU(decoding: fragment),
            pdu.payload.count <= configuration.maximumPayload
        else { return assemble(Array(fragment), drops) }
        return pdu
    }

    private mutating func resume(_ fragment: Span<UInt8>, _ drops: (Drop) -> Void) -> L2CAPPDU? {
        switch exchange(&state, with: .skipping) {
        case .awaitingStart:
            drops(.continuationWithoutStart)
            return nil
        case .skipping: return nil
        case .assembling(var received):
            received.append(addingCapacity: fragment.count) { $0.append(octets: fragment) }
            return assemble(received, drops)
        }
    }

    /// Handles the octets of a PDU that have arrived so far.
    private mutating func assemble(_ received: [UInt8], _ drops: (Drop) -> Void) -> L2CAPPDU? {
        guard received.count >= Self.headerCount else {
            state = .assembling(received)
            return nil
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
            state = .assembling(received)
        } else {
            state = .awaitingStart
            return L2CAPPDU(channel: channel, payload: Array(received[Self.headerCount...]))
        }
        return nil
    }
}
