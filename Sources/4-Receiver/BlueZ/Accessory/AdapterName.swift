public import BluetoothTypes
package import DBus

/// Selects an adapter of bluetoothd.
public enum AdapterName: Equatable, Sendable {
    /// Any usable adapter; the first of several.
    case any
    /// The one with this name: `hci0`.
    case interface(String)
    /// The one with this address, whatever its name.
    case address(DeviceAddress)

    /// Parses `any`, `hci0` or `00:11:22:33:44:55`; `nil` for any other text.
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

    /// Whether it is this adapter, or one of those that it may be.
    package func means(_ path: ObjectPath, _ adapter: AdapterObject) -> Bool {
        switch self {
        case .any: true
        case .interface(let name): path.lastElement == name
        case .address(let address): adapter.address == address.text
        }
    }
}

extension AdapterName: CustomStringConvertible {
    /// The text that ``init(_:)`` parses.
    public var description: String {
        switch self {
        case .any: "any"
        case .interface(let name): name
        case .address(let address): address.text
        }
    }
}
