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

    private init(_ name: String, _ identifiers: [String], troubled: Bool = true, _ report: String) {
        self.name = name
        self.identifiers = identifiers
        self.report = report
        isTroubled = troubled
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

    /// All rows, in the order of the page.
    package static let all = [
        KnownAdapter(
            "Intel AX200, AX201, AX210, AX211, BE200",
            ["8087:0029", "8087:0026", "8087:0032", "8087:0033", "8087:0036"], troubled: false,
            "iPhones pair over Low Energy and come back by themselves; with an AX211 some did not"),
        KnownAdapter(
            "Intel Wireless-AC 9260", ["8087:0025"],
            "data can arrive before the event that announces its link, and is then lost"),
        KnownAdapter(
            "Edimax USB adapter", ["7392:c611"],
            "data can arrive before the event that announces its link, and is then lost"),
        KnownAdapter(
            "Realtek RTL8852AE", ["0bda:4852"],
            "data arrives about 10 ms before the event that announces its link, and is then lost; links "
                + "drop often"),
        KnownAdapter(
            "Realtek RTL8761B, also as TP-Link UB500", ["0bda:8771", "2357:0604"],
            "with the firmware 0xdfc6d922 links drop often; iPhones that were paired over BR/EDR never "
                + "connected over Low Energy"),
        KnownAdapter(
            "Realtek RTL8852BE and other combined cards",
            ["0bda:b85b", "0bda:4853", "0bda:8922", "0bda:c85c"],
            "iPhones that were paired over BR/EDR did not connect over Low Energy, or did after a while"
        ),
        KnownAdapter(
            "CSR8510 and its clones", ["0a12:0001"],
            "genuine ones keep Low Energy links well; many clones fail to start, or an iPhone never "
                + "connects to them over Low Energy"),
        KnownAdapter(
            "Broadcom BCM20702", ["0a5c:21e8"],
            "Low Energy links are steady with a firmware file; whether iPhones send notifications is "
                + "disputed"),
        KnownAdapter(
            "Broadcom and Cypress chips of the Raspberry Pi",
            ["brcm,bcm43438-bt", "brcm,bcm4345c5"],
            "with firmware of 2020 to 2022 pairing timed out and newer phones were disconnected; later "
                + "firmware helps"),
        KnownAdapter(
            "MediaTek MT7922", ["0e8d:0616"], troubled: false,
            "an iPhone paired, and its notifications arrived"),
        KnownAdapter(
            "MediaTek MT7925", ["0e8d:0717"],
            "an iPhone connected over Low Energy and showed ANCS, but no notifications arrived"),
        KnownAdapter(
            "Barrot USB adapter", ["33fa:0010"],
            "notifications arrived, but the adapter resets again and again while the phone is away"),
        KnownAdapter(
            "Qualcomm Atheros QCA6174", ["0cf3:e300"],
            "Low Energy connections time out"),
    ]
}
