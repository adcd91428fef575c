internal import BluetoothLE
internal import Octets

/// Follows the Security Manager Protocol on one link, as far as it is visible. A capture made by a host
/// contains the keys, but not the numbers that users compare.
struct PairingFollower: Sendable {
    private enum State {
        case idle
        case requested(PairingFeatures)
        case agreed(Happening.PairingTerms)
        /// The link is encrypted with the new key; keys may still be distributed.
        case succeeded
    }

    private var state = State.idle
    private var keys: [Happening.Side: UInt128] = [:]

    /// An identity that a side distributed, with the key that resolves its private addresses.
    struct Identity {
        var address: DeviceAddress
        var resolvingKey: UInt128?
    }

    /// A PDU of the Security Manager. Returns the identity of the sender if this PDU completes it.
    mutating func receive(
        _ pdu: SecurityManagerPDU, from side: Happening.Side, _ log: inout StoryLog
    ) -> Identity? {
        switch pdu {
        case .securityRequest: log.report(.pairing(.wanted(by: side)))
        case .pairingRequest(let features):
            state = .requested(features)
            log.report(.pairing(.began(by: side)))
        case .pairingResponse(let response):
            guard case .requested(let request) = state else { break }
            let terms = Self.terms(request, response)
            state = .agreed(terms)
            log.report(.pairing(.agreed(terms)))
        case .pairingFailed(let reason):
            state = .idle
            log.report(.pairing(.failed(reason, by: side)))
        case .identityInformation(let key): keys[side] = key
        case .identityAddressInformation(let address):
            log.report(.pairing(.identity(of: side, address)))
            let key = keys[side]
            // A key of zeros means that the side does not use private addresses.
            return Identity(address: address, resolvingKey: key == 0 ? nil : key)
        case .pairingConfirm, .pairingRandom, .encryptionInformation, .centralIdentification,
            .signingInformation, .pairingPublicKey, .pairingDHKeyCheck, .keypressNotification:
            break
        }
        return nil
    }

    /// Encryption was switched on or off, its key was refreshed, or that failed.
    mutating func encryptionChanged(
        _ status: HCIStatus, isEnabled: Bool, _ log: inout StoryLog
    ) {
        var isFromPairing = false
        if case .agreed(let terms) = state {
            isFromPairing = true
            let hasSucceeded = status == .success && isEnabled
            state = hasSucceeded ? .succeeded : .idle
            log.report(.pairing(hasSucceeded ? .succeeded(terms) : .encryptionFailed(status)))
        }
        log.report(
            .encryption(
                .init(status: status, isEnabled: isEnabled, isFromPairing: isFromPairing)))
    }

    /// The link or the capture ended.
    mutating func end(_ log: inout StoryLog) {
        switch state {
        case .requested, .agreed: log.report(.pairing(.unfinished))
        case .idle, .succeeded: break
        }
        state = .idle
    }

    private static func terms(
        _ request: PairingFeatures, _ response: PairingFeatures
    ) -> Happening.PairingTerms {
        let common = request.authentication.intersection(response.authentication)
        return Happening.PairingTerms(
            model: AssociationModel(request: request, response: response),
            usesSecureConnections: common.contains(.secureConnections),
            isBonding: common.contains(.bonding),
            keySize: Int(min(request.maximumKeySize, response.maximumKeySize)))
    }
}
