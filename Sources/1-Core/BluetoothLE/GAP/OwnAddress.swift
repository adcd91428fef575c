internal import Octets

/// The address that this device advertises, scans and connects with, and whether the controller has it. All
/// three share it: a controller has one random address, which cannot change during any of them (Core Vol 4,
/// Part E, 7.8.4), so the ``Host`` pauses them all first.
struct OwnAddress: Sendable {
    enum State: Equatable, Sendable {
        /// The controller has another address, or none; a repeated attempt is the last one.
        case unset(isRepeated: Bool)
        /// The command is in flight.
        case setting(isRepeated: Bool)
        /// The controller has the address until this time; `nil` for no limit.
        case set(until: MonotonicInstant?)
        /// The controller refused the address.
        case refused
    }

    /// The address to use.
    private(set) var address: DeviceAddress
    private(set) var state = State.unset(isRepeated: false)
    /// The address that the controller accepted last.
    private var taken: DeviceAddress?
    /// How long an address is used; `nil` for no limit.
    private let interval: Duration?

    init(_ address: DeviceAddress, interval: Duration?) {
        self.address = address
        self.interval = interval
    }

    /// The address on air, until the controller has accepted the next one.
    var onAir: DeviceAddress { taken ?? address }

    /// When the address has to be replaced.
    var deadline: MonotonicInstant? {
        guard case .set(let deadline) = state else { return nil }
        return deadline
    }

    /// Whether the controller uses the address. A public address needs no command.
    var isReady: Bool { if case .set = state { true } else { address.kind == .public } }

    /// Whether the controller has yet to be given the address.
    var needsCommand: Bool { if !isReady, case .unset = state { true } else { false } }

    /// The controller was reset.
    mutating func controllerReset() {
        state = .unset(isRepeated: false)
        taken = nil
    }

    /// Uses another address, once the controller has accepted it.
    mutating func replace(with address: DeviceAddress) {
        self.address = address
        state = .unset(isRepeated: false)
    }

    /// Starts the command; returns whether one is needed.
    mutating func begin() -> Bool {
        guard !isReady, case .unset(let isRepeated) = state else { return false }
        state = .setting(isRepeated: isRepeated)
        return true
    }

    /// The controller accepted the address.
    mutating func succeeded(at now: MonotonicInstant) {
        state = .set(until: interval.map { now + $0 })
        taken = address
    }

    /// The controller did not accept the address. One more attempt is possible; after that, an earlier
    /// address stays in use for another interval.
    mutating func failed(mayRetry: Bool, at now: MonotonicInstant) {
        if mayRetry, case .setting(isRepeated: false) = state {
            state = .unset(isRepeated: true)
        } else if let taken {
            address = taken
            succeeded(at: now)
        } else {
            state = .refused
        }
    }

    /// Allows a new attempt after a refusal.
    mutating func retry() { if case .refused = state { state = .unset(isRepeated: false) } }
}
