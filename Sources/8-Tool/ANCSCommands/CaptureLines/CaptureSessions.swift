internal import ANCSCapture
internal import AccessoryConformance
internal import LinuxIO

/// Judges the use of ANCS and AMS in a capture: that of each accessory with each phone, of which one is the host that
/// made the capture. Bounded.
struct CaptureSessions: Sendable {
    /// How many pairs of devices are judged; further ones are not.
    private static let maximumPairs = 32

    private var pairs: [SessionGrade] = []
    /// The pair of each connection that has not ended.
    private var current: [Int: Int] = [:]
    private var now = MonotonicInstant.zero

    /// The verdicts on each accessory of which something was found.
    func verdicts() -> [[RequirementVerdict]] {
        let accessories = pairs.filter { $0.side == .local && $0.hasSession }
        return pairs.filter(\.hasSession).compactMap { pair in
            let verdicts = pair.verdicts(isAlone: accessories.count < 2, at: now)
            return verdicts.contains(where: \.isFinding) ? verdicts : nil
        }
    }

    /// Takes note of what happened in a capture that began then.
    mutating func observe(_ happening: CaptureEvent, since start: CaptureTime) {
        // What turns out late to be ANCS is reported with its own time.
        now = max(now, .zero + (happening.time - start))
        switch (happening.event, happening.place.connection) {
        case (.lost, _), (.malformed, _):
            for index in current.values { pairs[index].loseTrack(at: now) }
        case (_, nil): break
        case (.connected(let facts), let connection?): connected(facts, connection)
        case (let event, let connection?):
            if case .handles(on: let phone, _, _) = event { seen(phone, connection) }
            guard let index = current[connection] else { return }
            pairs[index].observe(event, at: now)
            if case .disconnected = event { current[connection] = nil }
        }
    }

    private mutating func connected(_ facts: CaptureEvent.ConnectionFacts, _ connection: Int) {
        // The phone is the Central: without the role, nothing tells which side it is.
        guard facts.transport == .lowEnergy, let role = facts.role, let address = facts.address,
            let index = index(of: facts.identity ?? address, facts.earlier, role)
        else { return }
        current[connection] = index
        pairs[index].connected(facts, address, connection, at: now)
    }

    /// A link from before the capture shows which side is the phone.
    private mutating func seen(_ phone: CaptureEvent.Side, _ connection: Int) {
        guard current[connection] == nil, pairs.count < Self.maximumPairs else { return }
        current[connection] = pairs.count
        pairs.append(SessionGrade(phone.other, nil))
        pairs[pairs.count - 1].joined(connection)
    }

    private mutating func index(
        of address: DeviceAddress, _ earlier: Int?, _ role: LinkRole
    ) -> Int? {
        let side: CaptureEvent.Side = role == .peripheral ? .local : .remote
        if let known = pairs.firstIndex(where: {
            $0.side == side && ($0.peer == address || earlier.map($0.connections.contains) ?? false)
        }) {
            return known
        }
        if pairs.count < Self.maximumPairs {
            pairs.append(SessionGrade(side, address))
            return pairs.count - 1
        }
        // One without ANCS makes room.
        let free = pairs.indices.first { index in
            !pairs[index].hasSession && !current.values.contains(index)
        }
        if let free { pairs[free] = SessionGrade(side, address) }
        return free
    }
}
