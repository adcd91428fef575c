internal import BluetoothLE
internal import DBus
internal import Octets

/// What bluetoothd is told to advertise: that this device wants ANCS (S30), and its name.
///
///     idle ─▶ registering ─▶ verifying ─▶ onAir
///       ▲          └──▶ pausing ◀──┘        │ a disconnection, a suspend
///       └──── unregistering ◀───────────────┘
///
/// That it is registered does not mean that it is on air: bluetoothd's count of the advertisements on air has
/// to say so, and an advertisement can be dead after a suspend, or after the controller advertised for a
/// connection, with the count as before.
struct Advertisement: Sendable {
    enum Call: Hashable, Sendable {
        case register
        case unregister
        /// Reads how many are on air.
        case count
    }

    enum Output: Hashable, Sendable {
        case call(Call)
        case onAir(Bool)
        case refused(BusError)
    }

    private enum State: Hashable, Sendable {
        case idle
        case registering
        case verifying
        case onAir
        case unregistering
        case pausing(until: MonotonicInstant)
    }

    static let path: ObjectPath = "/ancs/advertisement"
    static let interface = "org.bluez.LEAdvertisement1"
    /// How long it is waited before it is tried again, at first; each time twice as long, up to the limit.
    private static let firstPause = Duration.seconds(2)
    private static let longestPause = Duration.seconds(60)

    private var state = State.idle
    /// Whether it is to be on air.
    private(set) var isWanted = false
    /// It is to be registered again, although it may be on air.
    private var isStale = false
    private var toldOnAir = false
    private var pause = Advertisement.firstPause
    private var outputs = Queue<Output>()

    /// Phones can find this device.
    var isOnAir: Bool { toldOnAir }

    mutating func pollOutput() -> Output? { outputs.popFirst() }

    var nextDeadline: MonotonicInstant? {
        if case .pausing(let instant) = state { instant } else { nil }
    }

    mutating func handleTimeout(at now: MonotonicInstant) {
        guard case .pausing(let instant) = state, instant <= now else { return }
        unregister()
    }

    /// It is to be on air, or not any more.
    mutating func want(_ isWanted: Bool) {
        guard exchange(&self.isWanted, with: isWanted) != isWanted else { return }
        proceed()
    }

    /// A device disconnected, or the machine was suspended: it may be dead.
    mutating func renew() {
        isStale = true
        pause = Self.firstPause
        if case .pausing = state { return unregister() }
        proceed()
    }

    /// bluetoothd or the adapter went away, and the registration with it.
    mutating func lost() {
        state = .idle
        isWanted = false
        isStale = false
        pause = Self.firstPause
        tell(onAir: false)
    }

    /// bluetoothd has dropped it by itself.
    mutating func released(at now: MonotonicInstant) {
        switch state {
        case .verifying, .onAir: retry(at: now)
        case .idle, .registering, .unregistering, .pausing: break
        }
    }

    /// How many are on air has changed.
    mutating func counted(_ count: Int, at now: MonotonicInstant) {
        if case .onAir = state, count == 0 { retry(at: now) }
        if case .verifying = state, count > 0 { verified() }
    }

    mutating func replied(
        to call: Call, _ result: Result<[BusValue], BusError>, at now: MonotonicInstant
    ) {
        switch (call, state) {
        case (.register, .registering): registered(result, at: now)
        case (.count, .verifying):
            guard case .success(let values) = result, values.first?.integer ?? 0 > 0 else {
                return retry(at: now)
            }
            verified()
        case (.unregister, .unregistering):
            // What was not registered is none the less not registered now.
            state = .idle
            proceed()
        // An answer to what is over.
        case (.register, _), (.count, _), (.unregister, _): break
        }
    }

    private mutating func registered(
        _ result: Result<[BusValue], BusError>, at now: MonotonicInstant
    ) {
        switch result {
        case .success where !isWanted || isStale: unregister()
        case .success:
            state = .verifying
            outputs.append(.call(.count))
        case .failure(let error) where error.blueZName == "AlreadyExists": unregister()
        case .failure(let error):
            outputs.append(.refused(error))
            retry(at: now)
        }
    }

    private mutating func verified() {
        state = .onAir
        pause = Self.firstPause
        tell(onAir: true)
        proceed()
    }

    private mutating func retry(at now: MonotonicInstant) {
        state = .pausing(until: now + pause)
        pause = min(pause * 2, Self.longestPause)
        tell(onAir: false)
    }

    /// Does the next step towards what is wanted.
    private mutating func proceed() {
        switch state {
        case .idle:
            guard isWanted else { return tell(onAir: false) }
            isStale = false
            state = .registering
            outputs.append(.call(.register))
        case .onAir, .verifying, .pausing: if !isWanted || isStale { unregister() }
        // The answer goes on.
        case .registering, .unregistering: break
        }
    }

    private mutating func unregister() {
        state = .unregistering
        if !isWanted { tell(onAir: false) }
        outputs.append(.call(.unregister))
    }

    /// What is renewed is on air to users, unless that fails.
    private mutating func tell(onAir isOnAir: Bool) {
        guard exchange(&toldOnAir, with: isOnAir) != isOnAir else { return }
        outputs.append(.onAir(isOnAir))
    }

    /// What bluetoothd reads of it.
    static func properties(name: String) -> BusValue {
        .options([
            "Type": .string("peripheral"),
            "SolicitUUIDs": .strings([BluetoothUUID.ancs.text]),
            "LocalName": .string(name),
            // iOS lists what is in general discoverable mode.
            "Discoverable": .bool(true),
        ])
    }
}
