internal import BluetoothTypes
package import DBus

/// The advertisement for bluetoothd: the solicitation of ANCS (S30), and the name.
///
///     idle ─▶ registering ─▶ verifying ─▶ onAir
///       ▲          └──▶ pausing ◀──┘        │ a disconnection, a suspend
///       └──── unregistering ◀───────────────┘
///
/// A registered advertisement need not be on air: the count of active advertisements has to confirm it. After
/// a suspension, or after the controller stopped advertising for a connection, it can be dead although the
/// count is unchanged.
package struct Advertisement: Sendable {
    package enum Call: Equatable, Sendable {
        case register
        case unregister
        /// Reads the number of active advertisements.
        case count
    }

    package enum Output: Equatable, Sendable {
        case call(Call)
        case onAir(Bool)
        case refused(BusError)
    }

    /// The advertising interval, in milliseconds: bluetoothd takes whole ones. Apple asks for 20 ms from a
    /// device that wants to be found, and for one of nine intervals afterwards, of which only 760 ms is whole
    /// (Technical Q&A QA1931).
    enum Pace: UInt32, Equatable, Sendable {
        /// While phones may pair.
        case fast = 20
        /// While only phones come back that are paired.
        case slow = 760
    }

    private enum State: Equatable, Sendable {
        case idle
        case registering
        case verifying
        case onAir
        case unregistering
        case pausing(until: MonotonicInstant)
    }

    package static let path: ObjectPath = "/ancs/advertisement"
    package static let interface = "org.bluez.LEAdvertisement1"
    /// The first pause before another attempt; it doubles each time, up to the limit.
    private static let firstPause = Duration.seconds(2)
    private static let longestPause = Duration.seconds(60)

    private var state = State.idle
    /// Whether to advertise.
    private(set) var isWanted = false
    private var pace = Pace.fast
    /// Whether it has to be registered again, although it may be on air.
    private var isStale = false
    /// Whether phones can find this device.
    private(set) var isOnAir = false
    private var pause = Advertisement.firstPause
    private var outputs = Queue<Output>()

    package mutating func pollOutput() -> Output? { outputs.popFirst() }

    package var nextDeadline: MonotonicInstant? {
        if case .pausing(let instant) = state { instant } else { nil }
    }

    package mutating func handleTimeout(at now: MonotonicInstant) {
        guard case .pausing(let instant) = state, instant <= now else { return }
        unregister()
    }

    /// Starts or stops advertising. bluetoothd reads the interval when the advertisement is registered.
    mutating func want(_ isWanted: Bool, _ pace: Pace) {
        let isNews = exchange(&self.isWanted, with: isWanted) != isWanted
        let isOtherPace = exchange(&self.pace, with: pace) != pace
        if isOtherPace {
            switch state {
            case .registering, .verifying, .onAir: isStale = true
            // It will be registered with the new one.
            case .idle, .unregistering, .pausing: break
            }
        }
        if isNews || isOtherPace { proceed() }
    }

    /// A device disconnected, or the machine was suspended: it may be dead.
    mutating func renew() {
        isStale = true
        pause = Self.firstPause
        if case .pausing = state { return unregister() }
        proceed()
    }

    /// bluetoothd or the adapter has disappeared, and the registration with it.
    package mutating func lost() {
        state = .idle
        isWanted = false
        isStale = false
        pause = Self.firstPause
        report(onAir: false)
    }

    /// bluetoothd has dropped the registration.
    package mutating func released(at now: MonotonicInstant) {
        switch state {
        case .verifying, .onAir: retry(at: now)
        case .idle, .registering, .unregistering, .pausing: break
        }
    }

    /// The number of active advertisements has changed.
    mutating func counted(_ count: Int, at now: MonotonicInstant) {
        if case .onAir = state, count == 0 { retry(at: now) }
        if case .verifying = state, count > 0 { verified() }
    }

    package mutating func replied(to call: Call, _ result: BusResult, at now: MonotonicInstant) {
        switch (call, state) {
        case (.register, .registering): registered(result, at: now)
        case (.count, .verifying):
            guard case .success(let values) = result, values.first?.integer ?? 0 > 0 else {
                return retry(at: now)
            }
            verified()
        case (.unregister, .unregistering):
            // If there was no registration, there is none now either.
            state = .idle
            proceed()
        // A reply that no longer matters.
        case (.register, _), (.count, _), (.unregister, _): break
        }
    }

    private mutating func registered(_ result: BusResult, at now: MonotonicInstant) {
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
        report(onAir: true)
        proceed()
    }

    private mutating func retry(at now: MonotonicInstant) {
        state = .pausing(until: now + pause)
        pause = min(pause * 2, Self.longestPause)
        report(onAir: false)
    }

    /// Takes the next step.
    private mutating func proceed() {
        switch state {
        case .idle:
            guard isWanted else { return report(onAir: false) }
            isStale = false
            state = .registering
            outputs.append(.call(.register))
        case .onAir, .verifying, .pausing: if !isWanted || isStale { unregister() }
        // The reply continues.
        case .registering, .unregistering: break
        }
    }

    private mutating func unregister() {
        state = .unregistering
        if !isWanted { report(onAir: false) }
        outputs.append(.call(.unregister))
    }

    /// While it is renewed, users see it as on air, unless that fails.
    private mutating func report(onAir isOnAir: Bool) {
        guard exchange(&self.isOnAir, with: isOnAir) != isOnAir else { return }
        outputs.append(.onAir(isOnAir))
    }

    /// The properties that bluetoothd reads. Its own name for the adapter, `Alias`, is left alone.
    package func properties(name: String, showsNameAlways: Bool = true) -> BusValue {
        var properties: [String: BusValue] = [
            "Type": .string("peripheral"), "SolicitUUIDs": .strings([BluetoothUUID.ancs.text]),
            // iOS lists devices in general discoverable mode.
            "Discoverable": .bool(true),
            // Ignored before BlueZ 5.77, unless it runs with -E, and by kernels before 5.11: 1.28 s then.
            "MinInterval": .uint32(pace.rawValue), "MaxInterval": .uint32(pace.rawValue),
        ]
        if showsNameAlways || pace == .fast { properties["LocalName"] = .string(name) }
        return .options(properties)
    }
}
