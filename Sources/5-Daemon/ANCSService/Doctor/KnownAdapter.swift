internal import CTables

/// What people report about an adapter with iPhones or with Low Energy: a row of the table *Adapters* in
/// Documentation/Development/Adapters.md, where the sources are.
package struct KnownAdapter: Equatable, Sendable {
    /// The maker and the chip.
    package var name: String
    /// As ``AdapterHardware/identifier``.
    package var identifiers: [String]
    /// The reports, in one sentence without a period.
    package var report: String
    /// Whether users of such an adapter should expect problems.
    package var isTroubled: Bool

    /// Reads a row of adapters.txt; `nil` if it is none.
    private init?(row: Substring) {
        let lines = row.split(separator: "\n")
        guard lines.count == 3, let mark = lines[1].first, "+-".contains(mark) else { return nil }
        name = String(lines[0])
        identifiers = lines[1].dropFirst().split(separator: " ").map(String.init)
        report = String(lines[2])
        isTroubled = mark == "-"
    }

    /// The adapter with this identifier; `nil` if nothing is known about it.
    package static func of(_ identifier: String) -> KnownAdapter? {
        all.first { $0.identifiers.contains(identifier) }
    }

    /// Companies that make Bluetooth controllers: Assigned Numbers, 7.1.
    static let makers: [UInt16: String] = [
        0x0002: "Intel", 0x000A: "Cambridge Silicon Radio", 0x000F: "Broadcom", 0x001D: "Qualcomm",
        0x0046: "MediaTek", 0x0059: "Nordic Semiconductor", 0x005D: "Realtek",
        0x0131: "Cypress Semiconductor", 0x05F1: "Linux Foundation (software)",
    ]

    /// adapters.txt, in the order of the page.
    package static let all = String(cString: ctables_adapters()).split(separator: "\n\n")
        .compactMap(KnownAdapter.init)
}
