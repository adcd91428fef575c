internal import BluetoothLE

/// The peers whose private addresses the controller resolves, and for which it generates its own. Core Vol 6,
/// Part B, 4.7 and 6.
struct ResolvingList {
    struct Entry {
        let peerIdentity: DeviceAddress
        let peerIRK: UInt128
        let localIRK: UInt128
        var mode = PrivacyMode.network
        /// The current address of this side.
        var localAddress: DeviceAddress?
        /// The address that the peer used last.
        var peerAddress: DeviceAddress?
    }

    var entries: [Entry] = []
    var isEnabled = false
    /// The lifetime of our own addresses. Core Vol 4, Part E, 7.8.45: 15 minutes.
    var timeout = Duration.seconds(900)
    private(set) var nextRotation: MonotonicInstant?

    func index(of identity: DeviceAddress) -> Int? {
        entries.firstIndex { $0.peerIdentity == identity }
    }

    /// Whether the controller generated this private address.
    func isOwn(_ address: DeviceAddress) -> Bool { entries.contains { $0.localAddress == address } }

    mutating func restartRotation(at now: MonotonicInstant) { nextRotation = now + timeout }

    /// Drops our own addresses at the end of their lifetime; new ones are generated when needed.
    mutating func rotate(at now: MonotonicInstant) {
        guard let due = nextRotation, due <= now else { return }
        for index in entries.indices { entries[index].localAddress = nil }
        nextRotation = isEnabled && !entries.isEmpty ? now + timeout : nil
    }
}

extension VirtualController {
    func runPrivacy(_ packet: HCICommandPacket, at now: MonotonicInstant) -> Bool {
        switch packet.opcode {
        case .leAddDeviceToResolvingList:
            perform(packet) { (command: HCI.LEAddDeviceToResolvingList) throws(HCIStatus) in
                try addToResolvingList(command, at: now)
            }
        case .leRemoveDeviceFromResolvingList:
            perform(packet) { (command: HCI.LERemoveDeviceFromResolvingList) throws(HCIStatus) in
                try checkResolvingListIsFree()
                resolvingList.entries.remove(at: try entryIndex(of: command.peerIdentity))
            }
        case .leClearResolvingList:
            perform(packet) { (_: HCI.LEClearResolvingList) throws(HCIStatus) in
                try checkResolvingListIsFree()
                resolvingList.entries = []
            }
        case .leReadResolvingListSize:
            complete(packet) { (_: HCI.LEReadResolvingListSize) in
                .init(status: .success, size: UInt8(min(abilities.resolvingListSize, 255)))
            }
        case .leReadPeerResolvableAddress:
            complete(packet) { (command: HCI.LEReadPeerResolvableAddress) throws(HCIStatus) in
                let entry = resolvingList.entries[try entryIndex(of: command.peerIdentity)]
                guard let address = entry.peerAddress else { throw .unknownConnectionIdentifier }
                return .init(status: .success, address: address)
            }
        case .leReadLocalResolvableAddress:
            complete(packet) { (command: HCI.LEReadLocalResolvableAddress) throws(HCIStatus) in
                let entry = resolvingList.entries[try entryIndex(of: command.peerIdentity)]
                guard let address = entry.localAddress else { throw .unknownConnectionIdentifier }
                return .init(status: .success, address: address)
            }
        case .leSetAddressResolutionEnable, .leSetResolvablePrivateAddressTimeout,
            .leSetPrivacyMode:
            runPrivacySettings(packet, at: now)
        default: return false
        }
        return true
    }

    private func runPrivacySettings(_ packet: HCICommandPacket, at now: MonotonicInstant) {
        switch packet.opcode {
        case .leSetAddressResolutionEnable:
            perform(packet) { (command: HCI.LESetAddressResolutionEnable) throws(HCIStatus) in
                guard !isOnAir else { throw .commandDisallowed }
                resolvingList.isEnabled = command.isEnabled
                if command.isEnabled { resolvingList.restartRotation(at: now) }
            }
        case .leSetResolvablePrivateAddressTimeout:
            perform(packet) {
                (command: HCI.LESetResolvablePrivateAddressTimeout) throws(HCIStatus) in
                guard (1...3600).contains(command.seconds) else { throw .invalidCommandParameters }
                resolvingList.timeout = .seconds(Int64(command.seconds))
                if resolvingList.isEnabled { resolvingList.restartRotation(at: now) }
            }
        default:
            perform(packet) { (command: HCI.LESetPrivacyMode) throws(HCIStatus) in
                try checkResolvingListIsFree()
                guard command.mode.rawValue <= 1 else { throw .invalidCommandParameters }
                let index = try entryIndex(of: command.peerIdentity)
                resolvingList.entries[index].mode = command.mode
            }
        }
    }

    private func addToResolvingList(
        _ command: HCI.LEAddDeviceToResolvingList, at now: MonotonicInstant
    ) throws(HCIStatus) {
        try checkResolvingListIsFree()
        guard command.peerIdentity.canBeIdentity,
            resolvingList.index(of: command.peerIdentity) == nil
        else { throw .invalidCommandParameters }
        guard resolvingList.entries.count < abilities.resolvingListSize else {
            throw .memoryCapacityExceeded
        }
        resolvingList.entries.append(
            .init(
                peerIdentity: command.peerIdentity, peerIRK: command.peerIRK,
                localIRK: command.localIRK))
        if resolvingList.nextRotation == nil { resolvingList.restartRotation(at: now) }
    }

    /// Whether it advertises, scans or connects.
    var isOnAir: Bool { isListening || advertisingSets.contains { $0.isEnabled } }

    /// The list must not change while it is in use. Core Vol 4, Part E, 7.8.38.
    private func checkResolvingListIsFree() throws(HCIStatus) {
        guard !resolvingList.isEnabled || !isOnAir else { throw .commandDisallowed }
    }

    private func entryIndex(of identity: DeviceAddress) throws(HCIStatus) -> Int {
        guard let index = resolvingList.index(of: identity) else {
            throw .unknownConnectionIdentifier
        }
        return index
    }

    // MARK: Resolving and making addresses

    /// The identity behind a private address; `nil` if it is unknown.
    func resolvedIdentity(of address: DeviceAddress) -> DeviceAddress? {
        guard resolvingList.isEnabled, let toolbox, address.randomKind == .resolvablePrivate else {
            return nil
        }
        let entries = resolvingList.entries
        let match = entries.firstIndex { entry in
            entry.peerAddress == address
                || entry.peerIRK != 0 && toolbox.resolves(address, irk: entry.peerIRK)
        }
        guard let match else { return nil }
        resolvingList.entries[match].peerAddress = address
        return entries[match].peerIdentity
    }

    /// Whether to ignore a device that uses its identity address although it has private ones. Core Vol 6,
    /// Part B, 4.7.
    func ignores(_ address: DeviceAddress) -> Bool {
        guard resolvingList.isEnabled, let index = resolvingList.index(of: address) else {
            return false
        }
        let entry = resolvingList.entries[index]
        return entry.peerIRK != 0 && entry.mode == .network
    }

    /// Whether an address on air is one of this device.
    func isOwn(_ address: DeviceAddress) -> Bool {
        address == publicAddress || address == randomAddress || resolvingList.isOwn(address)
            || advertisingSets.contains { $0.randomAddress == address }
    }

    /// The address to use for a peer; `nil` if the host has not set one.
    func ownAddress(
        _ type: OwnAddressType, random: DeviceAddress?, towards peer: DeviceAddress?
    ) -> DeviceAddress? {
        if type.rawValue & 2 != 0, let peer, let private_ = privateAddress(towards: peer) {
            return private_
        }
        return type.rawValue & 1 == 0 ? publicAddress : random
    }

    private func privateAddress(towards peer: DeviceAddress) -> DeviceAddress? {
        guard let toolbox, let index = resolvingList.index(of: peer) else { return nil }
        let entry = resolvingList.entries[index]
        guard entry.localIRK != 0 else { return nil }
        if let address = entry.localAddress { return address }
        // The 22 random bits must not all be equal. Core Vol 6, Part B, 1.3.2.2.
        let bits = UInt32(truncatingIfNeeded: random.next()) % 0x3F_FFFE + 1
        let prand = 1 << 22 | bits
        let hash = toolbox.ah(irk: entry.localIRK, prand: prand)
        let address = DeviceAddress(UInt64(prand) << 24 | UInt64(hash), kind: .random)
        resolvingList.entries[index].localAddress = address
        return address
    }
}
