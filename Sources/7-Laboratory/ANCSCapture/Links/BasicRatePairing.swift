internal import BluetoothLE

/// Follows pairing and encryption on a BR/EDR link, where the controllers pair and the host answers what they
/// ask: that they pair, what key came of it, and what failed. Core Vol 3, Part C, 5.2.2.
struct BasicRatePairing: Sendable {
    private var isGoingOn = false
    /// Whether this host asked for authentication, which makes it the initiator if pairing follows.
    private var hasAskedForSecurity = false
    /// Whether a failure was reported that other events are going to repeat.
    private var hasToldFailure = false
    private var hasNewKey = false
    private var hasBeenEncrypted = false
    /// Whether pairing was tried.
    private(set) var hasBegun = false

    /// Whether the devices have a link key.
    package var isPaired: Bool { hasBeenEncrypted || hasNewKey }

    /// This host asked the controller to authenticate the other side.
    mutating func authenticationRequested(_ log: inout StoryLog) {
        hasAskedForSecurity = true
        log.report(.pairing(.wanted(by: .local)))
    }

    /// The controller asks for what this side can do, or for a PIN, or a side says what it can do.
    mutating func asked(_ log: inout StoryLog) {
        guard !isGoingOn else { return }
        (isGoingOn, hasToldFailure, hasBegun) = (true, false, true)
        log.report(.pairing(.began(by: hasAskedForSecurity ? .local : .remote)))
    }

    /// `HCI_Simple_Pairing_Complete`. A key follows success.
    package mutating func completed(_ status: HCIStatus, _ log: inout StoryLog) {
        guard status != .success else { return }
        fail(status, &log)
    }

    /// A link key was made. The key itself is not kept.
    mutating func keyMade(_ kind: CaptureEvent.LinkKeyKind, _ log: inout StoryLog) {
        (isGoingOn, hasNewKey) = (false, true)
        log.report(
            .pairing(.succeeded(.init(method: nil, scheme: .basicRate(kind), isBonding: true))))
    }

    /// `HCI_Authentication_Complete`.
    package mutating func authenticated(_ status: HCIStatus, _ log: inout StoryLog) {
        hasAskedForSecurity = false
        guard status != .success else { return }
        guard !isGoingOn else { return fail(status, &log) }
        guard !hasToldFailure else { return }
        hasToldFailure = true
        log.report(.encryption(.init(status: status, isEnabled: false, isFromPairing: hasNewKey)))
    }

    /// Encryption was switched on or off, its key was refreshed, or that failed.
    package mutating func encryptionChanged(
        _ status: HCIStatus, isEnabled: Bool, _ log: inout StoryLog
    ) {
        if status == .success, isEnabled { hasBeenEncrypted = true }
        log.report(
            .encryption(.init(status: status, isEnabled: isEnabled, isFromPairing: hasNewKey)))
    }

    /// The link or the capture ended.
    package mutating func end(_ log: inout StoryLog) {
        guard exchange(&isGoingOn, with: false) else { return }
        log.report(.pairing(.unfinished))
    }

    private mutating func fail(_ status: HCIStatus, _ log: inout StoryLog) {
        (isGoingOn, hasToldFailure) = (false, true)
        log.report(.pairing(.stopped(status, over: .basicRate)))
    }
}
