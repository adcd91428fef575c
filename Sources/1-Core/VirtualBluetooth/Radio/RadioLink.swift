internal import BluetoothLE

/// The link layer between two controllers: the queues of both directions, the connection events, and the
/// supervision timeouts.
///
/// A class, because two controllers and the events of the radio refer to it; it is never passed outside the
/// radio.
final class RadioLink {
    /// One end of the link.
    ///
    /// A class, because reading an end of a value type would copy its queue.
    final class End {
        let controller: Int
        let handle: ConnectionHandle
        var queue = Queue<LinkFrame>()
        /// When the last frame of the other end arrived.
        var lastHeard: MonotonicInstant
        /// Whether the controller still has its end. After it has left, a last PDU may be queued.
        var isPresent = true
        /// Whether a check of the supervision timeout is planned.
        var isSupervised = false

        init(controller: Int, handle: ConnectionHandle, lastHeard: MonotonicInstant) {
            self.controller = controller
            self.handle = handle
            self.lastHeard = lastHeard
        }
    }

    let ends: [End]
    /// Indices into ``ends``.
    static let central = 0
    static let peripheral = 1

    private(set) var timing: LinkTiming
    /// The time of a connection event; all others are whole intervals away.
    private var anchor: MonotonicInstant
    /// The time of the planned connection event.
    var plannedEvent: MonotonicInstant?
    /// The number of the plan, so that one that was replaced is dropped.
    var plan: UInt32 = 0
    /// Whether nothing is lost between the ends, so that events without data can be skipped.
    var isSolid = true

    init(central: End, peripheral: End?, timing: LinkTiming, at now: MonotonicInstant) {
        // Without a Peripheral, the link is never established.
        ends = peripheral.map { [central, $0] } ?? [central]
        self.timing = timing
        anchor = now
    }

    var isEstablished: Bool { ends.count == 2 }
    var isOver: Bool { !ends.contains { $0.isPresent } }

    func side(of controller: Int, _ handle: ConnectionHandle) -> Int? {
        ends.firstIndex { $0.controller == controller && $0.handle == handle }
    }

    // MARK: Time

    private var interval: Int64 { max(Int64(timing.interval.rawValue), 1) * 1_250_000 }

    /// The last connection event up to an instant.
    func lastEvent(before now: MonotonicInstant) -> MonotonicInstant {
        let passed = (now.nanoseconds - anchor.nanoseconds) / interval
        return MonotonicInstant(nanoseconds: anchor.nanoseconds + max(passed, 0) * interval)
    }

    /// The next connection event at which queued PDUs can be sent; a Peripheral without PDUs may skip some.
    /// Core Vol 6, Part B, 4.5.1.
    func nextEvent(after now: MonotonicInstant) -> MonotonicInstant {
        let passed = (now.nanoseconds - anchor.nanoseconds) / interval
        var number = max(passed, 0) + 1
        if isEstablished, ends[Self.peripheral].queue.isEmpty, isSolid {
            let step = Int64(timing.latency) + 1
            number = (number + step - 1) / step * step
        }
        return MonotonicInstant(nanoseconds: anchor.nanoseconds + number * interval)
    }

    /// How many PDUs fit into one event, at most `limit`.
    func capacity(limit: Int) -> Int {
        let exchange = VirtualAir.exchangeTime.components.attoseconds / 1_000_000_000
        return min(max(Int(interval / exchange), 1), limit)
    }

    func supervisionDeadline(of side: Int) -> MonotonicInstant {
        guard isEstablished else {
            return ends[side].lastHeard + timing.interval.duration * VirtualAir.eventsToEstablish
        }
        return ends[side].lastHeard + timing.supervisionTimeout.duration
    }

    func change(_ timing: LinkTiming, at now: MonotonicInstant) {
        anchor = lastEvent(before: now)
        self.timing = timing
    }

    // MARK: Queues

    var hasData: Bool { ends.contains { !$0.queue.isEmpty } }

    func enqueue(_ frame: LinkFrame, from side: Int) { ends[side].queue.append(frame) }

    func popFrame(from side: Int) -> LinkFrame? { ends[side].queue.popFirst() }

    func heard(_ side: Int, at now: MonotonicInstant) { ends[side].lastHeard = now }

    /// Without losses, both ends have received each other up to now.
    func settleHearing(at now: MonotonicInstant) {
        let last = lastEvent(before: now)
        for side in ends.indices { ends[side].lastHeard = max(ends[side].lastHeard, last) }
    }

    func setSupervised(_ side: Int, _ isSupervised: Bool) { ends[side].isSupervised = isSupervised }

    /// The controller has left its end. Of its queue, only a termination is still sent.
    func left(_ side: Int) {
        ends[side].isPresent = false
        let farewells = ends[side].queue.removeAll { frame in
            if case .terminate = frame.pdu { true } else { false }
        }
        ends[side].queue.removeAll()
        for frame in farewells { ends[side].queue.append(frame) }
    }
}
