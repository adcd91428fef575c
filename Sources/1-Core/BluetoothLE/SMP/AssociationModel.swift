/// How the two devices authenticate each other. Core Vol 3, Part H, 2.3.5.1.
public enum AssociationModel: Equatable, Sendable {
    /// The device that displays the passkey, which is entered on the other one.
    public enum PasskeySide: Equatable, Sendable {
        /// Displayed by the initiator, entered on the responder.
        case initiatorDisplays
        /// Displayed by the responder, entered on the initiator.
        case responderDisplays
        /// Entered on both.
        case bothEnter
    }

    /// No protection against man-in-the-middle attacks.
    case justWorks
    /// The user compares six digits; LE Secure Connections only.
    case numericComparison
    /// The user reads six digits on one device and enters them on the other.
    case passkeyEntry(PasskeySide)
    /// Data were transferred out of band.
    case outOfBand

    /// Whether the keys are protected against man-in-the-middle attacks.
    public var isAuthenticated: Bool { self != .justWorks }

    /// The model that the features of both devices lead to. Core Vol 3, Part H, tables 2.6 to 2.8.
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

    private init(initiator: IOCapability, responder: IOCapability, comparisonIsPossible: Bool) {
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

/// The result of the first phase of pairing. Core Vol 3, Part H, 2.3.
struct PairingAgreement: Equatable, Sendable {
    let role: SecurityManager.Role
    let request: PairingFeatures
    let response: PairingFeatures
    let initiator: DeviceAddress
    let responder: DeviceAddress
    let model: AssociationModel
    /// The key size in octets, 7 to 16.
    let keySize: Int

    var usesSecureConnections: Bool {
        request.authentication.intersection(response.authentication).contains(.secureConnections)
    }

    var isBonding: Bool {
        request.authentication.intersection(response.authentication).contains(.bonding)
    }

    /// The keys that are distributed in the third phase; the responder can only remove some.
    func distributedKeys(of role: SecurityManager.Role) -> KeyDistribution {
        let keys =
            switch role {
            case .initiator: request.initiatorKeys.intersection(response.initiatorKeys)
            case .responder: request.responderKeys.intersection(response.responderKeys)
            }
        return usesSecureConnections ? keys.subtracting(.encryptionKey) : keys
    }

    /// Sets the octets beyond the key size to zero. Core Vol 3, Part H, 2.3.4.
    func masked(_ key: UInt128) -> UInt128 {
        keySize >= 16 ? key : key & (1 << UInt128(8 * keySize) - 1)
    }

    /// The protection of a link that is encrypted with the new key.
    var security: LinkSecurity {
        LinkSecurity(
            isEncrypted: true, isAuthenticated: model.isAuthenticated,
            usesSecureConnections: usesSecureConnections, keySize: keySize)
    }

    /// Whether the new keys would protect less than those of a bond.
    func isWeaker(than bond: Bond) -> Bool {
        bond.isAuthenticated && !model.isAuthenticated
            || bond.usesSecureConnections && !usesSecureConnections || bond.keySize > keySize
    }

    /// Whether this device displays the passkey, has it entered, or does not use one.
    enum PasskeyPart: Equatable, Sendable {
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

/// An action that a method of the second phase requests.
enum PairingAction: Equatable, Sendable {
    case send(SecurityManagerPDU)
    case ask(SecurityManager.Question)
    /// Encrypt the link with this key.
    case succeed(UInt128)
}
