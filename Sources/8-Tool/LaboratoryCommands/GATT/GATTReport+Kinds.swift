internal import BluetoothLE
internal import DeviceCommandKit
internal import EventLines
package import Kinds

// What programs read: each member once, with where it comes from.
extension GATTReport {
    /// An attribute, with what reading it came to.
    struct Shown {
        var item: PeerTable.Item
        var reading = Reading.none

        fileprivate var meaning: ValueText.Meaning? {
            reading.value.flatMap { ValueText.meaning(of: $0, item.uuid) }
        }
    }

    private typealias Member = ObjectForm<Shown>.Member

    static let device = ObjectForm<
        (address: DeviceAddress?, identifier: PeerIdentifier, name: String?)
    >(
        .text("name?", \.name), .text("address?", .address, \.address?.text),
        .text("addressType?", .addressType, \.address?.kindName),
        .init(
            "peer?", SchemaFragment.peerAddress.described("as version 0.1 had the address"),
            \.address?.json), .text("identifier", .identifier, \.identifier.text))

    private static let handle = Member("handle", .handle, \.item.handle.json)
    private static let uuid = Member.text("uuid", .uuid, \.item.uuid.text)
    private static let name = Member.text("name?", \.item.name)
    /// A value, as text or words where that is possible.
    private static let meaning = [
        Member.text("text?") { shown in
            if case .text(let text) = shown.meaning { text } else { nil }
        },
        Member.text("meaning?") { shown in
            if case .words(let words) = shown.meaning { words } else { nil }
        },
    ]
    /// A value in octets and its meaning, or why it could not be read.
    private static let reading =
        [Member.text("value?", .hexadecimal) { $0.reading.value.map(Hexadecimal.text) }] + meaning
        + [
            .text("error?") { $0.reading.refusal?.refusal },
            .number("attError?", .octet) { $0.reading.refusal.map { Int($0.rawValue) } },
        ]

    static let service = ObjectForm<Service>(
        .init("first", .handle, \.range.first.json), .init("last", .handle, \.range.last.json),
        .text("uuid", .uuid, \.uuid.text), .text("name?") { AssignedNumbers.service($0.uuid) },
        .flag("primary", \.isPrimary),
        .init("includes", .list(of: .handle)) {
            .array(($0.includedServices ?? []).map { $0.range.first.json })
        })
    static let characteristic = ObjectForm<Shown>(
        [
            Member("declaration", .handle) { $0.item.characteristic?.attributes.declaration.json },
            handle, uuid, name,
            .texts("properties", .texts) { $0.item.characteristic?.properties.names },
        ] + reading)
    static let descriptor = ObjectForm<Shown>([handle, uuid, name] + reading)
    static let value = ObjectForm<Shown>(
        [handle, uuid, .text("value", .hexadecimal) { $0.reading.value.map(Hexadecimal.text) }]
            + meaning)
    static let subscription = ObjectForm<Shown>(handle, uuid)

    /// The lines of `ancs gatt`.
    package static let schema = LineSchema(
        "gatt",
        "One object per line on standard output: the device, its attributes with their values, and what "
            + "happens then.",
        [
            LineKind("connected", "the device is connected", device),
            LineKind(
                "service", "a service; includes has the first handles of included ones", service),
            LineKind(
                "characteristic", "a characteristic, with its value if it was read", characteristic),
            LineKind("descriptor", "a descriptor, with its value if it was read", descriptor),
            LineKind("value|written", "the device sent a value, or accepted a written one", value),
            LineKind("subscribed|unsubscribed", "a subscription has begun or ended", subscription),
            LineKind(
                "rssi", "the strength of the signal",
                ["rssi": SchemaFragment.integer.described("in dBm")]),
            LineKind("servicesModified", "the services have changed and are discovered again"),
            LineKind("missed", "values were dropped because they came too fast", ["count": .count]),
        ] + PeerEvent.questions
            + PeerEvent.kinds.filter {
                ["paired", "securityFailed", "disconnected"].contains($0.name)
            })

    /// The line of an attribute for programs.
    static func line(of item: PeerTable.Item, _ reading: Reading) -> Line {
        switch item {
        case .service(let own): Line("service", service.members(of: own))
        case .characteristic:
            Line("characteristic", characteristic.members(of: Shown(item: item, reading: reading)))
        case .descriptor:
            Line("descriptor", descriptor.members(of: Shown(item: item, reading: reading)))
        }
    }
}

extension GATTReport.Reading {
    fileprivate var value: [UInt8]? { if case .value(let value) = self { value } else { nil } }

    fileprivate var refusal: ATTErrorCode? {
        if case .refused(let code) = self { code } else { nil }
    }
}
