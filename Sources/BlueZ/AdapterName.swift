public import BluetoothLE

/// Which adapter of bluetoothd is meant.
public enum AdapterName: Hashable, Sendable {
    /// Whichever can be used; the first one of several.
    case any
    /// The one with this name: `hci0`.
    case interface(String)
    /// The one with this address, whatever its name is today.
    case address(DeviceAddress)

    /// What a user says: `any`, `hci0` or `00:11:22:33:44:55`.
    public init?(_ text: String) {
        if text == "any" {
            self = .any
        } else if text.hasPrefix("hci"), (1...5).contains(text.utf8.count - 3),
            text.utf8.dropFirst(3).allSatisfy({ (0x30...0x39).contains($0) })
        {
            self = .interface(text)
        } else if let address = DeviceAddress(text: text, kind: .public) {
            self = .address(address)
        } else {
            return nil
        }
    }
}

extension AdapterName: CustomStringConvertible {
    /// As a user says it.
    public var description: String {
        switch self {
        case .any: "any"
        case .interface(let name): name
        case .address(let address): address.text
        }
    }
}
