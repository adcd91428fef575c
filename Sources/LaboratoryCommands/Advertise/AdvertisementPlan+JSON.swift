internal import BluetoothLE
internal import BluetoothTypes
internal import JSONText
internal import Octets

extension AdvertisementPlan {
    /// The members of an event that shows what is on air, octet by octet, and where each item was placed.
    var jsonMembers: [JSONValue.Member] {
        [
            .init("background", .boolean(wanted.isInBackground)),
            .init(
                "advertisement", Self.json(advertisementOctets, free: freeInAdvertisement)),
            .init("scanResponse", Self.json(scanResponseOctets, free: freeInScanResponse)),
            .init("items", .array(placements.map(Self.json))),
        ]
    }

    private static func json(_ octets: [UInt8], free: Int) -> JSONValue {
        [
            "octets": .string(Hexadecimal.text(octets)), "used": .integer(octets.count),
            "free": .integer(free),
        ]
    }

    private static func json(_ placement: Placement) -> JSONValue {
        let item: KeyValuePairs<String, JSONValue?> =
            switch placement.item {
            case .localName(let name):
                [
                    "item": "name", "value": .string(name), "octets": .integer(name.utf8.count),
                ]
            case .service(let uuid): ["item": "service", "value": .string(uuid.text)]
            case .solicitedService(let uuid):
                ["item": "solicitedService", "value": .string(uuid.text)]
            case .appearance(let number):
                ["item": "appearance", "value": .integer(Int(number))]
            }
        return .object(
            [JSONValue.Member](present: item)
                + [JSONValue.Member](present: [
                    "place": .string(placement.place.name),
                    "shortenedTo": placement.shortenedTo.map { .integer($0) },
                ]))
    }
}

extension AdvertisementPlan.Place {
    /// The word in JSON.
    fileprivate var name: String {
        switch self {
        case .advertisement: "advertisement"
        case .scanResponse: "scanResponse"
        case .overflow: "overflow"
        case .leftOut: "leftOut"
        }
    }
}
