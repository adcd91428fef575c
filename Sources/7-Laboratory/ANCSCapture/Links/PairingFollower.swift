internal import BluetoothLE

/// Follows the Security Manager Protocol on one link, as far as it is visible. A capture made by a host
/// contains the keys, but not the numbers that users compare.
struct PairingFollower: Sendable {
    private enum State {
        case idle
        case requested(PairingFeatures)
        case agreed(CaptureEvent.PairingTerms)
        /// It began before the capture, which has no terms.
        case underway
        /// The link is encrypted with the new key; keys may still be distributed.
        case succeeded
    }

    private var state = State.idle
    /// Whether keys for Low Energy were derived from those of BR/EDR.
    private(set) var hasDerivedKeys = false
    private var keys: [CaptureEvent.Side: UInt128] = [:]

    /// An identity that a side distributed, with the key that resolves its private addresses.
    struct Identity {
        package var address: DeviceAddress
        var resolvingKey: UInt128?
    }

    /// A PDU of the Security Manager. Returns the identity of the sender if this PDU completes it.
    ///
    /// On a BR/EDR link that is encrypted, the same protocol derives keys for Low Energy from the link key.
    /// Core Vol 3, Part H, 2.4.2.4 and 3.6.1.
    package mutating func receive(
        _ pdu: SecurityManagerPDU, from side: CaptureEvent.Side,
        over transport: CaptureEvent.Transport, _ log: inout StoryLog
    ) -> Identity? {
        let isDerivation = transport == .basicRate
        switch pdu {
        case .securityRequest: log.report(.pairing(.wanted(by: side)))
        case .pairingRequest(let features):
            state = .requested(features)
            log.report(.pairing(isDerivation ? .deriving(by: side) : .began(by: side)))
        case .pairingResponse(let response):
            guard case .requested(let request) = state else { break }
            guard !isDerivation else {
                state = .idle
                hasDerivedKeys = Self.agree(.encryptionKey, request, response)
                log.report(.pairing(.derived(hasDerivedKeys)))
                break
            }
            let terms = Self.terms(request, response)
            state = .agreed(terms)
            log.report(.pairing(.agreed(terms)))
        case .pairingFailed(let reason):
            state = .idle
            hasDerivedKeys = false
            log.report(
                .pairing(isDerivation ? .notDerived(reason, by: side) : .failed(reason, by: side)))
        case .identityInformation(let key): keys[side] = key
        case .identityAddressInformation(let address):
            log.report(.pairing(.identity(of: side, address)))
            let key = keys[side]
            // A key of zeros means that the side does not use private addresses.
            return Identity(address: address, resolvingKey: key == 0 ? nil : key)
        case .pairingConfirm, .pairingRandom, .pairingPublicKey, .pairingDHKeyCheck:
            if case .idle = state { state = .underway }
        case .encryptionInformation, .centralIdentification, .signingInformation,
            .keypressNotification:
            break
        }
        return nil
    }

    /// Encryption was switched on or off, its key was refreshed, or that failed.
    package mutating func encryptionChanged(
        _ status: HCIStatus, isEnabled: Bool, _ log: inout StoryLog
    ) {
        var isFromPairing = false
        let hasSucceeded = status == .success && isEnabled
        switch state {
        case .idle, .requested, .succeeded: break
        case .agreed(let terms):
            log.report(
                .pairing(hasSucceeded ? .succeeded(terms) : .stopped(status, over: .lowEnergy)))
            fallthrough
        case .underway:
            isFromPairing = true
            state = hasSucceeded ? .succeeded : .idle
        }
        log.report(
            .encryption(.init(status: status, isEnabled: isEnabled, isFromPairing: isFromPairing)))
    }

    /// The link or the capture ended.
    package mutating func end(_ log: inout StoryLog) {
        switch state {
        case .requested, .agreed: log.report(.pairing(.unfinished))
        case .idle, .underway, .succeeded: break
        }
        state = .idle
    }

    private static func terms(
        _ request: PairingFeatures, _ response: PairingFeatures
    ) -> CaptureEvent.PairingTerms {
        let common = request.authentication.intersection(response.authentication)
        let isSecure = common.contains(.secureConnections)
        return CaptureEvent.PairingTerms(
            method: AssociationModel(request: request, response: response),
            scheme: .lowEnergy(
                usesSecureConnections: isSecure,
                keySize: Int(min(request.maximumKeySize, response.maximumKeySize)),
                derivesLinkKey: isSecure && agree(.linkKey, request, response)),
            isBonding: common.contains(.bonding))
    }

    /// Whether both sides want to distribute a key of both, or derive it.
    private static func agree(
        _ key: KeyDistribution, _ request: PairingFeatures, _ response: PairingFeatures
    ) -> Bool {
        [
            request.initiatorKeys, request.responderKeys, response.initiatorKeys,
            response.responderKeys,
        ].allSatisfy { $0.contains(key) }
    }
}
