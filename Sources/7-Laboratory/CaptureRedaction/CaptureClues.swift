internal import ANCSCapture
package import BluetoothLE
package import HCITransports
internal import LinuxIO

/// What has to be known of a whole capture before its first record is redacted: where ANCS turns out to be, the keys
/// that resolve addresses, and with which devices there are links.
package struct CaptureClues {
    /// Of how many connections it is kept where ANCS is; on further ones that is known once it was seen.
    private static let maximumConnections = 16_384

    /// Where ANCS is, by connection and side, as it was found out.
    private(set) var handles: [Int: [CaptureEvent.Side: ANCSHandles]] = [:]
    private(set) var keys = ResolvingKeys()
    private(set) var partners = Partners()
    private var follower: CaptureFollower

    /// Clues of a capture. `devices`: whose advertising is kept although there is no link with them.
    package init(_ format: CaptureFormat, devices: [DeviceAddress] = []) {
        follower = CaptureFollower(format: format)
        for device in devices { partners.insert(device) }
    }

    package mutating func receive(_ record: CaptureReader.Record) {
        follower.receive(record)
        while let event = follower.pollEvent() {
            if case .connected(let facts) = event.event {
                partners.insert(facts.address)
                partners.insert(facts.identity)
            } else if case .connectingFailed(let address, _) = event.event {
                partners.insert(address)
            }
            guard case .handles(let side, let found, _) = event.event,
                let connection = event.place.connection,
                handles.count < Self.maximumConnections || handles[connection] != nil
            else { continue }
            handles[connection, default: [:]][side] = found
        }
        if case .packet(let packet, _, _) = record.content { keys.receive(packet) }
    }
}

/// The identity resolving keys of a capture, in order.
struct ResolvingKeys {
    private static let maximum = 64

    private(set) var all: [UInt128] = []

    mutating func receive(_ packet: HCIPacket) {
        switch packet {
        case .command(let octets): learnFromList(octets)
        case .acl(let octets): learnFromPairing(octets)
        case .event: break
        }
    }

    /// HCI_LE_Add_Device_To_Resolving_List: the keys of the peer, and of this side. Core Vol 4, Part E, 7.8.38.
    private mutating func learnFromList(_ octets: [UInt8]) {
        guard octets.count >= 42, octets[0] == 0x27, octets[1] == 0x20 else { return }
        learn(octets[10..<26])
        learn(octets[26..<42])
    }

    /// Identity Information, which fits into one packet: the header of HCI and of L2CAP, the code, the key. Core Vol 3,
    /// Part H, 3.6.4.
    private mutating func learnFromPairing(_ octets: [UInt8]) {
        guard octets.count == 25, octets[6] == 6 || octets[6] == 7, octets[7] == 0, octets[8] == 8
        else { return }
        learn(octets[9..<25])
    }

    private mutating func learn(_ octets: ArraySlice<UInt8>) {
        let key = octets.reversed().reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        if key != 0, !all.contains(key), all.count < Self.maximum { all.append(key) }
    }
}
