import BluetoothLE
import Octets

/// The line from the controller. H4 has no marks between packets: where it has lost or gained an octet, the
/// packets that follow cannot be separated (Core Vol 4, Part A, 5). Then everything is discarded until the line has been
/// quiet for a while, and the controller is reset.
struct HCILine: ~Copyable {
    enum Output {
        case packet(HCIPacket)
        /// Octets came that belong to no packet: this is where the links end.
        case lost
        /// The line is quiet: reset the controller.
        case quiet
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

    mutating func receive(_ octets: Span<UInt8>, at now: MonotonicInstant) {
        switch state {
        case .following: framer.receive(octets)
        case .waitingForQuiet: state = .waitingForQuiet(until: now + Self.silence)
        }
    }

    /// The next output; a `.quiet` line follows its packets again.
    mutating func pollOutput(at now: MonotonicInstant) -> Output? {
        switch state {
        case .following:
            switch framer.pollOutput() {
            case nil: return nil
            case .packet(let packet)?: return .packet(packet)
            case .failed?:
                state = .waitingForQuiet(until: now + Self.silence)
                return .lost
            }
        case .waitingForQuiet(let until):
            guard until <= now else { return nil }
            framer = H4Framer(configuration: .init(maximumLength: Self.maximumLength))
            state = .following
            return .quiet
        }
    }
}
