internal import ANCSEvents
internal import DBus
internal import Octets

// From the bond to ANCS.
extension PhoneLink {
    mutating func beginResolving(at now: MonotonicInstant, mayBeEarly: Bool = false) {
        state = .resolving(
            Resolution(
                sayAt: now + Self.resolutionTime, mayBeEarly: mayBeEarly && !wasRecovered,
                yieldAt: now + Self.yieldingTime))
        resolve(at: now)
    }

    mutating func resolve(at now: MonotonicInstant) {
        guard case .resolving(var resolution) = state else { return }
        // Before all services are resolved, the absence of ANCS means nothing.
        guard device.hasResolvedServices else {
            resolution.completeAt = nil
            state = .resolving(resolution)
            return
        }
        guard let places else {
            if resolution.mayBeEarly {
                resolution.renewAt = resolution.renewAt ?? now + Self.appearanceTime
                state = .resolving(resolution)
            }
            return sayWaiting()
        }
        if !places.isComplete {
            let instant = resolution.completeAt ?? now + Self.completionTime
            resolution.completeAt = instant
            state = .resolving(resolution)
            guard instant <= now else { return }
        }
        // Without a Data Source there are no texts.
        guard route != .closed || places.dataSource == nil else {
            state = .barred(places)
            return
        }
        state = .available(places)
        report(
            .available(
                hasControlPoint: places.controlPoint != nil,
                hasDataSource: places.dataSource != nil))
    }

    /// It may never show ANCS, and may only keep phones away.
    mutating func yield() {
        guard case .resolving(var resolution) = state else { return }
        resolution.yieldAt = nil
        state = .resolving(resolution)
    }

    mutating func sayWaiting() {
        guard case .resolving(var resolution) = state else { return }
        var isNews = exchange(&resolution.isOwed, with: false)
        if exchange(&resolution.sayAt, with: nil) != nil { isNews = true }
        resolution.completeAt = nil
        resolution.isOwed = isNews && !hasProvenKeys
        state = .resolving(resolution)
        // A phone without its keys shows no ANCS either, and nothing on it has to be switched on.
        guard !resolution.isOwed else { return inspect() }
        if isNews { report(.waiting) }
    }
}
