internal import BluetoothLE

/// The PDU of an advertising event, or the answer to a scan request.
struct AdvertisingPDU: Equatable, Sendable {
    /// The address on air; `nil` for an anonymous advertiser.
    var advertiser: DeviceAddress?
    /// The target of directed advertising.
    var target: DeviceAddress?
    /// The properties: connectable, scannable, directed, legacy.
    var properties: AdvertisingEventProperties
    /// The advertising data or the scan response.
    var data: [UInt8]
    /// The advertising SID; 0xFF with legacy PDUs.
    var sid: UInt8 = 0xFF
    /// The transmit power in dBm; 127 if it is not included.
    var transmitPower: Int8 = 127
    var primaryPHY = PHY.le1M
    /// The PHY of the auxiliary packet; 0 with legacy PDUs.
    var secondaryPHY = PHY(rawValue: 0)
    var isScanResponse = false
}

/// CONNECT_IND or AUX_CONNECT_REQ. Core Vol 6, Part B, 2.3.3.1.
struct ConnectRequest: Equatable, Sendable {
    /// The address of the initiator on air.
    var initiator: DeviceAddress
    var timing: LinkTiming
}

/// The timing of a link's connection events. Core Vol 6, Part B, 4.5.1 and 4.5.2.
struct LinkTiming: Equatable, Sendable {
    var interval: ConnectionInterval
    /// How many connection events in a row the Peripheral may skip.
    var latency: UInt16
    var supervisionTimeout: SupervisionTimeout

    /// The timing that this link layer chooses: the longest interval of a range.
    init(_ parameters: ConnectionParameters) {
        interval = parameters.intervalMaximum
        latency = parameters.latency
        supervisionTimeout = parameters.supervisionTimeout
    }
}

/// A PDU of a link. Control PDUs that only confirm others are omitted, because the radio repeats a PDU until
/// it is received. Core Vol 6, Part B, 2.4.
enum LinkPDU: Equatable, Sendable {
    /// A part of an L2CAP PDU. The last part of an ACL packet frees its buffer.
    case data([UInt8], isFirst: Bool, endsPacket: Bool)
    /// LL_TERMINATE_IND
    case terminate(HCIStatus)
    /// LL_ENC_REQ; on an encrypted link, encryption pauses.
    case encryptionRequest(random: UInt64, diversifier: UInt16)
    /// LL_START_ENC_REQ
    case startEncryptionRequest
    /// LL_START_ENC_RSP
    case startEncryptionResponse
    /// LL_REJECT_EXT_IND
    case reject(LinkProcedure, HCIStatus)
    /// LL_CONNECTION_PARAM_REQ
    case parametersRequest(ConnectionParameters)
    /// LL_CONNECTION_UPDATE_IND
    case connectionUpdate(LinkTiming)
    /// LL_FEATURE_REQ or LL_PERIPHERAL_FEATURE_REQ
    case featureRequest
    /// LL_FEATURE_RSP
    case featureResponse(LEFeatures)
    /// LL_VERSION_IND of the side that starts the exchange.
    case versionRequest
    /// LL_VERSION_IND of the other side.
    case versionResponse(version: UInt8, manufacturer: UInt16, subversion: UInt16)
    /// LL_LENGTH_REQ, with the abilities of the sender.
    case lengthRequest(transmit: UInt16, receive: UInt16)
    /// LL_LENGTH_RSP, with the abilities of the sender.
    case lengthResponse(transmit: UInt16, receive: UInt16)
    /// LL_PHY_REQ, from the view of the sender.
    case phyRequest(transmit: PHYs, receive: PHYs)
    /// LL_PHY_UPDATE_IND, from the view of the side that requested it.
    case phyUpdate(transmit: PHY, receive: PHY)
}

/// A procedure between the ends of a link; each side can have one of each in progress.
enum LinkProcedure: Equatable, Sendable {
    case encryption
    case parameters
    case update
    case features
    case version
    case length
    case phy
}

/// A PDU with its encryption key: for a receiver with another key, the MIC is wrong.
struct LinkFrame: Equatable, Sendable {
    var pdu: LinkPDU
    var key: UInt128?
}
