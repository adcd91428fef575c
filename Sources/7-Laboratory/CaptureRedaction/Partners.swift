internal import BluetoothLE
internal import OpenSSLSecurity

/// The devices of which a capture has a link. Others merely advertise nearby: that is their owners' business.
struct Partners {
    private static let maximum = 4096

    private let toolbox = OpenSSLToolbox()
    /// Without their kinds: a link over BR/EDR has none.
    private var addresses: Set<UInt64> = []

    mutating func insert(_ address: DeviceAddress?) {
        if let address, addresses.count < Self.maximum { addresses.insert(address.rawValue) }
    }

    /// Whether an event says only that strangers advertise. What a key of the capture resolves is no stranger.
    func isOfStrangers(_ event: [UInt8], keys: [UInt128]) -> Bool {
        // An event of Low Energy: no other is decoded for this.
        guard event.first == 0x3E, let event = try? HCIEvent(decoding: event.span) else {
            return false
        }
        let heard: [DeviceAddress?]
        switch event {
        case .leAdvertisingReport(let event): heard = event.reports.map { $0.address }
        case .leExtendedAdvertisingReport(let event): heard = event.reports.map { $0.address }
        case _: return false
        }
        return heard.compactMap(\.self).allSatisfy {
            !addresses.contains($0.rawValue)
                && PrivateAddress.resolve($0, with: keys, using: toolbox) == nil
        }
    }
}
