internal import BluetoothLE
internal import Octets

// Whether a phone that is paired has its keys. bluetoothd says of no link whether it is encrypted; the kernel does. A
// phone that was paired before encrypts at once, and the kernel asks one that does not: what stays unencrypted has no
// keys. bluetoothd itself may say nothing of it (5.82), because the link stays up and each request waits for the keys.
extension PhoneLink {
    /// What the kernel has said of the link.
    struct KeyCheck: Equatable, Sendable {
        /// When to look; `nil` for not again.
        var lookAt: MonotonicInstant?
        /// Whether the answer to a look is awaited.
        var isLooking = false
        /// How often its links were not encrypted, since one last was.
        var failedLooks = 0
    }

    /// How long a phone may take to encrypt, and the pause between looks: at an interval of 300 ms, the six events
    /// that it needs take 2 s.
    static let keyTime = Duration.seconds(2)
    /// How many looks say that it has no keys, on one link or, where each is soon ended, on several.
    static let failedLooksWithoutKeys = 3

    /// Whether it has, or that cannot be told.
    var hasProvenKeys: Bool { keyCheck.lookAt == nil && !keyCheck.isLooking }

    mutating func inspect() {
        keyCheck.lookAt = nil
        guard !isServing, !exchange(&keyCheck.isLooking, with: true) else { return }
        outputs.append(.inspect)
    }

    mutating func inspected(isEncrypted: Bool?, at now: MonotonicInstant) {
        guard exchange(&keyCheck.isLooking, with: false), !isServing else { return }
        guard isEncrypted == false else {
            if isEncrypted == true { keyCheck.failedLooks = 0 }
            return keysWork(at: now)
        }
        keyCheck.failedLooks = min(keyCheck.failedLooks + 1, Self.failedLooksWithoutKeys)
        keyCheck.lookAt = now + Self.keyTime
        if keyCheck.failedLooks == Self.failedLooksWithoutKeys { lackKeys() }
    }

    /// bluetoothd says why the link ends: the name that follows `org.bluez.Reason` in the signal
    /// `Device1.Disconnected` (5.83 and later, doc/org.bluez.Device.rst).
    mutating func linkEnds(because reason: Substring) {
        // The kernel ends a link by itself where security cannot be had; programs end those of phones in service.
        let isByKeys =
            reason == "Authentication" || (reason == "Local" && keyCheck.failedLooks > 0)
        if device.isPaired, !hasServed, isByKeys { lackKeys() }
    }

    private mutating func keysWork(at now: MonotonicInstant) {
        switch state {
        case .keyless: beginResolving(at: now)
        case .resolving(let resolution) where resolution.isOwed: sayWaiting()
        case .stranger, .discovering, .answering, .pairing, .refused, .resolving, .available,
            .recovering, .hung, .leaving, .ended:
            break
        }
    }

    private mutating func lackKeys() {
        switch state {
        case .available:
            forgetSession()
            report(.unavailable)
            state = .keyless
        case .resolving, .hung: state = .keyless
        case .stranger, .discovering, .answering, .pairing, .refused, .keyless, .recovering,
            .leaving, .ended:
            return
        }
        report(.keyTrouble(KeyTrouble(.missing)))
    }
}
