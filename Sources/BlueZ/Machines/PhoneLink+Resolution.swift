internal import DBus
internal import Octets

// From a bond to ANCS.
extension PhoneLink {
    mutating func beginResolving(at now: MonotonicInstant) {
        state = .resolving(Resolution(sayAt: now + Self.resolutionTime))
        resolve(at: now)
    }

    mutating func resolve(at now: MonotonicInstant) {
        guard case .resolving(var resolution) = state else { return }
        // Services that are not resolved yet say nothing of ANCS.
        guard device.hasResolvedServices else {
            resolution.completeAt = nil
            state = .resolving(resolution)
            return
        }
        guard let places else { return sayWaiting() }
        if !places.isComplete {
            let instant = resolution.completeAt ?? now + Self.completionTime
            resolution.completeAt = instant
            state = .resolving(resolution)
            guard instant <= now else { return }
        }
        state = .available(places)
        tell(
            .available(
                hasControlPoint: places.controlPoint != nil,
                hasDataSource: places.dataSource != nil))
    }

    mutating func sayWaiting() {
        guard case .resolving(let resolution) = state else { return }
        state = .resolving(Resolution())
        if resolution.sayAt != nil { tell(.waiting) }
    }
}
