internal import BluetoothLE
internal import DeviceCommandKit

// What is on air: where each item was placed, and both PDUs octet by octet.

extension AdvertisementPlan {
    /// The object that programs read.
    static let form = ObjectForm<AdvertisementPlan>(
        .flag("background", \.wanted.isInBackground),
        .object("advertisement", placed) {
            ($0.advertisementOctets, $0.freeInAdvertisement)
        }, .object("scanResponse", placed) { ($0.scanResponseOctets, $0.freeInScanResponse) },
        .objects("items", Placement.form, \.placements))

    private static let placed = ObjectForm<(octets: [UInt8], free: Int)>(
        .text("octets", .hexadecimal) { Hexadecimal.text($0.octets) },
        .number("used", .count, \.octets.count), .number("free", .count, \.free)
    ).defined(as: "placed")

    /// What people read.
    var lines: [Line] {
        let gap = [Line(told: "", .plain)]
        return placements.map(\.line) + (placements.isEmpty ? [] : gap)
            + Self.lines(of: "advertisement", advertisement.data, advertisementOctets) + gap
            + Self.lines(of: "scan response", advertisement.scanResponse, scanResponseOctets)
    }

    private static func lines(
        of name: String, _ data: AdvertisingData, _ octets: [UInt8]
    ) -> [Line] {
        let room = "\(name): \(octets.count) of \(AdvertisingData.legacyLimit) octets"
        return [Line(told: room, .heading)] + data.structures.flatMap(\.lines)
    }
}

extension AdvertisementPlan.Placement {
    fileprivate static let form = ObjectForm<Self>(
        .word("item", \.item.kind),
        .init("value", ["type": ["string", "integer"]], \.item.json),
        .number("octets?", .count, \.item.count),
        .text(
            "place", .words(["advertisement", "scanResponse", "overflow", "leftOut"]), \.place.word),
        .number("shortenedTo?", .count, \.shortenedTo))

    fileprivate var line: Line {
        let (mark, words): (Line.Mark, String) =
            switch place {
            case .advertisement, .scanResponse:
                if let shortenedTo, let count = item.count {
                    (.partly, "\(place.text), shortened to \(shortenedTo) of \(count) octets")
                } else {
                    (.good, place.text)
                }
            case .overflow: (.partly, "overflow area: found only by scanners that ask for it")
            case .leftOut: (.bad, "not on air")
            }
        return Line(told: words, .marked(mark)).after(item.kind.text, item.text)
    }
}

extension AdvertisementPlan.Place {
    fileprivate var word: String {
        switch self {
        case .advertisement: "advertisement"
        case .scanResponse: "scanResponse"
        case .overflow: "overflow"
        case .leftOut: "leftOut"
        }
    }

    /// The PDU.
    fileprivate var text: String { self == .scanResponse ? "scan response" : word }
}

extension AdvertisementPlan.Item {
    fileprivate enum Kind: String, CaseIterable {
        case name, service, solicitedService, appearance

        var text: String { self == .solicitedService ? "solicited" : rawValue }
    }

    fileprivate var kind: Kind {
        switch self {
        case .localName: .name
        case .service: .service
        case .solicitedService: .solicitedService
        case .appearance: .appearance
        }
    }

    fileprivate var json: JSONValue {
        switch self {
        case .localName(let name): .string(name)
        case .service(let uuid), .solicitedService(let uuid): .string(uuid.text)
        case .appearance(let number): .integer(Int(number))
        }
    }

    /// The octets of a name.
    fileprivate var count: Int? {
        if case .localName(let name) = self { name.utf8.count } else { nil }
    }

    /// What people read, with the assigned name.
    fileprivate var text: String {
        let (number, name) =
            switch self {
            case .localName(let name): ("\"\(name)\"", String?.none)
            case .service(let uuid), .solicitedService(let uuid):
                (uuid.text, AssignedNumbers.service(uuid))
            case .appearance(let number): (number.hexadecimal, AssignedNumbers.appearance(number))
            }
        return number + (name.map { " (\($0))" } ?? "")
    }
}

extension AdvertisingData.Structure {
    /// The number of octets shown in a line.
    private static let octetsPerLine = 8

    /// Its octets, and beside them what they mean.
    fileprivate var lines: [Line] {
        let octets = (try? AdvertisingData([self]).encoded(limit: .max)) ?? []
        let rows = stride(from: 0, to: octets.count, by: Self.octetsPerLine).map { start in
            octets[start..<min(start + Self.octetsPerLine, octets.count)]
                .map { Hexadecimal.text([$0]).uppercased() }.joined(separator: " ")
        }
        let meanings = meanings
        return (0..<max(rows.count, meanings.count)).map { index in
            Line(told: index < meanings.count ? meanings[index] : "", .item)
                .after(index < rows.count ? rows[index] : "")
        }
    }

    /// The meaning, one line each.
    private var meanings: [String] {
        switch self {
        case .flags: return ["flags: general discoverable, no BR/EDR"]
        case .services(let uuids, _, let isComplete):
            return Self.list(isComplete ? "services: " : "services, incomplete: ", uuids)
        case .solicitedServices(let uuids, _): return Self.list("solicited: ", uuids)
        case .localName(let name, let isComplete):
            return [(isComplete ? "name: " : "name, shortened: ") + "\"\(name)\""]
        case .appearance(let appearance): return ["appearance: \(appearance.hexadecimal)"]
        case .manufacturerData: return ["overflow area"]
        case .transmitPower, .serviceData, .other: return []
        }
    }

    /// 128-bit UUIDs get a line each.
    private static func list(_ title: String, _ uuids: [BluetoothUUID]) -> [String] {
        guard uuids.contains(where: { $0.shortValue == nil }) else {
            return [title + uuids.map(\.text).joined(separator: " ")]
        }
        let indent = String(repeating: " ", count: title.count)
        return uuids.enumerated().map { ($0 == 0 ? title : indent) + $1.text }
    }
}
