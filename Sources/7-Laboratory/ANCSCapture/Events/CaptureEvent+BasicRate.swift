/// What only links of BR/EDR show.
extension CaptureEvent {
    /// The two kinds of links. ANCS is only had over Low Energy.
    public enum Transport: String, Equatable, Sendable {
        /// Low Energy.
        case lowEnergy = "LE"
        /// BR/EDR, classic Bluetooth.
        case basicRate = "BR/EDR"
    }

    /// What to do about an iPhone that came over BR/EDR, said once for each peer.
    public enum BasicRateVerdict: Equatable, Sendable {
        /// It is paired, and nothing of Low Energy was seen. The address is `nil` if the link was established
        /// before the capture.
        case pairedOnly(name: String?, DeviceAddress?, ownName: String?)
        /// The same, seen from a capture of the phone: this is the accessory's name and address.
        case accessoryPairedOnly(name: String?, DeviceAddress?)
        /// It is not paired.
        case notPaired
    }

    /// Packets that are counted and not shown.
    public struct NotShown: Equatable, Sendable {
        /// The protocol or the kind of data.
        public var what: String
        /// How many packets there were.
        public var packets: Int
        /// Their payload.
        public var octets: Int
    }

    /// How a key of BR/EDR was made: Key_Type of `HCI_Link_Key_Notification`, Core Vol 4, Part E, 7.7.24.
    public struct LinkKeyKind: Equatable, Sendable {
        /// The number in the event.
        public var rawValue: UInt8

        /// Whether pairing used P-256, which is Secure Connections. Only from such a key can keys for Low
        /// Energy be derived. `nil` if the key replaces one of which that is not said.
        public var usesSecureConnections: Bool? {
            switch rawValue {
            case 0x00, 0x04, 0x05: false
            case 0x07, 0x08: true
            default: nil
            }
        }
        /// Whether the users' digits protected pairing against a man in the middle.
        public var isAuthenticated: Bool? {
            switch rawValue {
            case 0x05, 0x08: true
            case 0x00, 0x04, 0x07: false
            default: nil
            }
        }
    }
}

/// What a device says it is: Class of Device, of three octets. Assigned Numbers, 2.8.
public struct DeviceClass: Equatable, Sendable {
    /// The three octets as a number.
    public var rawValue: UInt32

    /// The Major Device Class.
    private var major: UInt32 { rawValue >> 8 & 0x1F }

    var isPhone: Bool { major == 2 }
    /// Whether it may receive notifications: a computer or something worn.
    var isAccessory: Bool { major == 1 || major == 7 }
    /// Whether it is neither: a network, audio, an input device, a printer, a toy, a sensor.
    package var isSomethingElse: Bool { [3, 4, 5, 6, 8, 9].contains(major) }

    /// In words; `nil` if it says nothing.
    package var text: String? {
        switch major {
        case 1: "a computer"
        case 2: "a phone"
        case 3: "a network access point"
        case 4: "an audio or video device"
        case 5: "an input device"
        case 6: "an imaging device"
        case 7: "a wearable device"
        case 8: "a toy"
        case 9: "a health device"
        default: nil
        }
    }
}
