internal import Octets

/// The address that this device advertises, scans and connects with, and what the controller knows of
/// it. There is one for everything: a controller has one random address, which cannot change while any
/// of the three is on air (Core Vol 4, Part E, 7.8.4), so the ``Host`` asks them all off air first.
struct OwnAddress: Sendable {
    enum State: Hashable, Sendable {
        /// The controller has another address, or none; a repeated attempt is the last.
        case unset(isRepeated: Bool)
        /// The command is in flight.
        case setting(isRepeated: Bool)
        /// The controller has the address, for so long; `nil` for ever.
        case set(until: MonotonicInstant?)
        /// The controller does not take it.
        case refused
    }

    /// The address to use from now on.
    private(set) var address: DeviceAddress
    private(set) var state = State.unset(isRepeated: false)
    /// The address that the controller has taken last.
    private var taken: DeviceAddress?
    /// How long an address is used; `nil` for ever.
    private let interval: Duration?

    init(_ address: DeviceAddress, interval: Duration?) {
        self.address = address
        self.interval = interval
    }

    /// The address in use, until the controller has the other one.
    var onAir: DeviceAddress { taken ?? address }

    /// When the address has been in use long enough.
    var deadline: MonotonicInstant? {
        guard case .set(let deadline) = state else { return nil }
        return deadline
    }

    /// Whether the controller uses the address. It brings a public one along.
    var isReady: Bool {
        if case .set = state { true } else { address.kind == .public }
    }

    /// The controller was set up anew.
    mutating func controllerReset() {
        state = .unset(isRepeated: false)
        taken = nil
    }

    /// Uses another address, as soon as the controller has it.
    mutating func replace(with address: DeviceAddress) {
        self.address = address
        state = .unset(isRepeated: false)
    }

    /// The command is on its way, if there is to be one.
    mutating func begin() -> Bool {
        guard !isReady, case .unset(let isRepeated) = state else { return false }
        state = .setting(isRepeated: isRepeated)
        return true
    }

    /// The controller took the address.
    mutating func succeeded(at now: MonotonicInstant) {
        state = .set(until: interval.map { now + $0 })
        taken = address
    }

    /// The controller did not take the address. It may try once more; after that, an earlier address
    /// stays in use for another interval.
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

    /// What was refused may be tried again.
    mutating func retry() {
        if case .refused = state { state = .unset(isRepeated: false) }
    }
}
