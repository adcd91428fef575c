internal import BluetoothLE

/// Follows pairing and encryption on a BR/EDR link, where the controllers pair and the host answers what they
/// ask: Secure Simple Pairing, or a PIN as before Bluetooth 2.1. Core Vol 3, Part C, 5.2.2.
struct BasicRatePairing: Sendable {
    /// What a side says it can do and wants: `HCI_IO_Capability_Response`. Core Vol 4, Part E, 7.7.41.
    package struct Capabilities: Equatable, Sendable {
        var inputOutput: IOCapability
        var outOfBandData: UInt8
        /// Authentication_Requirements: bit 0 asks for protection against a man in the middle, 0 and 1 are
        /// without bonding.
        var requirements: UInt8

        /// The same in the form of the Security Manager, whose tables of association models are those of
        /// Secure Simple Pairing. Core Vol 3, Part C, 5.2.2.6.
        fileprivate var features: PairingFeatures {
            var authentication: AuthenticationRequirements = .secureConnections
            if requirements & 1 == 1 { authentication.insert(.mitmProtection) }
            return PairingFeatures(
                ioCapability: inputOutput, outOfBandFlag: outOfBandData == 0 ? 0 : 1,
                authentication: authentication, initiatorKeys: [], responderKeys: [])
        }

        fileprivate var isBonding: Bool { (0x02...0x05).contains(requirements) }
    }

    private struct Course {
        var initiator: CaptureEvent.Side
        var capabilities: [CaptureEvent.Side: Capabilities] = [:]
        var terms: CaptureEvent.PairingTerms?
    }

    private var course: Course?
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

    /// The controller asks for this side's capabilities, or a side's are known.
    mutating func capabilities(
        of side: CaptureEvent.Side, are capabilities: Capabilities?, _ log: inout StoryLog
    ) {
        let initiator: CaptureEvent.Side =
            side == .remote || !hasAskedForSecurity ? .remote : .local
        var course = begin(by: initiator, &log)
        if let capabilities { course.capabilities[side] = capabilities }
        if course.terms == nil, let terms = Self.terms(course) {
            course.terms = terms
            log.report(.pairing(.agreed(terms)))
        }
        self.course = course
    }

    /// The controller asks for a PIN.
    mutating func pinRequested(_ log: inout StoryLog) {
        guard course == nil else { return }
        var course = begin(by: hasAskedForSecurity ? .local : .remote, &log)
        let terms = CaptureEvent.PairingTerms(
            method: .pin, scheme: .basicRate(nil), isBonding: true)
        course.terms = terms
        log.report(.pairing(.agreed(terms)))
        self.course = course
    }

    /// This side's user is asked to compare six digits, or has answered. Without digits to compare, the host
    /// answers for the user.
    package mutating func confirmation(_ answer: Bool?, _ log: inout StoryLog) {
        switch answer {
        case false?: log.report(.pairing(.refused(by: .local)))
        case true?:
            guard course?.terms?.method == .model(.numericComparison) else { break }
            log.report(.pairing(.confirmed(by: .local)))
        case nil:
            guard course?.terms?.method == .model(.numericComparison) else { break }
            log.report(.pairing(.confirming))
        }
    }

    /// `HCI_Simple_Pairing_Complete`. A key follows success.
    package mutating func completed(_ status: HCIStatus, _ log: inout StoryLog) {
        guard status != .success else { return }
        fail(status, &log)
    }

    /// A link key was made. The key itself is not kept.
    mutating func keyMade(_ kind: CaptureEvent.LinkKeyKind, _ log: inout StoryLog) {
        var terms =
            course?.terms
            ?? CaptureEvent.PairingTerms(method: nil, scheme: .basicRate(nil), isBonding: true)
        terms.scheme = .basicRate(kind)
        course = nil
        hasNewKey = true
        log.report(.pairing(.succeeded(terms)))
    }

    /// `HCI_Authentication_Complete`.
    package mutating func authenticated(_ status: HCIStatus, _ log: inout StoryLog) {
        hasAskedForSecurity = false
        guard status != .success else { return }
        guard course == nil else { return fail(status, &log) }
        guard !hasToldFailure else { return }
        hasToldFailure = true
        log.report(
            .encryption(.init(status: status, isEnabled: false, isFromPairing: hasNewKey)))
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
        guard exchange(&course, with: nil) != nil else { return }
        log.report(.pairing(.unfinished))
    }

    /// The pairing that is going on, or a new one.
    private mutating func begin(by side: CaptureEvent.Side, _ log: inout StoryLog) -> Course {
        if let course { return course }
        hasToldFailure = false
        hasBegun = true
        log.report(.pairing(.began(by: side)))
        return Course(initiator: side)
    }

    private mutating func fail(_ status: HCIStatus, _ log: inout StoryLog) {
        course = nil
        hasToldFailure = true
        log.report(.pairing(.stopped(status, over: .basicRate)))
    }

    private static func terms(_ course: Course) -> CaptureEvent.PairingTerms? {
        guard let initiator = course.capabilities[course.initiator],
            let responder = course.capabilities[course.initiator.other]
        else { return nil }
        return CaptureEvent.PairingTerms(
            method: .model(
                AssociationModel(request: initiator.features, response: responder.features)),
            scheme: .basicRate(nil), isBonding: initiator.isBonding && responder.isBonding)
    }
}
