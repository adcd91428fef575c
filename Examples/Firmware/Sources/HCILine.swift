import BluetoothLE
import Octets

/// The line from the controller. H4 has no marks between packets: where it has lost or gained an octet, the
/// packets that follow cannot be separated (Core Vol 4, Part A, 5). Then everything is discarded until the line has been
/// quiet for a while, and the controller is reset.
struct HCILine: ~Copyable {
    enum Output {
        case packet(HCIPacket)
        /// Octets came that belong to no packet: this is where the links end. Once the line is quiet, the controller has
        /// to be reset.
        case lost
    }

    private enum State {
        case following
        case waitingForQuiet(until: MonotonicInstant)
    }

    /// How long a line is silent before it counts as quiet: longer than a packet takes.
    private static let silence = Duration.milliseconds(200)
    /// No controller sends events beyond 257 octets, nor ACL packets larger than the host's buffers.
    private static let maximumLength = 1024

    private var framer = H4Framer(configuration: .init(maximumLength: HCILine.maximumLength))
    private var state = State.following

    var nextDeadline: MonotonicInstant? {
        switch state {
        case .following: nil
        case .waitingForQuiet(let until): until
        }
    }

    /// What comes next from octets that arrived; `nil` once they are used up.
    mutating func next(from octets: inout Span<UInt8>, at now: MonotonicInstant) -> Output? {
        switch state {
        case .following:
            switch framer.next(from: &octets) {
            case nil: return nil
            case .packet(let packet)?: return .packet(packet)
            case .failed?:
                state = .waitingForQuiet(until: now + Self.silence)
                return .lost
            }
        case .waitingForQuiet:
            state = .waitingForQuiet(until: now + Self.silence)
            return nil
        }
    }

    /// Whether the line has become quiet: it follows its packets again.
    mutating func becomesQuiet(at now: MonotonicInstant) -> Bool {
        guard case .waitingForQuiet(let until) = state, until <= now else { return false }
        framer = H4Framer(configuration: .init(maximumLength: Self.maximumLength))
        state = .following
        return true
    }
}
