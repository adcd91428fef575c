internal import ANCSEvents

/// The links of a paired phone that ended soon and without a session, one after the other, so soon that nothing
/// else could be seen of them: a phone that forgot this machine comes and goes like that (5.66).
struct BriefLinks: Equatable, Sendable {
    /// How many of them say that it has no keys, over at least this time.
    package static let count = 5
    static let time = Duration.seconds(30)

    private var count = 0
    private var firstEnd = MonotonicInstant.zero

    /// Another one has ended. Returns whether the phone has no keys.
    package mutating func note(at now: MonotonicInstant) -> Bool {
        if count == 0 { firstEnd = now }
        count = min(count + 1, Self.count)
        return count == Self.count && now - firstEnd >= Self.time
    }
}

// Whether a phone that is paired has its keys. bluetoothd says of no link whether it is encrypted; the kernel does. A
// phone that was paired before encrypts at once, and the kernel asks one that does not: what stays unencrypted has no
// keys. bluetoothd itself may say nothing of it (5.82), because the link stays up and each request waits for the keys.
extension PhoneLink {
    /// What the kernel has said of the link.
    struct KeyCheck: Equatable, Sendable {
        /// When to look; `nil` for not again.
        package var lookAt: MonotonicInstant?
        /// Whether the answer to a look is awaited.
        var isLooking = false
        /// From when on a look counts at which the link is not encrypted.
        var countsFrom = MonotonicInstant.zero
        /// Whether this link was seen not encrypted, and whether that has counted.
        var isUnencrypted = false
        var hasCounted = false
        /// How often this link was not encrypted while its user was asked.
        var looksWhilePairing = 0
        /// How often its links were not encrypted, since one last was.
        var failedLooks = 0
    }

    /// How long a phone may take to encrypt, and the pause between looks: at an interval of 300 ms, the six events
    /// that it needs take 2 s.
    static let keyTime = Duration.seconds(2)
    /// When the first look is due, which counts only if the link then ends without a session: where pairing is
    /// refused at once, bluetoothd ends it after about a second (5.66).
    static let firstKeyTime = Duration.milliseconds(500)
    /// How many looks say that it has no keys, on one link or, where each is soon ended, on several.
    static let failedLooksWithoutKeys = 4
    /// How many looks may pass while its user is asked: pairing ends after 30 s (Core Vol 3, Part H, 3.4).
    static let maximumLooksWhilePairing = 20

    /// Whether it is paired and had no session on this link.
    var isFruitless: Bool {
        switch state {
        case .resolving, .available, .keyless: !hasServed
        case .stranger, .discovering, .answering, .pairing, .identifying, .refused, .barred,
            .unaccepted, .recovering, .hung, .leaving, .ended:
            false
        }
    }

    /// Whether it has, or that cannot be told.
    var hasProvenKeys: Bool { keyCheck.lookAt == nil && !keyCheck.isLooking }

    mutating func inspect() {
        keyCheck.lookAt = nil
        guard !isServing, !exchange(&keyCheck.isLooking, with: true) else { return }
        outputs.append(.inspect)
    }

    /// `isAuthenticating` says that its user compares digits, so that it may get keys.
    mutating func inspected(
        isEncrypted: Bool?, isAuthenticating: Bool = false, at now: MonotonicInstant
    ) {
        guard exchange(&keyCheck.isLooking, with: false), !isServing else { return }
        guard isEncrypted == false else {
            keyCheck.isUnencrypted = false
            if isEncrypted == true { keyCheck.failedLooks = 0 }
            return keysWork(at: now)
        }
        if isAuthenticating, keyCheck.looksWhilePairing < Self.maximumLooksWhilePairing {
            keyCheck.looksWhilePairing += 1
            keyCheck.lookAt = now + Self.keyTime
            return
        }
        keyCheck.isUnencrypted = true
        guard keyCheck.countsFrom <= now else {
            keyCheck.lookAt = keyCheck.countsFrom
            return
        }
        keyCheck.lookAt = now + Self.keyTime
        countFailedLook()
    }

    private mutating func countFailedLook() {
        keyCheck.hasCounted = true
        keyCheck.failedLooks = min(keyCheck.failedLooks + 1, Self.failedLooksWithoutKeys)
        if keyCheck.failedLooks == Self.failedLooksWithoutKeys { lackKeys() }
    }

    /// The link has ended, before a look could count.
    mutating func noteEnd() {
        if isFruitless, keyCheck.isUnencrypted, !keyCheck.hasCounted { countFailedLook() }
    }

    /// bluetoothd says why the link ends: the name that follows `org.bluez.Reason` in the signal
    /// `Device1.Disconnected` (5.83 and later, doc/org.bluez.Device.rst).
    mutating func linkEnds(because reason: Substring) {
        // The kernel ends a link by itself where security cannot be had; programs end those of phones in service.
        let isByKeys = reason == "Authentication" || (reason == "Local" && keyCheck.isUnencrypted)
        if device.isPaired, !hasServed, isByKeys { lackKeys() }
    }

    private mutating func keysWork(at now: MonotonicInstant) {
        switch state {
        case .keyless: beginResolving(at: now)
        case .resolving where resolution.isOwed: sayWaiting()
        case .stranger, .discovering, .answering, .pairing, .identifying, .refused, .resolving,
            .available, .barred, .unaccepted, .recovering, .hung, .leaving, .ended:
            break
        }
    }

    private mutating func lackKeys() {
        switch state {
        case .available:
            forgetSession()
            report(.unavailable)
            state = .keyless
        case .resolving, .barred, .unaccepted, .hung: state = .keyless
        case .stranger, .discovering, .answering, .pairing, .identifying, .refused, .keyless,
            .recovering, .leaving, .ended:
            return
        }
        report(.keyTrouble(KeyTrouble(.missing)))
    }
}
