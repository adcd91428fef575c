internal import BluetoothLE
internal import OpenSSLSecurity

/// The devices of which a capture has a link. Others merely advertise nearby: that is their owners' business.
struct Partners {
    private static let maximum = 4096

    private let toolbox = OpenSSLToolbox()
    /// Without their kinds: a link over BR/EDR has none.
    private var addresses: Set<UInt64> = []

    /// One that was named.
    mutating func insert(_ address: UInt64) {
        if addresses.count < Self.maximum { addresses.insert(address) }
    }

    /// A packet of the capture: an event with which a link begins has the address of the other side.
    mutating func receive(_ packet: HCIPacket) {
        guard case .event(let octets) = packet else { return }
        for place in Self.places(in: octets) where octets.count >= place + 6 {
            let address = Self.address(octets[place...])
            if address != 0 { insert(address) }
        }
    }

    private static func places(in event: [UInt8]) -> [Int] {
        switch (event.first, event.dropFirst(2).first) {
        // HCI_Connection_Complete, HCI_Connection_Request
        case (0x03, _): [5]
        case (0x04, _): [2]
        // HCI_LE_Connection_Complete; the enhanced ones have the private address of the peer too.
        case (0x3E, 0x01): [8]
        case (0x3E, 0x0A), (0x3E, 0x29): [8, 20]
        default: []
        }
    }

    /// Whether an event says only that strangers advertise: HCI_LE_Advertising_Report, or the extended one. Core Vol 4,
    /// Part E, 7.7.65.2 and 7.7.65.13. What a key of the capture resolves is no stranger.
    func isOfStrangers(_ event: [UInt8], keys: [UInt128]) -> Bool {
        guard event.count > 4, event[0] == 0x3E, event[2] == 0x02 || event[2] == 0x0D else {
            return false
        }
        // The octets before an address, and from there to the length of the data.
        let (kind, length, rest) = event[2] == 0x02 ? (1, 8, 1) : (2, 23, 0)
        var report = event[4...]
        for _ in 0..<event[3] {
            guard report.count > length else { return false }
            let start = report.startIndex
            let number = Self.address(report[(start + kind + 1)...])
            let address = DeviceAddress(
                number, kind: report[start + kind] & 1 == 1 ? .random : .public)
            guard !addresses.contains(number),
                PrivateAddress.resolve(address, with: keys, using: toolbox) == nil
            else { return false }
            report = report.dropFirst(length + 1 + Int(report[start + length]) + rest)
        }
        return true
    }

    private static func address(_ octets: ArraySlice<UInt8>) -> UInt64 {
        octets.prefix(6).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
