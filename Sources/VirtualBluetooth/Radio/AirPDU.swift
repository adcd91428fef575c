internal import BluetoothLE

/// What an advertiser puts on air in one event, or what it answers to a scan request.
struct AdvertisingPDU: Hashable, Sendable {
    /// The address on air; `nil` for an anonymous advertiser.
    var advertiser: DeviceAddress?
    /// To whom directed advertising is addressed.
    var target: DeviceAddress?
    /// Connectable, scannable, directed, legacy.
    var properties: AdvertisingEventProperties
    /// The advertising data or the scan response.
    var data: [UInt8]
    /// The advertising SID; 0xFF with legacy PDUs.
    var sid: UInt8 = 0xFF
    /// In dBm; 127 where it is not told.
    var transmitPower: Int8 = 127
    var primaryPHY = PHY.le1M
    /// 0 with legacy PDUs.
    var secondaryPHY = PHY(rawValue: 0)
    var isScanResponse = false
}

/// CONNECT_IND or AUX_CONNECT_REQ. Core Vol 6, Part B, 2.3.3.1.
struct ConnectRequest: Hashable, Sendable {
    /// The address on air of who connects.
    var initiator: DeviceAddress
    var timing: LinkTiming
}

/// How often the ends of a link meet. Core Vol 6, Part B, 4.5.1 and 4.5.2.
struct LinkTiming: Hashable, Sendable {
    var interval: ConnectionInterval
    /// How many connection events in a row the Peripheral may skip.
    var latency: UInt16
    var supervisionTimeout: SupervisionTimeout

    /// What this link layer makes of a range: the longest interval.
    init(_ parameters: ConnectionParameters) {
        interval = parameters.intervalMaximum
        latency = parameters.latency
        supervisionTimeout = parameters.supervisionTimeout
    }
}

/// A PDU of a link. Control PDUs that only confirm what this link cannot lose are left out: the
/// radio repeats a PDU until it has come. Core Vol 6, Part B, 2.4.
enum LinkPDU: Hashable, Sendable {
    /// Part of an L2CAP PDU. The last piece of an ACL packet of the host frees its buffer.
    case data([UInt8], isFirst: Bool, endsPacket: Bool)
    /// LL_TERMINATE_IND
    case terminate(HCIStatus)
    /// LL_ENC_REQ; on an encrypted link the encryption pauses with it.
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
    /// LL_VERSION_IND of who asks
    case versionRequest
    /// LL_VERSION_IND of who answers
    case versionResponse(version: UInt8, manufacturer: UInt16, subversion: UInt16)
    /// LL_LENGTH_REQ, with what the sender can do
    case lengthRequest(transmit: UInt16, receive: UInt16)
    /// LL_LENGTH_RSP, likewise
    case lengthResponse(transmit: UInt16, receive: UInt16)
    /// LL_PHY_REQ, seen from the sender
    case phyRequest(transmit: PHYs, receive: PHYs)
    /// LL_PHY_UPDATE_IND, seen from who asked
    case phyUpdate(transmit: PHY, receive: PHY)
}

/// What an end of a link may have asked of the other, one of each at a time.
enum LinkProcedure: Hashable, Sendable {
    case encryption
    case parameters
    case update
    case features
    case version
    case length
    case phy
}

/// A PDU and the key that it is encrypted with: whoever has another one finds the MIC wrong.
struct LinkFrame: Hashable, Sendable {
    var pdu: LinkPDU
    var key: UInt128?
}
