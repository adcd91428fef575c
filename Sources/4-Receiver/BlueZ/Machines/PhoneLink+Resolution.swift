internal import ANCSEvents

// From the bond to ANCS.
extension PhoneLink {
    /// How long finding services may take before it is reported that ANCS is missing.
    package static let resolutionTime = Duration.seconds(15)
    /// How long the objects of a service may take to appear, from the first to the last.
    package static let completionTime = Duration.milliseconds(500)
    /// How long a phone that was just paired may take to show ANCS on its own, by Service Changed.
    static let appearanceTime = Duration.seconds(10)
    /// How long a device without ANCS may occupy the place of a phone.
    static let yieldingTime = Duration.seconds(180)

    mutating func beginResolving(at now: MonotonicInstant, mayBeEarly: Bool = false) {
        let hasPlace = isAccepted && (isServed || isRoomLeft)
        waitsForPlace = false
        state = .resolving
        resolution = Resolution(
            sayAt: now + Self.resolutionTime, mayBeEarly: mayBeEarly && !wasRecovered,
            yieldAt: hasPlace ? now + Self.yieldingTime : nil)
        resolve(at: now)
    }

    mutating func resolve(at now: MonotonicInstant) {
        guard state == .resolving else { return }
        // Before all services are resolved, the absence of ANCS means nothing.
        guard device.hasResolvedServices else {
            resolution.completeAt = nil
            waitsForPlace = false
            return
        }
        guard let places else {
            waitsForPlace = false
            if resolution.mayBeEarly {
                resolution.renewAt = resolution.renewAt ?? now + Self.appearanceTime
            }
            return sayWaiting()
        }
        if !places.isComplete {
            let instant = resolution.completeAt ?? now + Self.completionTime
            resolution.completeAt = instant
            guard instant <= now else { return }
        }
        guard isAccepted else {
            state = .unaccepted
            return
        }
        // It has given its place up, or there was none, and the session is another phone's. It is asked again when
        // there is room.
        guard isServed || isRoomLeft else {
            waitsForPlace = true
            resolution.completeAt = nil
            return
        }
        // Without a Data Source there are no texts.
        guard route != .closed || places.dataSource == nil else {
            state = .barred
            return
        }
        state = .available
        report(
            .available(
                hasControlPoint: places.controlPoint != nil,
                hasDataSource: places.dataSource != nil))
    }

    mutating func sayWaiting() {
        guard state == .resolving else { return }
        var isNews = exchange(&resolution.isOwed, with: false)
        if exchange(&resolution.sayAt, with: nil) != nil { isNews = true }
        resolution.completeAt = nil
        resolution.isOwed = isNews && !hasProvenKeys
        // A phone without its keys shows no ANCS either, and nothing on it has to be switched on.
        guard !resolution.isOwed else { return inspect() }
        if isNews { report(.waiting) }
    }
}
