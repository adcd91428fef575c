extension ConsumerConfiguration {
    /// What the first packet of the advertisement shows while phones may pair. At other times it is the
    /// solicitation: a phone that is bonded comes back by the address.
    ///
    /// Reports disagree on whether the list in *Settings > Bluetooth* of an iPhone has an accessory that
    /// solicits ANCS. Neither face has been tried with an iPhone. What is in the packets, in octets:
    ///
    ///     solicitation   packet    3 flags, 18 solicitation of ANCS, 2 + at most 8 local name
    ///                    response  2 + at most 29 local name, if more of it fits here
    ///     heartRate      packet    3 flags, 2 + at most 22 local name, 4 service UUID 0x180D
    ///                    response  18 solicitation of ANCS
    public enum Face: String, CaseIterable, Equatable, Sendable {
        /// The solicitation of ANCS, and as much of the name as fits beside it.
        case solicitation
        /// The name and the UUID of the Heart Rate service, 0x180D, with the solicitation in the scan response:
        /// an iPhone is reported to list this one
        /// ([ESP32-ANCS-Notifications, pull request 41](https://github.com/Smartphone-Companions/ESP32-ANCS-Notifications/pull/41)).
        /// The device has no such service: an app that looks for heart rate monitors may show it while phones
        /// may pair, and finds nothing. Only with a controller of its own; bluetoothd puts the name into the
        /// scan response.
        case heartRate = "heart-rate"

        /// Why a face cannot be used with bluetoothd, and what to do; `nil` if it can.
        public var faultWithBluetoothd: String? {
            switch self {
            case .solicitation: nil
            case .heartRate:
                "the face 'heart-rate' needs a controller for this program alone, such as hci-socket:0, "
                    + "because bluetoothd puts the name into the scan response in every version; with "
                    + "bluetoothd, use the face 'solicitation'"
            }
        }
    }

    /// Checks that bluetoothd can show the face.
    func checkFaceAtBluetoothd() throws(DeviceError) {
        if let fault = face.faultWithBluetoothd { throw .advertisement(fault) }
    }
}
