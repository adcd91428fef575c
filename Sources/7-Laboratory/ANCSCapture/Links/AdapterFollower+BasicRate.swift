internal import BluetoothLE
internal import LinuxIO

/// What a capture shows about the peers of a controller over BR/EDR, by their addresses: the controller reports
/// pairing by address, and what a device is before there is a link.
struct BasicRatePeers {
    private static let limit = 64

    private var classes = BoundedDictionary<UInt64, DeviceClass>(limit: limit)
    private var names = BoundedDictionary<UInt64, String>(limit: limit)
    private var askers = BoundedDictionary<UInt64, CaptureEvent.Side>(limit: limit)
    /// Whether there was an LE link to a phone that has ANCS, and whose identity is not in the capture.
    var hasNamelessPhone = false
    /// The name of this host.
    package var ownName: String?

    package mutating func asked(
        _ address: UInt64, by side: CaptureEvent.Side, _ deviceClass: DeviceClass?
    ) {
        askers.set(side, for: address)
        if let deviceClass { classes.set(deviceClass, for: address) }
    }

    /// The side that asked for the link that was just established.
    mutating func takeAsker(_ address: UInt64) -> CaptureEvent.Side? {
        let asker = askers[address]
        askers.remove(address)
        return asker
    }

    package func deviceClass(of address: UInt64) -> DeviceClass? { classes[address] }

    package func name(of address: UInt64) -> String? { names[address] }
    mutating func learn(name: String, of address: UInt64) { names.set(name, for: address) }
}

/// BR/EDR: Core Vol 4, Part E, 7.1 and 7.7.
extension AdapterFollower {
    // MARK: Commands

    /// Follows a command that LE links do not have.
    mutating func followBasicRate(
        _ packet: HCICommandPacket, _ log: inout StoryLog, _ peers: inout PeerMemory
    ) throws(DecodingError) {
        var rest = packet.parameters.span
        switch packet.opcode.rawValue {
        case 0x0405:  // HCI_Create_Connection
            basicRate.asked(try rest.takeUInt48(), by: .local, nil)
        case 0x0411:  // HCI_Authentication_Requested
            let handle = ConnectionHandle(rawValue: try rest.takeUInt16())
            links[handle]?.followPairing(&log) { $0.authenticationRequested(&$1) }
        case 0x0C13:  // HCI_Write_Local_Name
            basicRate.ownName = try Self.takeName(&rest)
        default: break
        }
    }

    // MARK: Events

    /// Follows an event that LE links do not have.
    mutating func followBasicRate(
        _ code: HCIEventCode, _ parameters: Span<UInt8>, _ log: inout StoryLog,
        _ peers: inout PeerMemory
    ) throws(DecodingError) {
        var rest = parameters
        switch code {
        case HCIEventCode(0x03):  // HCI_Connection_Complete
            let (status, handle) = (try rest.takeUInt8(), try rest.takeUInt16())
            let (address, linkType) = (try rest.takeUInt48(), try rest.takeUInt8())
            // Other links carry speech.
            guard linkType == 0x01 else { break }
            connected(
                HCIStatus(rawValue: status), ConnectionHandle(rawValue: handle), address, &log,
                &peers)
        case HCIEventCode(0x04):  // HCI_Connection_Request: address, Class of Device, link type
            let address = try rest.takeUInt48()
            let deviceClass = DeviceClass(rawValue: try rest.takeUInt24())
            guard try rest.takeUInt8() == 0x01 else { break }
            basicRate.asked(address, by: .remote, deviceClass)
        case HCIEventCode(0x06):  // HCI_Authentication_Complete
            let status = HCIStatus(rawValue: try rest.takeUInt8())
            let handle = ConnectionHandle(rawValue: try rest.takeUInt16())
            links[handle]?.followPairing(&log) { $0.authenticated(status, &$1) }
        case HCIEventCode(0x07):  // HCI_Remote_Name_Request_Complete
            let (status, address) = (try rest.takeUInt8(), try rest.takeUInt48())
            guard status == 0 else { break }
            named(address, try Self.takeName(&rest), &log)
        default: try followPairing(code, rest, &log, &peers)
        }
    }

    /// What the controller asks and reports while it pairs. Keys and digits are skipped.
    private mutating func followPairing(
        _ code: HCIEventCode, _ parameters: Span<UInt8>, _ log: inout StoryLog,
        _ peers: inout PeerMemory
    ) throws(DecodingError) {
        var rest = parameters
        switch code {
        // HCI_PIN_Code_Request, HCI_IO_Capability_Request, HCI_IO_Capability_Response
        case HCIEventCode(0x16), HCIEventCode(0x31), HCIEventCode(0x32):
            beginPairing(with: try rest.takeUInt48(), &log) { $0.asked(&$1) }
        case HCIEventCode(0x18):  // HCI_Link_Key_Notification: address, key, type
            let address = try rest.takeUInt48()
            try rest.skip(16)
            let kind = CaptureEvent.LinkKeyKind(rawValue: try rest.takeUInt8())
            beginPairing(with: address, &log) { $0.keyMade(kind, &$1) }
        case HCIEventCode(0x36):  // HCI_Simple_Pairing_Complete
            let status = HCIStatus(rawValue: try rest.takeUInt8())
            pairing(with: try rest.takeUInt48(), &log) { $0.completed(status, &$1) }
        default: break
        }
    }

    private mutating func connected(
        _ status: HCIStatus, _ handle: ConnectionHandle, _ address: UInt64,
        _ log: inout StoryLog, _ peers: inout PeerMemory
    ) {
        let asker = basicRate.takeAsker(address)
        let key = key(address)
        guard status == .success else {
            log.report(.connectingFailed(key.address, status))
            return
        }
        let facts = CaptureEvent.ConnectionFacts(
            address: key.address, earlier: peers.latestConnection(with: key), transport: .basicRate,
            asker: asker, deviceClass: basicRate.deviceClass(of: address))
        let link = add(handle, key, .basicRate, isFromBefore: false, &log, &peers)
        link.learn(facts.deviceClass)
        link.report(.connected(facts), &log)
    }

    private func key(_ address: UInt64) -> PeerMemory.Key {
        PeerMemory.Key(
            adapter: index, address: DeviceAddress(address, kind: .public), transport: .basicRate)
    }

    /// Follows pairing on the link with a peer, if there is one.
    private func pairing(
        with address: UInt64, _ log: inout StoryLog,
        _ follow: (inout BasicRatePairing, inout StoryLog) -> Void
    ) { link(with: key(address))?.followPairing(&log, follow) }

    /// Follows what begins pairing, or ends it with a key. Of a link from before the capture, the address is not known:
    /// it is that of the only one of which this is so.
    private func beginPairing(
        with address: UInt64, _ log: inout StoryLog,
        _ follow: (inout BasicRatePairing, inout StoryLog) -> Void
    ) {
        let nameless = links.values.filter { $0.key == nil && $0.transport == .basicRate }
        let link = link(with: key(address)) ?? (nameless.count == 1 ? nameless.first : nil)
        link?.learn(key(address))
        link?.followPairing(&log, follow)
    }

    private func link(with key: PeerMemory.Key) -> LinkFollower? {
        links.values.first { $0.key == key }
    }

    private mutating func named(_ address: UInt64, _ name: String, _ log: inout StoryLog) {
        guard !name.isEmpty, name != basicRate.name(of: address) else { return }
        basicRate.learn(name: name, of: address)
        link(with: key(address))?.report(.name(.remote, name), &log)
    }

    /// Takes a name of at most 248 octets, which ends with the first 0. Core Vol 4, Part E, 6.23.
    private static func takeName(_ rest: inout Span<UInt8>) throws(DecodingError) -> String {
        let octets = rest.takeRest()
        return UTF8Text.repaired(Array(octets.prefix(248).prefix { $0 != 0 }))
    }

    // MARK: Advice

    /// Says what to do if an iPhone came over BR/EDR alone.
    func advise(about link: LinkFollower, _ log: inout StoryLog, _ peers: inout PeerMemory) {
        let other = link.key?.onOtherTransport
        if let other, peers[other] != nil { return }
        let isAlsoOnLowEnergy = links.values.contains {
            $0.isNamelessPhone || other != nil && $0.key == other
        }
        guard !isAlsoOnLowEnergy, !basicRate.hasNamelessPhone else { return }
        link.advise(
            name: link.key.flatMap { basicRate.name(of: $0.address.rawValue) },
            ownName: basicRate.ownName, &log, &peers)
    }
}
