internal import ANCSEvents
internal import CommandKit
internal import EventLines
package import Kinds

extension GATTReport {
    private static let range: LineKind.Members = ["first": .handle, "last": .handle]
    private static let named: LineKind.Members = ["uuid": .uuid, "name?": .text]
    private static let attribute: LineKind.Members = ["handle": .handle, "uuid": .uuid]
    /// A value in octets, and as text or words where that is possible; or why it could not be read.
    private static let reading: LineKind.Members = [
        "value?": .hexadecimal, "text?": .text, "meaning?": .text, "error?": .text,
        "attError?": .octet,
    ]

    /// The lines of `ancs gatt`.
    package static let schema = LineSchema(
        "gatt",
        "One object per line on standard output: the device, its attributes with their values, and what "
            + "happens then.",
        [
            LineKind(
                "connected", "the device is connected",
                [
                    "name?": .text, "address?": .address, "addressType?": .addressType,
                    "peer?": .peerAddress.described("as version 0.1 had the address"),
                    "identifier": .identifier,
                ]),
            LineKind(
                "service", "a service; includes has the first handles of included ones", range,
                named, ["primary": .boolean, "includes": .list(of: .handle)]),
            LineKind(
                "characteristic", "a characteristic, with its value if it was read",
                ["declaration": .handle, "handle": .handle], named, ["properties": .texts], reading),
            LineKind(
                "descriptor", "a descriptor, with its value if it was read", ["handle": .handle],
                named, reading),
            LineKind(
                "value|written", "the device sent a value, or accepted a written one", attribute,
                ["value": .hexadecimal, "text?": .text, "meaning?": .text]),
            LineKind(
                "subscribed|unsubscribed", "a subscription has begun or ended", attribute),
            LineKind(
                "rssi", "the strength of the signal",
                ["rssi": SchemaFragment.integer.described("in dBm")]),
            LineKind("servicesModified", "the services have changed and are discovered again"),
            LineKind(
                "missed", "values were dropped because they came too fast", ["count": .count]),
        ] + PeerEvent.questions
            + PeerEvent.kinds.filter {
                ["paired", "securityFailed", "disconnected"].contains($0.name)
            })
}
