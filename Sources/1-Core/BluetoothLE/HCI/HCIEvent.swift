public import Octets

/// An event of the controller. Core Vol 4, Part E, 5.4.4.
///
///     octet  0           1                       2..
///            Event_Code  Parameter_Total_Length  parameters (an LE event begins with its subevent code)
public enum HCIEvent: Equatable, Sendable {
    /// A command ended.
    case commandComplete(HCI.CommandComplete)
    /// A command was started or refused.
    case commandStatus(HCI.CommandStatus)
    /// A link ended.
    case disconnectionComplete(HCI.DisconnectionComplete)
    /// The encryption of a link changed.
    case encryptionChange(HCI.EncryptionChange)
    /// The encryption of a link changed; includes the size of the key.
    case encryptionChangeV2(HCI.EncryptionChangeV2)
    /// The key of an encrypted link was changed.
    case encryptionKeyRefreshComplete(HCI.EncryptionKeyRefreshComplete)
    /// The version of the peer's controller.
    case readRemoteVersionInformationComplete(HCI.ReadRemoteVersionInformationComplete)
    /// The controller failed and must be reset.
    case hardwareError(HCI.HardwareError)
    /// Buffers of the controller became free.
    case numberOfCompletedPackets(HCI.NumberOfCompletedPackets)
    /// The host overran the controller's buffers.
    case dataBufferOverflow(HCI.DataBufferOverflow)
    /// A link was established, or could not be.
    case leConnectionComplete(HCI.LEConnectionComplete)
    /// A link was established, or could not be, by a controller that resolves addresses.
    case leEnhancedConnectionComplete(HCI.LEEnhancedConnectionComplete)
    /// The advertising of other devices.
    case leAdvertisingReport(HCI.LEAdvertisingReport)
    /// The advertising of other devices.
    case leExtendedAdvertisingReport(HCI.LEExtendedAdvertisingReport)
    /// The parameters of a link changed.
    case leConnectionUpdateComplete(HCI.LEConnectionUpdateComplete)
    /// The features of the peer's link layer.
    case leReadRemoteFeaturesComplete(HCI.LEReadRemoteFeaturesComplete)
    /// The Central starts encryption, and the controller needs the key.
    case leLongTermKeyRequest(HCI.LELongTermKeyRequest)
    /// The peer requests other connection parameters.
    case leRemoteConnectionParameterRequest(HCI.LERemoteConnectionParameterRequest)
    /// The maximum length of packets on air changed.
    case leDataLengthChange(HCI.LEDataLengthChange)
    /// The PHY of a link changed.
    case lePHYUpdateComplete(HCI.LEPHYUpdateComplete)
    /// An advertising set stopped advertising.
    case leAdvertisingSetTerminated(HCI.LEAdvertisingSetTerminated)
    /// The channel selection algorithm of a link.
    case leChannelSelectionAlgorithm(HCI.LEChannelSelectionAlgorithm)
    /// Any other event; the parameters come without a subevent code.
    case unknown(HCIEventCode, parameters: [UInt8])
}

extension HCIEvent {
    /// Decodes a complete packet, without the H4 indicator. Extra octets are accepted, because some
    /// controllers append some; missing ones are not.
    public init(decoding packet: Span<UInt8>) throws(DecodingError) {
        let event = try Self(decodingAllButReports: packet)
        switch event {
        case .unknown(.leAdvertisingReport, let parameters):
            self = .leAdvertisingReport(try .init(decoding: parameters.span))
        case .unknown(.leExtendedAdvertisingReport, let parameters):
            self = .leExtendedAdvertisingReport(try .init(decoding: parameters.span))
        default: self = event
        }
    }

    /// The same, but what was heard of advertisers stays `.unknown`: a device that does not scan needs no code
    /// that decodes it, and the linker of a microcontroller can leave it out.
    init(decodingAllButReports packet: Span<UInt8>) throws(DecodingError) {
        var rest = packet
        let code = try rest.takeUInt8()
        let length = Int(try rest.takeUInt8())
        try rest.require(length)
        var parameters = rest.extracting(first: length)
        guard code == HCIEventCode.leMeta else {
            self = try Self(HCIEventCode(code), decoding: parameters)
            return
        }
        let subevent = try parameters.takeUInt8()
        self = try Self(le: HCIEventCode(le: subevent), decoding: parameters)
    }

    private init(_ code: HCIEventCode, decoding parameters: Span<UInt8>) throws(DecodingError) {
        switch code {
        case .commandComplete: self = .commandComplete(try .init(decoding: parameters))
        case .commandStatus: self = .commandStatus(try .init(decoding: parameters))
        case .disconnectionComplete: self = .disconnectionComplete(try .init(decoding: parameters))
        case .encryptionChange: self = .encryptionChange(try .init(decoding: parameters))
        case .encryptionChangeV2: self = .encryptionChangeV2(try .init(decoding: parameters))
        case .encryptionKeyRefreshComplete:
            self = .encryptionKeyRefreshComplete(try .init(decoding: parameters))
        case .readRemoteVersionInformationComplete:
            self = .readRemoteVersionInformationComplete(try .init(decoding: parameters))
        case .hardwareError: self = .hardwareError(try .init(decoding: parameters))
        case .numberOfCompletedPackets:
            self = .numberOfCompletedPackets(try .init(decoding: parameters))
        case .dataBufferOverflow: self = .dataBufferOverflow(try .init(decoding: parameters))
        default: self = .unknown(code, parameters: Array(parameters))
        }
    }

    private init(le code: HCIEventCode, decoding parameters: Span<UInt8>) throws(DecodingError) {
        switch code {
        case .leConnectionComplete: self = .leConnectionComplete(try .init(decoding: parameters))
        case .leEnhancedConnectionComplete, .leEnhancedConnectionCompleteV2:
            self = .leEnhancedConnectionComplete(try .init(decoding: parameters))
        case .leConnectionUpdateComplete:
            self = .leConnectionUpdateComplete(try .init(decoding: parameters))
        case .leReadRemoteFeaturesComplete:
            self = .leReadRemoteFeaturesComplete(try .init(decoding: parameters))
        case .leLongTermKeyRequest: self = .leLongTermKeyRequest(try .init(decoding: parameters))
        case .leRemoteConnectionParameterRequest:
            self = .leRemoteConnectionParameterRequest(try .init(decoding: parameters))
        case .leDataLengthChange: self = .leDataLengthChange(try .init(decoding: parameters))
        case .lePHYUpdateComplete: self = .lePHYUpdateComplete(try .init(decoding: parameters))
        case .leAdvertisingSetTerminated:
            self = .leAdvertisingSetTerminated(try .init(decoding: parameters))
        case .leChannelSelectionAlgorithm:
            self = .leChannelSelectionAlgorithm(try .init(decoding: parameters))
        default: self = .unknown(code, parameters: Array(parameters))
        }
    }
}

extension HCIEventParameters {
    /// The complete packet: code, length, subevent code for an LE event, parameters.
    public var eventPacket: [UInt8] {
        let code = Self.code
        let prefix = code.subevent == nil ? 0 : 1
        return [UInt8](count: 2 + prefix + encodedCount) { output in
            output.append(code.code)
            output.append(UInt8(truncatingIfNeeded: prefix + encodedCount))
            if let subevent = code.subevent { output.append(subevent) }
            encode(into: &output)
        }
    }
}
