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
        let isNews = exchange(&resolution.sayAt, with: nil) != nil
        resolution.completeAt = nil
        state = .resolving(resolution)
        if isNews { report(.waiting) }
    }
}
