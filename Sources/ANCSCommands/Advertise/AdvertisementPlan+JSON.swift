internal import ANCSService
internal import ANCSKit
internal import BluetoothLE
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
        let item: [JSONValue.Member] =
            switch placement.item {
            case .localName(let name):
                [
                    .init("item", "name"), .init("value", .string(name)),
                    .init("octets", .integer(name.utf8.count)),
                ]
            case .service(let uuid): [.init("item", "service"), .init("value", .string(uuid.text))]
            case .solicitedService(let uuid):
                [.init("item", "solicitedService"), .init("value", .string(uuid.text))]
            case .appearance(let appearance):
                [.init("item", "appearance"), .init("value", .integer(Int(appearance)))]
            }
        let shortened = placement.shortenedTo.map {
            JSONValue.Member("shortenedTo", .integer($0))
        }
        return .object(
            item + [.init("place", .string(placement.place.name))] + (shortened.map { [$0] } ?? []))
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
