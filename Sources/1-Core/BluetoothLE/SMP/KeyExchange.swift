/// The third phase of pairing: first the responder, then the initiator distributes its keys. Core Vol 3, Part
/// H, 2.4.3.
struct KeyExchange: Equatable, Sendable {
    let agreement: PairingAgreement
    /// The key of LE Secure Connections, or the short term key.
    let sessionKey: UInt128
    /// The commands that the peer has yet to send, in their order. 3.6.1.
    private var awaited: ArraySlice<SecurityManagerPDU.Code>
    private var peer = Keys()
    private var local = Keys()

    private struct Keys: Equatable, Sendable {
        var longTermKey: Bond.LongTermKey?
        var identityResolvingKey: UInt128?
        var identityAddress: DeviceAddress?
        var signatureResolvingKey: UInt128?
    }

    init(agreement: PairingAgreement, sessionKey: UInt128) {
        self.agreement = agreement
        self.sessionKey = sessionKey
        let keys = agreement.distributedKeys(
            of: agreement.role == .initiator ? .responder : .initiator)
        var codes = [SecurityManagerPDU.Code]()
        if keys.contains(.encryptionKey) {
            codes += [.encryptionInformation, .centralIdentification]
        }
        if keys.contains(.identityKey) {
            codes += [.identityInformation, .identityAddressInformation]
        }
        if keys.contains(.signingKey) { codes.append(.signingInformation) }
        awaited = codes[...]
    }

    /// Whether the peer has sent all its keys.
    var isPeerDone: Bool { awaited.isEmpty }

    /// Our keys; those missing in the configuration are generated.
    mutating func localKeys(
        _ keys: SecurityConfiguration.LocalKeys, localAddress: DeviceAddress,
        toolbox: AnySecurityToolbox
    ) -> [SecurityManagerPDU] {
        let distributed = agreement.distributedKeys(of: agreement.role)
        var pdus = [SecurityManagerPDU]()
        if distributed.contains(.encryptionKey) {
            let key = Self.longTermKey(keys, agreement: agreement, toolbox: toolbox)
            local.longTermKey = key
            pdus.append(.encryptionInformation(key.value))
            pdus.append(.centralIdentification(ediversifier: key.ediversifier, random: key.random))
        }
        if distributed.contains(.identityKey) {
            let address = keys.identityAddress ?? localAddress
            local.identityResolvingKey = keys.identityResolvingKey
            local.identityAddress = address
            pdus.append(.identityInformation(keys.identityResolvingKey))
            pdus.append(.identityAddressInformation(address))
        }
        if distributed.contains(.signingKey) {
            let key = keys.signatureResolvingKey ?? toolbox.random128()
            local.signatureResolvingKey = key
            pdus.append(.signingInformation(key))
        }
        return pdus
    }

    private static func longTermKey(
        _ keys: SecurityConfiguration.LocalKeys, agreement: PairingAgreement,
        toolbox: AnySecurityToolbox
    ) -> Bond.LongTermKey {
        let value = agreement.masked(keys.longTermKey ?? toolbox.random128())
        if let ediversifier = keys.ediversifier, let random = keys.random {
            return Bond.LongTermKey(value: value, ediversifier: ediversifier, random: random)
        }
        let name = toolbox.random128()
        return Bond.LongTermKey(
            value: value, ediversifier: keys.ediversifier ?? UInt16(truncatingIfNeeded: name),
            // Zero would identify the short term key.
            random: keys.random ?? max(1, UInt64(truncatingIfNeeded: name >> 64)))
    }

    /// A key of the peer; an error if it is not the next one, or an identity that cannot be the peer's.
    /// `own` are the addresses of this device.
    mutating func receive(
        _ pdu: SecurityManagerPDU, own: [DeviceAddress]
    ) throws(PairingFailureReason) {
        guard awaited.popFirst() == pdu.code else { throw .unspecified }
        switch pdu {
        case .encryptionInformation(let key): peer.longTermKey = Bond.LongTermKey(value: key)
        case .centralIdentification(let ediversifier, let random):
            peer.longTermKey?.ediversifier = ediversifier
            peer.longTermKey?.random = random
        case .identityInformation(let key): peer.identityResolvingKey = key
        case .identityAddressInformation(let address):
            guard address.canBeIdentity, !own.contains(address) else { throw .invalidParameters }
            peer.identityAddress = address
        case .signingInformation(let key): peer.signatureResolvingKey = key
        case .pairingRequest, .pairingResponse, .pairingConfirm, .pairingRandom, .pairingFailed,
            .securityRequest, .pairingPublicKey, .pairingDHKeyCheck, .keypressNotification:
            throw .unspecified
        }
    }

    /// The bond to store; `nil` unless both devices bond and there is a long term key.
    func bond(localAddress: DeviceAddress, peerAddress: DeviceAddress) -> Bond? {
        guard agreement.isBonding else { return nil }
        let shared = agreement.usesSecureConnections ? Bond.LongTermKey(value: sessionKey) : nil
        guard shared != nil || local.longTermKey != nil || peer.longTermKey != nil else {
            return nil
        }
        return Bond(
            identityAddress: peer.identityAddress ?? peerAddress,
            // A key of zeroes means that the peer uses no private addresses.
            identityResolvingKey: peer.identityResolvingKey == 0 ? nil : peer.identityResolvingKey,
            localIdentityAddress: local.identityAddress ?? localAddress,
            localIdentityResolvingKey: local.identityResolvingKey,
            localLongTermKey: shared ?? local.longTermKey,
            peerLongTermKey: shared ?? peer.longTermKey, keySize: agreement.keySize,
            isAuthenticated: agreement.model.isAuthenticated,
            usesSecureConnections: agreement.usesSecureConnections,
            signatureResolvingKey: peer.signatureResolvingKey,
            localSignatureResolvingKey: local.signatureResolvingKey)
    }
}
