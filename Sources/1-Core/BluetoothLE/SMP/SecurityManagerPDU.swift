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
        case .pairingRequest: self = .pairingRequest(try rest.take())
        case .pairingResponse: self = .pairingResponse(try rest.take())
        case .pairingConfirm: self = .pairingConfirm(try rest.take())
        case .pairingRandom: self = .pairingRandom(try rest.take())
        case .pairingFailed: self = .pairingFailed(try rest.take())
        case .encryptionInformation: self = .encryptionInformation(try rest.take())
        case .centralIdentification:
            self = try .centralIdentification(ediversifier: rest.take(), random: rest.take())
        case .identityInformation: self = .identityInformation(try rest.take())
        case .identityAddressInformation:
            let octet = try rest.takeUInt8()
            let address = try rest.takeUInt48()
            guard let kind = DeviceAddress.Kind(rawValue: octet) else {
                throw .invalid(available: rest.count)
            }
            self = .identityAddressInformation(DeviceAddress(address, kind: kind))
        case .signingInformation: self = .signingInformation(try rest.take())
        case .securityRequest: self = .securityRequest(try rest.take())
        case .pairingPublicKey: self = .pairingPublicKey(try rest.take())
        case .pairingDHKeyCheck: self = .pairingDHKeyCheck(try rest.take())
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
            inOrder(ediversifier, random).encode(into: &output)
        case .identityAddressInformation(let address): address.encode(into: &output)
        case .securityRequest(let requirements): output.append(requirements.rawValue)
        case .pairingPublicKey(let key): key.encode(into: &output)
        case .keypressNotification(let notification): output.append(notification)
        }
    }
}

extension PairingFailureReason: PDUCode {}
