internal import BluetoothLE

// Links: their start, frames from the peer, and their end.
extension VirtualController {
    private static var maximumHandle: UInt16 { 0x0EFF }

    /// Creates this side of a link and informs the host. `set` is the one that was advertising.
    func connected(
        as role: LinkRole, ownAddress: DeviceAddress, peerAddress: DeviceAddress,
        timing: LinkTiming, set: AdvertisingSet? = nil
    ) -> ConnectionHandle {
        let identity = resolvedIdentity(of: peerAddress)
        let link = ControllerLink(
            handle: freeHandle, role: role, ownAddress: ownAddress, peerAddress: peerAddress,
            peer: identity ?? peerAddress, timing: timing, wantedLength: suggestedDataLength)
        links.append(link)
        highestHandle = max(highestHandle, link.handle.rawValue)
        reportConnection(.success, link)
        if features.contains(.channelSelectionAlgorithm2) {
            emit(HCI.LEChannelSelectionAlgorithm.layout(link.handle, 1))
        }
        if let set, !set.isLegacyCommand {
            emit(
                HCI.LEAdvertisingSetTerminated.layout(
                    .success, set.id.rawValue, link.handle, set.completedEvents))
        }
        return link.handle
    }

    /// Called once both sides exist: a controller that wants longer PDUs requests them on its own.
    func settled(_ handle: ConnectionHandle) {
        guard let link = link(handle), link.wantedLength.octets > DataLength.minimum.octets else {
            return
        }
        requestLength(of: link)
    }

    private var freeHandle: ConnectionHandle {
        var number: UInt16 = 0x0001
        while number < Self.maximumHandle, link(ConnectionHandle(rawValue: number)) != nil {
            number += 1
        }
        return ConnectionHandle(rawValue: number)
    }

    private func reportConnection(_ status: HCIStatus, _ link: ControllerLink) {
        let wasResolved = link.peer != link.peerAddress
        let type = link.peer.kind.rawValue | (wasResolved ? 2 : 0)
        reportConnection(
            HCI.LEEnhancedConnectionComplete(
                status: status, handle: link.handle, role: link.role, peerAddressType: type,
                peerAddressValue: link.peer.rawValue,
                localResolvablePrivateAddress: resolvingList.isOwn(link.ownAddress)
                    ? link.ownAddress.rawValue : 0,
                peerResolvablePrivateAddress: wasResolved ? link.peerAddress.rawValue : 0,
                interval: link.timing.interval, latency: link.timing.latency,
                supervisionTimeout: link.timing.supervisionTimeout, centralClockAccuracy: 0))
    }

    /// Reports that connecting failed.
    func reportNoConnection(_ status: HCIStatus, as role: LinkRole, peer: DeviceAddress) {
        reportConnection(
            HCI.LEEnhancedConnectionComplete(
                status: status, handle: ConnectionHandle(rawValue: 0), role: role,
                peerAddressType: peer.kind.rawValue, peerAddressValue: peer.rawValue,
                localResolvablePrivateAddress: 0, peerResolvablePrivateAddress: 0,
                interval: ConnectionInterval(rawValue: 0), latency: 0,
                supervisionTimeout: SupervisionTimeout(rawValue: 0), centralClockAccuracy: 0))
    }

    /// Sends one of the two events, never both. Core Vol 4, Part E, 7.7.65.1.
    private func reportConnection(_ event: HCI.LEEnhancedConnectionComplete) {
        guard !features.contains(.privacy) || !masks.allows(HCI.LEEnhancedConnectionComplete.code)
        else { return emit(event) }
        emit(
            HCI.LEConnectionComplete(
                status: event.status, handle: event.handle, role: event.role,
                peerAddress: DeviceAddress(
                    event.peerAddressValue, kind: event.peerAddressType & 1 == 0 ? .public : .random
                ),
                interval: event.interval, latency: event.latency,
                supervisionTimeout: event.supervisionTimeout,
                centralClockAccuracy: event.centralClockAccuracy))
    }

    // MARK: The end

    /// Ends this side of a link; whether the peer is informed was decided before.
    func end(_ link: ControllerLink, reason: HCIStatus) {
        links.removeAll { $0 === link }
        completed.removeAll { $0.handle == link.handle }
        hostFlow.unprocessed.removeAll { $0.handle == link.handle }
        outputs.append(.left(link.handle))
        emit(HCI.DisconnectionComplete.layout(.success, link.handle, reason))
        if acceptsData { outputs.append(.hostHasRoom) }
    }

    /// The supervision timeout has passed, or the link was cut.
    func lost(_ handle: ConnectionHandle, reason: HCIStatus) {
        guard let link = link(handle) else { return }
        end(link, reason: reason)
    }

    func disconnect(_ command: HCI.Disconnect) throws(HCIStatus) {
        let link = try existingLink(command.handle)
        // Core Vol 4, Part E, 7.1.6: only these reasons are valid.
        let allowed: [UInt8] = [0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B]
        guard allowed.contains(command.reason.rawValue) else { throw .invalidCommandParameters }
        guard !link.isTerminating else { throw .commandDisallowed }
        link.isTerminating = true
        transmit(.terminate(command.reason), on: link)
    }

    // MARK: What comes from the other end

    /// A frame of the peer arrived.
    func receive(_ frame: LinkFrame, on handle: ConnectionHandle) {
        guard let link = link(handle) else { return }
        guard frame.key == link.expectedKey(of: frame.pdu) else {
            // The peer will find out in the same way, because it cannot decrypt anything either.
            transmit(.terminate(.micFailure), on: link)
            return end(link, reason: .micFailure)
        }
        switch frame.pdu {
        case .data(let octets, let isFirst, _): deliver(octets, isFirst: isFirst, on: link)
        case .terminate(let reason): end(link, reason: reason)
        case .encryptionRequest, .startEncryptionRequest, .startEncryptionResponse:
            receiveEncryption(frame.pdu, on: link)
        case .reject(let procedure, let reason): rejected(procedure, reason, on: link)
        case .parametersRequest(let parameters): parametersRequested(parameters, on: link)
        case .connectionUpdate(let timing):
            link.timing = timing
            // The event is sent even without a request. Core Vol 4, Part E, 7.7.65.3.
            _ = link.end(.parameters)
            reportUpdate(.success, of: link)
        case .featureRequest: transmit(.featureResponse(features), on: link)
        case .featureResponse(let features): featuresCame(features, on: link)
        case .versionRequest: transmit(ownVersion, on: link)
        case .versionResponse(let version, let manufacturer, let subversion):
            versionCame(version, manufacturer, subversion, on: link)
        case .lengthRequest(let transmit, let receive):
            lengthRequested(transmit: transmit, receive: receive, on: link)
        case .lengthResponse(let transmit, let receive):
            _ = link.end(.length)
            agreeLength(transmit: transmit, receive: receive, on: link)
        case .phyRequest(let transmit, let receive):
            phyRequested(transmit: transmit, receive: receive, on: link)
        case .phyUpdate(let transmit, let receive):
            let wasAsked = link.end(.phy)
            changePHY(transmit: transmit, receive: receive, of: link, reportsAlways: wasAsked)
        }
    }

    private func rejected(
        _ procedure: LinkProcedure, _ reason: HCIStatus, on link: ControllerLink
    ) {
        switch procedure {
        case .encryption: encryptionRejected(reason, on: link)
        case .parameters: if link.end(.parameters) { reportUpdate(reason, of: link) }
        case .phy:
            if link.end(.phy) {
                emit(
                    HCI.LEPHYUpdateComplete.layout(
                        reason, link.handle, link.transmitPHY, link.receivePHY))
            }
        case .length, .features, .version, .update: _ = link.end(procedure)
        }
    }
}
