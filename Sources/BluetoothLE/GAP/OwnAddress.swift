internal import Octets

/// The address that this device advertises, scans and connects with, and what the controller knows of
/// it. There is one for everything: a controller has one random address, which cannot change while any
/// of the three is on air (Core Vol 4, Part E, 7.8.4), so the ``Host`` asks them all off air first.
struct OwnAddress: Sendable {
    enum State: Hashable, Sendable {
        /// The controller has another address, or none.
        case unset
        /// The command is in flight.
        case setting
        case set
        /// The controller does not take it.
        case refused
    }

    /// The address to use from now on.
    private(set) var address: DeviceAddress
    /// The address in use, until the controller has the other one.
    private(set) var onAir: DeviceAddress
    private(set) var state = State.unset
    /// When the address has been in use long enough.
    private(set) var deadline: MonotonicInstant?
    /// How long an address is used; `nil` for ever.
    private let interval: Duration?
    /// Whether the controller has taken the address in ``onAir``.
    private var hasEarlier = false
    private var hasRetried = false

    init(_ address: DeviceAddress, interval: Duration?) {
        self.address = address
        onAir = address
        self.interval = interval
    }

    /// Whether the controller uses the address. It brings a public one along.
    var isReady: Bool { address.kind == .public || state == .set }

    /// The controller was set up anew.
    mutating func controllerReset() {
        state = .unset
        hasEarlier = false
        hasRetried = false
        deadline = nil
    }

    /// Uses another address, as soon as the controller has it.
    mutating func replace(with address: DeviceAddress) {
        self.address = address
        state = .unset
        deadline = nil
    }

    /// The command is on its way.
    mutating func begin() { state = .setting }

    /// The controller took the address.
    mutating func succeeded(at now: MonotonicInstant) {
        state = .set
        onAir = address
        hasEarlier = true
        hasRetried = false
        deadline = interval.map { now + $0 }
    }

    /// The controller did not take the address. It may try once more; after that, an earlier address
    /// stays in use for another interval.
    mutating func failed(mayRetry: Bool, at now: MonotonicInstant) {
        if mayRetry, !hasRetried {
            hasRetried = true
            state = .unset
        } else if hasEarlier {
            address = onAir
            succeeded(at: now)
        } else {
            hasRetried = false
            state = .refused
        }
    }

    /// What was refused may be tried again.
    mutating func retry() {
        if state == .refused { state = .unset }
    }
}
