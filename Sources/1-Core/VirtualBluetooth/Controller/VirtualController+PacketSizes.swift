internal import BluetoothLE

// The lengths of data PDUs and the PHYs that carry them. Core Vol 6, Part B, 5.1.9 and 5.1.10.
extension VirtualController {
    private var maximumLength: DataLength { DataLength(octets: abilities.maximumDataLength) }

    func runDataLength(_ packet: HCICommandPacket) {
        switch packet.opcode {
        case .leReadMaximumDataLength:
            complete(packet) { (_: HCI.LEReadMaximumDataLength) in
                .layout(
                    .success, maximumLength.octets, maximumLength.microseconds,
                    maximumLength.octets, maximumLength.microseconds)
            }
        case .leReadSuggestedDefaultDataLength:
            complete(packet) { (_: HCI.LEReadSuggestedDefaultDataLength) in
                .init(
                    status: .success, octets: suggestedDataLength.octets,
                    microseconds: suggestedDataLength.microseconds)
            }
        case .leWriteSuggestedDefaultDataLength:
            perform(packet) {
                (command: HCI.LEWriteSuggestedDefaultDataLength) throws(HCIStatus) in
                suggestedDataLength = try usable(command.octets, command.microseconds)
            }
        default:
            complete(packet) { (command: HCI.LESetDataLength) throws(HCIStatus) in
                let link = try existingLink(command.handle)
                link.wantedLength = try usable(command.octets, command.microseconds)
                requestLength(of: link)
                return .layout(.success, link.handle)
            }
        }
    }

    /// A valid length, cut to what the controller supports. Core Vol 4, Part E, 7.8.33.
    private func usable(_ octets: UInt16, _ microseconds: UInt16) throws(HCIStatus) -> DataLength {
        guard (27...251).contains(octets), (328...17_040).contains(microseconds) else {
            throw .invalidCommandParameters
        }
        return DataLength(octets: min(octets, maximumLength.octets))
    }

    func requestLength(of link: ControllerLink) {
        guard features.contains(.dataPacketLengthExtension), link.begin(.length) else { return }
        transmit(
            .lengthRequest(transmit: link.wantedLength.octets, receive: maximumLength.octets),
            on: link)
    }

    func lengthRequested(transmit octets: UInt16, receive: UInt16, on link: ControllerLink) {
        guard features.contains(.dataPacketLengthExtension) else {
            return transmit(.reject(.length, .unsupportedRemoteFeature), on: link)
        }
        transmit(
            .lengthResponse(transmit: link.wantedLength.octets, receive: maximumLength.octets),
            on: link)
        agreeLength(transmit: octets, receive: receive, on: link)
    }

    /// Negotiates the length of each direction: what one side wants to send and the other can receive.
    func agreeLength(transmit: UInt16, receive: UInt16, on link: ControllerLink) {
        let sending = DataLength(octets: min(link.wantedLength.octets, receive))
        let receiving = DataLength(octets: min(transmit, maximumLength.octets))
        guard sending != link.transmitLength || receiving != link.receiveLength else { return }
        link.transmitLength = sending
        link.receiveLength = receiving
        emit(
            HCI.LEDataLengthChange.layout(
                link.handle, sending.octets, sending.microseconds, receiving.octets,
                receiving.microseconds))
    }

    // MARK: PHYs

    private var ownPHYs: PHYs {
        var phys: PHYs = .le1M
        if features.contains(.le2MPHY) { phys.insert(.le2M) }
        if features.contains(.leCodedPHY) { phys.insert(.leCoded) }
        return phys
    }

    func runPHY(_ packet: HCICommandPacket) {
        switch packet.opcode {
        case .leReadPHY:
            complete(packet) { (command: HCI.LEReadPHY) throws(HCIStatus) in
                let link = try existingLink(command.handle)
                return .init(
                    status: .success, handle: link.handle, transmitPHY: link.transmitPHY,
                    receivePHY: link.receivePHY)
            }
        case .leSetDefaultPHY:
            perform(packet) { (command: HCI.LESetDefaultPHY) throws(HCIStatus) in
                preferredPHYs = (
                    try usable(command.transmitPHYs, unless: command.withoutPreference & 1 != 0),
                    try usable(command.receivePHYs, unless: command.withoutPreference & 2 != 0)
                )
            }
        default: begin(packet, setPHY)
        }
    }

    /// The PHYs that this controller supports; all of them if the host has no preference.
    private func usable(_ phys: PHYs, unless hasNoPreference: Bool) throws(HCIStatus) -> PHYs {
        guard !hasNoPreference else { return ownPHYs }
        guard !phys.isEmpty else { throw .invalidCommandParameters }
        guard ownPHYs.isSuperset(of: phys) else { throw .unsupportedFeatureOrParameterValue }
        return phys
    }

    private func setPHY(_ command: HCI.LESetPHY) throws(HCIStatus) {
        let link = try existingLink(command.handle)
        let sending = try usable(command.transmitPHYs, unless: command.withoutPreference & 1 != 0)
        let receiving = try usable(command.receivePHYs, unless: command.withoutPreference & 2 != 0)
        guard link.begin(.phy) else { throw .commandDisallowed }
        transmit(.phyRequest(transmit: sending, receive: receiving), on: link)
    }

    func phyRequested(transmit: PHYs, receive: PHYs, on link: ControllerLink) {
        guard ownPHYs != .le1M else {
            return self.transmit(.reject(.phy, .unsupportedRemoteFeature), on: link)
        }
        let preferred = preferredPHYs ?? (ownPHYs, ownPHYs)
        let theirs = fastest(transmit.intersection(preferred.receive), besides: link.receivePHY)
        let ours = fastest(receive.intersection(preferred.transmit), besides: link.transmitPHY)
        self.transmit(.phyUpdate(transmit: theirs, receive: ours), on: link)
        changePHY(transmit: ours, receive: theirs, of: link, reportsAlways: false)
    }

    private func fastest(_ phys: PHYs, besides current: PHY) -> PHY {
        if phys.contains(.le2M) { return .le2M }
        if phys.contains(.le1M) { return .le1M }
        return phys.contains(.leCoded) ? .leCoded : current
    }

    func changePHY(transmit: PHY, receive: PHY, of link: ControllerLink, reportsAlways: Bool) {
        let isChange = transmit != link.transmitPHY || receive != link.receivePHY
        link.transmitPHY = transmit
        link.receivePHY = receive
        guard isChange || reportsAlways else { return }
        emit(HCI.LEPHYUpdateComplete.layout(.success, link.handle, transmit, receive))
    }
}
