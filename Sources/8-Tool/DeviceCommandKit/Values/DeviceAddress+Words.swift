internal import BluetoothTypes
package import JSONText

extension DeviceAddress {
    /// The address and its kind.
    package var json: JSONValue { ["address": .string(text), "kind": .string(kindName)] }

    /// The kind in one word.
    package var kindName: String {
        switch randomKind {
        case nil: "public"
        case .static: "static"
        case .resolvablePrivate: "resolvable"
        case .nonResolvablePrivate: "nonResolvable"
        case .reserved: "reserved"
        }
    }

    /// The address, and what kind it is.
    package var textAndKind: String { "\(text) (\(kindText))" }

    /// What kind of address it is.
    package var kindText: String {
        switch randomKind {
        case nil: "public"
        case .static: "static random"
        case .resolvablePrivate: "resolvable private"
        case .nonResolvablePrivate: "non-resolvable private"
        case .reserved: "reserved"
        }
    }
}
