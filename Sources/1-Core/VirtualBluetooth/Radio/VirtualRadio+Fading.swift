internal import BluetoothLE
public import Octets

// Fades: nothing is heard for a time, and then all is well again.
extension VirtualRadio {
    /// Two controllers do not hear each other for a time. A longer fade of theirs goes on.
    public mutating func fade(
        between one: ControllerID, and other: ControllerID, for length: Duration,
        at now: MonotonicInstant
    ) {
        begin(.pair(Pair(one.index, other.index)), for: length, at: now)
        settle(at: now)
    }

    /// Nothing is heard for a time on the whole radio. A longer fade goes on.
    public mutating func fade(for length: Duration, at now: MonotonicInstant) {
        begin(.all, for: length, at: now)
        settle(at: now)
    }

    /// The host of a controller asks for a fade.
    mutating func fade(
        _ node: Int, _ handle: ConnectionHandle?, for length: Duration, at now: MonotonicInstant
    ) {
        guard let handle else { return begin(.all, for: length, at: now) }
        let link = nodes[node].links.first { $0.side(of: node, handle) != nil }
        guard let link, link.isEstablished else { return }
        let pair = Pair(link.ends[0].controller, link.ends[1].controller)
        begin(.pair(pair), for: length, at: now)
    }

    /// Whether any two controllers do not hear each other because of a fade.
    public var isFading: Bool { !fadings.isEmpty }

    func isFaded(_ pair: Pair) -> Bool {
        guard !fadings.isEmpty else { return false }
        return fadings[.all] != nil || fadings[.pair(pair)] != nil
    }

    private mutating func begin(_ fading: Fading, for length: Duration, at now: MonotonicInstant) {
        let end = now + length
        guard end > fadings[fading] ?? now else { return }
        fadings[fading] = end
        events.insert(.fadeEnd(fading, at: end), at: end)
        conditionsChanged(of: fading, at: now)
    }

    mutating func endFade(
        _ fading: Fading, plannedFor end: MonotonicInstant, at now: MonotonicInstant
    ) {
        // It may have become longer since this end was planned.
        guard fadings[fading] == end else { return }
        fadings[fading] = nil
        conditionsChanged(of: fading, at: now)
    }

    private mutating func conditionsChanged(of fading: Fading, at now: MonotonicInstant) {
        // A link is found at each end that is present, and a second visit changes nothing.
        for node in nodes {
            for link in node.links where isCovered(link, by: fading) {
                conditionsChanged(of: link, at: now)
            }
        }
    }

    private func isCovered(_ link: RadioLink, by fading: Fading) -> Bool {
        switch fading {
        case .all: true
        case .pair(let pair):
            link.isEstablished && Pair(link.ends[0].controller, link.ends[1].controller) == pair
        }
    }

    // MARK: Fades that come by themselves

    /// The first period begins with the first packet of a host.
    mutating func planFades(at now: MonotonicInstant) {
        isFadePlanned = true
        if configuration.fades != nil { planFade(from: now) }
    }

    private mutating func planFade(from start: MonotonicInstant) {
        guard let fades = configuration.fades else { return }
        let delay = fadeRandom.duration(below: fades.period - fades.length + .microseconds(1))
        events.insert(.fade(periodStart: start), at: start + delay)
    }

    mutating func fadePeriodically(from start: MonotonicInstant, at now: MonotonicInstant) {
        guard let fades = configuration.fades else { return }
        begin(.all, for: fades.length, at: now)
        // Whoever let periods pass without a call has missed their fades.
        var next = start + fades.period
        if next + fades.period < now { next = now }
        planFade(from: next)
    }
}
