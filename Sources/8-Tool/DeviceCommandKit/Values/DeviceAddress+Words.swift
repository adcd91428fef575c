internal import BluetoothTypes
package import JSONText

extension DeviceAddress {
    /// The address and its kind.
    package var json: JSONValue { ["address": .string(text), "kind": .string(kindName)] }

    /// The kind in one word, for programs, and as people read it.
    private var kind: (name: String, text: String) {
        switch randomKind {
        case nil: ("public", "public")
        case .static: ("static", "static random")
        case .resolvablePrivate: ("resolvable", "resolvable private")
        case .nonResolvablePrivate: ("nonResolvable", "non-resolvable private")
        case .reserved: ("reserved", "reserved")
        }
    }

    /// The kind in one word.
    package var kindName: String { kind.name }

    /// The address, and what kind it is.
    package var textAndKind: String { "\(text) (\(kindText))" }

    /// What kind of address it is.
    package var kindText: String { kind.text }

    /// The same, abbreviated.
    package var kindWord: String { String(kindText.prefix { $0 != " " }) }
}
