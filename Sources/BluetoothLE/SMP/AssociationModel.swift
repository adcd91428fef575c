/// How the two devices make sure that they talk to each other. Core Vol 3, Part H, 2.3.5.1.
public enum AssociationModel: Hashable, Sendable {
    /// Which device shows the passkey that is entered on the other.
    public enum PasskeySide: Hashable, Sendable {
        /// Shown on the initiator, entered on the responder.
        case initiatorDisplays
        /// Shown on the responder, entered on the initiator.
        case responderDisplays
        /// Entered on both.
        case bothEnter
    }

    /// No protection against a man in the middle.
    case justWorks
    /// The user compares six digits; LE Secure Connections only.
    case numericComparison
    /// The user carries six digits from one device to the other.
    case passkeyEntry(PasskeySide)
    /// Data came another way.
    case outOfBand

    /// Whether the keys are protected against a man in the middle.
    public var isAuthenticated: Bool { self != .justWorks }

    /// The model that two devices' features lead to. Core Vol 3, Part H, tables 2.6 to 2.8.
    public init(request: PairingFeatures, response: PairingFeatures) {
        let isSecure = request.authentication.intersection(response.authentication)
            .contains(.secureConnections)
        let initiatorHasData = request.outOfBandFlag == 1
        let responderHasData = response.outOfBandFlag == 1
        if isSecure ? initiatorHasData || responderHasData : initiatorHasData && responderHasData {
            self = .outOfBand
        } else if request.authentication.union(response.authentication).contains(.mitmProtection) {
            self.init(
                initiator: request.ioCapability, responder: response.ioCapability,
                comparisonIsPossible: isSecure)
        } else {
            self = .justWorks
        }
    }

    private init(
        initiator: IOCapability, responder: IOCapability, comparisonIsPossible: Bool
    ) {
        if comparisonIsPossible, initiator.canCompare, responder.canCompare {
            self = .numericComparison
        } else if responder.canEnter, initiator.canDisplay {
            self = .passkeyEntry(.initiatorDisplays)
        } else if initiator.canEnter, responder.canDisplay {
            self = .passkeyEntry(.responderDisplays)
        } else if initiator.canEnter, responder.canEnter {
            self = .passkeyEntry(.bothEnter)
        } else {
            self = .justWorks
        }
    }
}

/// What the two devices agreed on in the first phase. Core Vol 3, Part H, 2.3.
struct PairingAgreement: Hashable, Sendable {
    let role: SecurityManager.Role
    let request: PairingFeatures
    let response: PairingFeatures
    let initiator: DeviceAddress
    let responder: DeviceAddress
    let model: AssociationModel
    /// In octets, 7 to 16.
    let keySize: Int

    var usesSecureConnections: Bool {
        request.authentication.intersection(response.authentication).contains(.secureConnections)
    }

    var isBonding: Bool {
        request.authentication.intersection(response.authentication).contains(.bonding)
    }

    /// What goes over the air in the third phase: the responder may only take away.
    func distributedKeys(of role: SecurityManager.Role) -> KeyDistribution {
        let keys =
            switch role {
            case .initiator: request.initiatorKeys.intersection(response.initiatorKeys)
            case .responder: request.responderKeys.intersection(response.responderKeys)
            }
        return usesSecureConnections ? keys.subtracting(.encryptionKey) : keys
    }

    /// Zeroes the octets beyond the key size. Core Vol 3, Part H, 2.3.4.
    func masked(_ key: UInt128) -> UInt128 {
        keySize >= 16 ? key : key & (1 << UInt128(8 * keySize) - 1)
    }

    /// How well a link is protected that the new key encrypts.
    var security: LinkSecurity {
        LinkSecurity(
            isEncrypted: true, isAuthenticated: model.isAuthenticated,
            usesSecureConnections: usesSecureConnections, keySize: keySize)
    }

    /// Whether these keys would protect less than those of a bond.
    func isWeaker(than bond: Bond) -> Bool {
        bond.isAuthenticated && !model.isAuthenticated
            || bond.usesSecureConnections && !usesSecureConnections || bond.keySize > keySize
    }

    /// Whether the passkey is shown here, entered here, or not used.
    enum PasskeyPart: Hashable, Sendable {
        case displays
        case enters
    }

    var passkeyPart: PasskeyPart? {
        switch (model, role) {
        case (.passkeyEntry(.initiatorDisplays), .initiator),
            (.passkeyEntry(.responderDisplays), .responder):
            .displays
        case (.passkeyEntry, _): .enters
        case (.justWorks, _), (.numericComparison, _), (.outOfBand, _): nil
        }
    }
}

/// What a method of the second phase wants done.
enum PairingAction: Hashable, Sendable {
    case send(SecurityManagerPDU)
    case ask(SecurityManager.Question)
    /// The link can be encrypted with this key.
    case succeed(UInt128)
}
