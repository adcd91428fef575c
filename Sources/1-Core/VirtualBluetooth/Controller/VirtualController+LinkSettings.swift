internal import BluetoothLE

// What link layers negotiate: parameters, features, versions, lengths of PDUs, PHYs.
extension VirtualController {
    func runLink(_ packet: HCICommandPacket) -> Bool {
        switch packet.opcode {
        case .disconnect: begin(packet, disconnect)
        case .leConnectionUpdate: begin(packet, updateConnection)
        case .leRemoteConnectionParameterRequestReply: complete(packet, acceptParameters)
        case .leRemoteConnectionParameterRequestNegativeReply: complete(packet, refuseParameters)
        case .leReadRemoteFeatures:
            begin(packet) { (command: HCI.LEReadRemoteFeatures) throws(HCIStatus) in
                let link = try existingLink(command.handle)
                guard
                    link.role == .central || features.contains(.peripheralInitiatedFeaturesExchange)
                else { throw .commandDisallowed }
                try ask(.featureRequest, as: .features, on: link)
            }
        case .readRemoteVersionInformation:
            begin(packet) { (command: HCI.ReadRemoteVersionInformation) throws(HCIStatus) in
                try ask(.versionRequest, as: .version, on: try existingLink(command.handle))
            }
        default: return false
        }
        return true
    }

    func runLinkSettings(_ packet: HCICommandPacket) -> Bool {
        switch packet.opcode {
        case .readRSSI:
            complete(packet) { (command: HCI.ReadRSSI) throws(HCIStatus) in
                .layout(.success, try existingLink(command.handle).handle, VirtualAir.rssi)
            }
        case .leSetHostChannelClassification:
            perform(packet) { (command: HCI.LESetHostChannelClassification) throws(HCIStatus) in
                guard !command.channels.isEmpty else { throw .invalidCommandParameters }
                channels = command.channels
            }
        case .leReadChannelMap:
            complete(packet) { (command: HCI.LEReadChannelMap) throws(HCIStatus) in
                .init(
                    status: .success, handle: try existingLink(command.handle).handle,
                    channels: channels)
            }
        case .readAuthenticatedPayloadTimeout, .writeAuthenticatedPayloadTimeout:
            runPayloadTimeout(packet)
        case .leSetDataLength, .leReadSuggestedDefaultDataLength,
            .leWriteSuggestedDefaultDataLength, .leReadMaximumDataLength:
            runDataLength(packet)
        case .leReadPHY, .leSetDefaultPHY, .leSetPHY: runPHY(packet)
        default: return false
        }
        return true
    }

    private func ask(
        _ pdu: LinkPDU, as procedure: LinkProcedure, on link: ControllerLink
    ) throws(HCIStatus) {
        guard link.begin(procedure) else { throw .commandDisallowed }
        transmit(pdu, on: link)
    }

    /// LE Ping prevents the timeout, so its value is only stored. Core Vol 6, Part B, 5.1.8.
    private func runPayloadTimeout(_ packet: HCICommandPacket) {
        guard packet.opcode == .writeAuthenticatedPayloadTimeout else {
            return complete(packet) {
                (command: HCI.ReadAuthenticatedPayloadTimeout) throws(HCIStatus) in
                let link = try existingLink(command.handle)
                return .init(status: .success, handle: link.handle, timeout: link.payloadTimeout)
            }
        }
        complete(packet) { (command: HCI.WriteAuthenticatedPayloadTimeout) throws(HCIStatus) in
            let link = try existingLink(command.handle)
            let shortest = link.timing.interval.duration * (1 + Int(link.timing.latency))
            guard .milliseconds(Int64(command.timeout) * 10) >= shortest else {
                throw .invalidCommandParameters
            }
            link.payloadTimeout = command.timeout
            return .layout(.success, link.handle)
        }
    }

    // MARK: What only virtual controllers do

    func fade(_ command: HCI.VirtualFade) throws(HCIStatus) {
        let limit = UInt64(86_400_000)
        guard (1...limit).contains(command.milliseconds) else { throw .invalidCommandParameters }
        let isOfAll = command.handle == HCI.VirtualFade.wholeRadio
        let handle = try isOfAll ? nil : existingLink(command.handle).handle
        outputs.append(.fade(handle, .milliseconds(Int64(command.milliseconds))))
    }

    /// The link layer of a Central changes the parameters of a link, without a command of its host.
    func setParameters(_ parameters: ConnectionParameters, of handle: ConnectionHandle) {
        guard let link = link(handle), link.role == .central, link.begin(.update) else { return }
        transmit(.connectionUpdate(LinkTiming(parameters)), on: link)
    }

    // MARK: Parameters

    private func updateConnection(_ command: HCI.LEConnectionUpdate) throws(HCIStatus) {
        let link = try existingLink(command.handle)
        guard command.parameters.fault == nil else { throw .invalidCommandParameters }
        if link.role == .central {
            try ask(.connectionUpdate(LinkTiming(command.parameters)), as: .update, on: link)
        } else {
            guard features.contains(.connectionParametersRequest) else { throw .commandDisallowed }
            try ask(.parametersRequest(command.parameters), as: .parameters, on: link)
        }
    }

    /// A Central asks its host, if that enabled the event. Core Vol 6, Part B, 5.1.7.
    func parametersRequested(_ parameters: ConnectionParameters, on link: ControllerLink) {
        guard link.role == .central, features.contains(.connectionParametersRequest),
            masks.allows(HCI.LERemoteConnectionParameterRequest.code)
        else { return transmit(.reject(.parameters, .unsupportedRemoteFeature), on: link) }
        _ = link.begin(.parameters)
        emit(HCI.LERemoteConnectionParameterRequest.layout(link.handle, parameters))
    }

    private func acceptParameters(
        _ command: HCI.LERemoteConnectionParameterRequestReply
    ) throws(HCIStatus) -> HCIConnectionStatus {
        let link = try existingLink(command.handle)
        guard command.parameters.fault == nil else { throw .invalidCommandParameters }
        guard link.role == .central, link.end(.parameters) else { throw .commandDisallowed }
        try ask(.connectionUpdate(LinkTiming(command.parameters)), as: .update, on: link)
        return .layout(.success, link.handle)
    }

    private func refuseParameters(
        _ command: HCI.LERemoteConnectionParameterRequestNegativeReply
    ) throws(HCIStatus) -> HCIConnectionStatus {
        let link = try existingLink(command.handle)
        guard link.role == .central, link.end(.parameters) else { throw .commandDisallowed }
        transmit(.reject(.parameters, command.reason), on: link)
        return .layout(.success, link.handle)
    }

    func reportUpdate(_ status: HCIStatus, of link: ControllerLink) {
        emit(
            HCI.LEConnectionUpdateComplete.layout(
                status, link.handle, link.timing.interval, link.timing.latency,
                link.timing.supervisionTimeout))
    }

    // MARK: Features and versions

    func featuresCame(_ features: LEFeatures, on link: ControllerLink) {
        guard link.end(.features) else { return }
        emit(HCI.LEReadRemoteFeaturesComplete.layout(.success, link.handle, features))
    }

    func versionCame(
        _ version: UInt8, _ manufacturer: UInt16, _ subversion: UInt16, on link: ControllerLink
    ) {
        guard link.end(.version) else { return }
        emit(
            HCI.ReadRemoteVersionInformationComplete.layout(
                .success, link.handle, version, manufacturer, subversion))
    }
}
