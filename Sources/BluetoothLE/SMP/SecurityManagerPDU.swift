public import Octets

/// A command of the Security Manager Protocol. Core Vol 3, Part H, 3.3 to 3.6.
///
/// The first octet is the code; every command has a fixed length. Keys and other numbers are sent least
/// significant octet first.
public enum SecurityManagerPDU: Equatable, Sendable {
    /// `Pairing Request`, 7 octets. 3.5.1.
    case pairingRequest(PairingFeatures)
    /// `Pairing Response`, 7 octets. 3.5.2.
    case pairingResponse(PairingFeatures)
    /// `Pairing Confirm`, 17 octets. 3.5.3.
    case pairingConfirm(UInt128)
    /// `Pairing Random`, 17 octets. 3.5.4.
    case pairingRandom(UInt128)
    /// `Pairing Failed`, 2 octets. 3.5.5.
    case pairingFailed(PairingFailureReason)
    /// `Encryption Information`: the long term key, 17 octets. 3.6.2.
    case encryptionInformation(UInt128)
    /// `Central Identification`: EDIV and Rand, 11 octets. 3.6.3.
    case centralIdentification(ediversifier: UInt16, random: UInt64)
    /// `Identity Information`: the identity resolving key, 17 octets. 3.6.4.
    case identityInformation(UInt128)
    /// `Identity Address Information`, 8 octets. 3.6.5.
    case identityAddressInformation(DeviceAddress)
    /// `Signing Information`: the connection signature resolving key, 17 octets. 3.6.6.
    case signingInformation(UInt128)
    /// `Security Request`, 2 octets. 3.6.7.
    case securityRequest(AuthenticationRequirements)
    /// `Pairing Public Key`, 65 octets. 3.5.6.
    case pairingPublicKey(P256PublicKey)
    /// `Pairing DHKey Check`, 17 octets. 3.5.7.
    case pairingDHKeyCheck(UInt128)
    /// `Keypress Notification`, 2 octets: 0 started, 1 entered, 2 erased, 3 cleared, 4 completed. 3.5.8.
    case keypressNotification(UInt8)

    /// The codes that the specification defines. Core Vol 3, Part H, 3.3.
    public enum Code: UInt8, Equatable, Sendable, CaseIterable {
        /// `Pairing Request`
        case pairingRequest = 0x01
        /// `Pairing Response`
        case pairingResponse
        /// `Pairing Confirm`
        case pairingConfirm
        /// `Pairing Random`
        case pairingRandom
        /// `Pairing Failed`
        case pairingFailed
        /// `Encryption Information`
        case encryptionInformation
        /// `Central Identification`
        case centralIdentification
        /// `Identity Information`
        case identityInformation
        /// `Identity Address Information`
        case identityAddressInformation
        /// `Signing Information`
        case signingInformation
        /// `Security Request`
        case securityRequest
        /// `Pairing Public Key`
        case pairingPublicKey
        /// `Pairing DHKey Check`
        case pairingDHKeyCheck
        /// `Keypress Notification`
        case keypressNotification

        /// The length of the command in octets, including the code.
        public var length: Int {
            switch self {
            case .pairingRequest, .pairingResponse: 7
            case .pairingConfirm, .pairingRandom, .encryptionInformation, .identityInformation,
                .signingInformation, .pairingDHKeyCheck:
                17
            case .pairingFailed, .securityRequest, .keypressNotification: 2
            case .centralIdentification: 11
            case .identityAddressInformation: 8
            case .pairingPublicKey: 65
            }
        }
    }

    /// The code of the command.
    public var code: Code {
        switch self {
        case .pairingRequest: .pairingRequest
        case .pairingResponse: .pairingResponse
        case .pairingConfirm: .pairingConfirm
        case .pairingRandom: .pairingRandom
        case .pairingFailed: .pairingFailed
        case .encryptionInformation: .encryptionInformation
        case .centralIdentification: .centralIdentification
        case .identityInformation: .identityInformation
        case .identityAddressInformation: .identityAddressInformation
        case .signingInformation: .signingInformation
        case .securityRequest: .securityRequest
        case .pairingPublicKey: .pairingPublicKey
        case .pairingDHKeyCheck: .pairingDHKeyCheck
        case .keypressNotification: .keypressNotification
        }
    }
}

extension SecurityManagerPDU: OctetEncodable {
    /// Decodes a complete command; a reserved code is `DecodingError.invalid`.
    public init(decoding pdu: Span<UInt8>) throws(DecodingError) {
        var rest = pdu
        guard let code = Code(rawValue: try rest.takeUInt8()) else {
            throw .invalid(available: rest.count)
        }
        switch code {
        case .pairingRequest: self = .pairingRequest(try PairingFeatures(taking: &rest))
        case .pairingResponse: self = .pairingResponse(try PairingFeatures(taking: &rest))
        case .pairingConfirm: self = .pairingConfirm(try rest.takeUInt128())
        case .pairingRandom: self = .pairingRandom(try rest.takeUInt128())
        case .pairingFailed:
            self = .pairingFailed(PairingFailureReason(rawValue: try rest.takeUInt8()))
        case .encryptionInformation: self = .encryptionInformation(try rest.takeUInt128())
        case .centralIdentification:
            let ediversifier = try rest.takeUInt16()
            self = .centralIdentification(
                ediversifier: ediversifier, random: try rest.takeUInt64())
        case .identityInformation: self = .identityInformation(try rest.takeUInt128())
        case .identityAddressInformation:
            let octet = try rest.takeUInt8()
            let address = try rest.takeUInt48()
            guard let kind = DeviceAddress.Kind(rawValue: octet) else {
                throw .invalid(available: rest.count)
            }
            self = .identityAddressInformation(DeviceAddress(address, kind: kind))
        case .signingInformation: self = .signingInformation(try rest.takeUInt128())
        case .securityRequest:
            self = .securityRequest(AuthenticationRequirements(rawValue: try rest.takeUInt8()))
        case .pairingPublicKey:
            let x = try P256Scalar(taking: &rest)
            self = .pairingPublicKey(P256PublicKey(x: x, y: try P256Scalar(taking: &rest)))
        case .pairingDHKeyCheck: self = .pairingDHKeyCheck(try rest.takeUInt128())
        case .keypressNotification: self = .keypressNotification(try rest.takeUInt8())
        }
        try rest.expectEnd()
    }

    /// The length in octets, which the code determines.
    public var encodedCount: Int { code.length }

    /// Appends the code and the parameters.
    public func encode(into output: inout OutputSpan<UInt8>) {
        output.append(code.rawValue)
        switch self {
        case .pairingRequest(let features), .pairingResponse(let features):
            features.encode(into: &output)
        case .pairingConfirm(let value), .pairingRandom(let value),
            .encryptionInformation(let value), .identityInformation(let value),
            .signingInformation(let value), .pairingDHKeyCheck(let value):
            output.append(littleEndian: value)
        case .pairingFailed(let reason): output.append(reason.rawValue)
        case .centralIdentification(let ediversifier, let random):
            output.append(littleEndian: ediversifier)
            output.append(littleEndian: random)
        case .identityAddressInformation(let address):
            output.append(address.kind.rawValue)
            output.append(littleEndian: address.rawValue, octets: 6)
        case .securityRequest(let requirements): output.append(requirements.rawValue)
        case .pairingPublicKey(let key):
            output.append(littleEndian: key.x.low)
            output.append(littleEndian: key.x.high)
            output.append(littleEndian: key.y.low)
            output.append(littleEndian: key.y.high)
        case .keypressNotification(let notification): output.append(notification)
        }
    }
}

extension P256Scalar {
    /// Takes 32 octets, least significant first.
    fileprivate init(taking rest: inout Span<UInt8>) throws(DecodingError) {
        let low = try rest.takeUInt128()
        self.init(high: try rest.takeUInt128(), low: low)
    }
}
