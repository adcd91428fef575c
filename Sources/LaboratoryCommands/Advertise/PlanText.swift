internal import BluetoothLE
internal import BluetoothTypes
internal import CommandKit
internal import Octets
internal import Terminal

/// A description, for users, of what is on air: where each item was placed, then both PDUs octet by octet.
struct PlanText: Sendable {
    private let plan: AdvertisementPlan
    private let paint: TerminalPaint

    init(_ plan: AdvertisementPlan, isColored: Bool) {
        self.plan = plan
        paint = TerminalPaint(isColored: isColored)
    }

    /// The number of octets shown in a line.
    private static let octetsPerLine = 8

    var lines: [String] { placements + pdus }

    // MARK: Where everything went

    private enum Mark: String {
        case whole = "✓"
        case partly = "~"
        case missing = "✗"

        var style: TerminalPaint.Style {
            switch self {
            case .whole: .good
            case .partly: .partly
            case .missing: .bad
            }
        }
    }

    private var placements: [String] {
        let rows = plan.placements.map { (label: Self.label($0.item), placement: $0) }
        guard !rows.isEmpty else { return [] }
        let width = rows.map { TerminalText.width(of: $0.label.text) }.max() ?? 0
        return rows.map { label, placement in
            let (mark, place) = Self.place(placement)
            return "  " + paint(mark.rawValue, mark.style) + " "
                + TerminalText.padded(label.kind, to: 11)
                + TerminalText.padded(label.text, to: width + 2) + place
        } + [""]
    }

    private static func label(_ item: AdvertisementPlan.Item) -> (kind: String, text: String) {
        switch item {
        case .localName(let name): ("name", quoted(name))
        case .service(let uuid): ("service", description(of: uuid))
        case .solicitedService(let uuid): ("solicited", description(of: uuid))
        case .appearance(let appearance):
            ("appearance", named(hexadecimal(appearance), AssignedNumbers.appearance(appearance)))
        }
    }

    private static func description(of uuid: BluetoothUUID) -> String {
        named(uuid.text, AssignedNumbers.service(uuid))
    }

    private static func named(_ number: String, _ name: String?) -> String {
        name.map { "\(number) (\($0))" } ?? number
    }

    private static func place(_ placement: AdvertisementPlan.Placement) -> (Mark, String) {
        switch placement.place {
        case .advertisement, .scanResponse:
            let place =
                placement.place == .advertisement ? "advertisement" : "scan response"
            guard let count = placement.shortenedTo, case .localName(let name) = placement.item
            else { return (.whole, place) }
            return (.partly, "\(place), shortened to \(count) of \(name.utf8.count) octets")
        case .overflow: return (.partly, "overflow area: found only by scanners that ask for it")
        case .leftOut: return (.missing, "not on air")
        }
    }

    // MARK: Octets

    private var pdus: [String] {
        pdu("advertisement", plan.advertisement.data, plan.advertisementOctets.count) + [""]
            + pdu("scan response", plan.advertisement.scanResponse, plan.scanResponseOctets.count)
    }

    private func pdu(_ name: String, _ data: AdvertisingData, _ count: Int) -> [String] {
        [paint(name, .bold) + ": \(count) of \(AdvertisingData.legacyLimit) octets"]
            + data.structures.flatMap(lines)
    }

    private func lines(of structure: AdvertisingData.Structure) -> [String] {
        let octets = (try? AdvertisingData([structure]).encoded(limit: .max)) ?? []
        let starts = stride(from: 0, to: octets.count, by: Self.octetsPerLine)
        let rows = starts.map { start in
            octets[start..<min(start + Self.octetsPerLine, octets.count)]
                .map { Hexadecimal.text([$0]).uppercased() }.joined(separator: " ")
        }
        let meanings = Self.meanings(of: structure)
        return (0..<max(rows.count, meanings.count)).map { index in
            let row = index < rows.count ? rows[index] : ""
            guard index < meanings.count else { return "  " + row }
            return "  " + TerminalText.padded(row, to: 3 * Self.octetsPerLine + 1) + meanings[index]
        }
    }

    /// The meaning of a structure, one line each.
    private static func meanings(of structure: AdvertisingData.Structure) -> [String] {
        switch structure {
        case .flags: return ["flags: general discoverable, no BR/EDR"]
        case .services(let uuids, _, let isComplete):
            return list(isComplete ? "services: " : "services, incomplete: ", uuids)
        case .solicitedServices(let uuids, _): return list("solicited: ", uuids)
        case .localName(let name, let isComplete):
            return [(isComplete ? "name: " : "name, shortened: ") + quoted(name)]
        case .appearance(let appearance): return ["appearance: \(hexadecimal(appearance))"]
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

    private static func quoted(_ name: String) -> String { "\"\(TerminalText.visible(name))\"" }

    private static func hexadecimal(_ value: UInt16) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
