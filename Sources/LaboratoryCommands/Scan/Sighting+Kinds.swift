internal import CommandKit
internal import JSONText
package import Values

extension Sighting {
    /// The lines of `ancs scan`.
    package static let schema = LineSchema(
        "scan", "One object per line on standard output.",
        [
            LineKind("scanning", "the scan begins or ends", ["on": .boolean]),
            LineKind(
                "discovered", "a device was heard",
                [
                    "name?": .text, "address": .address, "addressType": .addressType,
                    "identifier": .identifier,
                    "rssi?": SchemaFragment.integer.described("in dBm"), "connectable?": .boolean,
                    "services?": .uuids.filled, "overflowServices?": .uuids.filled,
                    "solicitedServices?": .uuids.filled, "appearance?": .handle,
                    "txPower?": SchemaFragment.integer.described("in dBm"),
                    "manufacturerData?": .hexadecimal,
                    "serviceData?": [
                        "type": "object", "additionalProperties": SchemaFragment.hexadecimal.json,
                    ], "likeness?": .text,
                ]),
        ])
}
