import BluetoothLE
import BluetoothTypes
import JSONText
import Testing
import Kinds

@testable import LaboratoryCommands
@testable import Printing

@Suite struct AdvertisementPlanTests {
    private static let ancs = BluetoothUUID(text: "7905F431-B5CE-4E99-A40F-4B1E122D00D0")

    private static func plan(
        _ wanted: AdvertisementPlan.Wanted
    ) throws -> AdvertisementPlan { try AdvertisementPlan(wanted) }

    private static func text(_ plan: AdvertisementPlan) -> [String] {
        LinePrinter(isJSON: false, isColored: false).output(plan.lines)
    }

    @Test("a person sees where everything went, and every octet")
    func text() throws {
        let plan = try Self.plan(
            .init(
                localName: "Thermometer",
                services: [
                    try #require(Self.ancs), BluetoothUUID(0x180F as UInt16),
                    BluetoothUUID(0xC0DE_0000_B5CE_4E99_A40F_4B1E_122D_0000 as UInt128),
                ]))
        #expect(
            Self.text(plan) == [
                "  ✓ service  7905F431-B5CE-4E99-A40F-4B1E122D00D0 (ANCS)  advertisement",
                "  ✓ service  180F (Battery)                               advertisement",
                "  ~ service  C0DE0000-B5CE-4E99-A40F-4B1E122D0000         overflow area: found only by scanners that ask for it",
                "  ~ name     \"Thermometer\"                                advertisement, shortened to 4 of 11 octets",
                "  ~ name     \"Thermometer\"                                scan response, shortened to 10 of 11 octets",
                "",
                "advertisement: 31 of 31 octets",
                "  02 01 06                 flags: general discoverable, no BR/EDR",
                "  03 03 0F 18              services: 180F",
                "  11 06 D0 00 2D 12 1E 4B  services, incomplete: 7905F431-B5CE-4E99-A40F-4B1E122D00D0",
                "  0F A4 99 4E CE B5 31 F4",
                "  05 79",
                "  05 08 54 68 65 72        name, shortened: \"Ther\"",
                "",
                "scan response: 31 of 31 octets",
                "  0B 08 54 68 65 72 6D 6F  name, shortened: \"Thermomete\"",
                "  6D 65 74 65",
                "  12 FF FF FF 4F 02 00 00  overflow area",
                "  00 00 00 00 10 01 00 00",
                "  21 82 00",
            ])
    }

    @Test("in the background the name is marked as missing")
    func background() throws {
        let plan = try Self.plan(.init(localName: "Desk", isInBackground: true))
        #expect(
            Self.text(plan) == [
                "  ✗ name  \"Desk\"  not on air", "", "advertisement: 3 of 31 octets",
                "  02 01 06  flags: general discoverable, no BR/EDR", "",
                "scan response: 0 of 31 octets",
            ])
    }

    @Test("several 128-bit UUIDs have a line each, and a wide name keeps the columns")
    func columns() throws {
        let plan = try Self.plan(
            .init(
                localName: "日本", services: [BluetoothUUID(0x180D as UInt16)],
                solicitedServices: [try #require(Self.ancs), BluetoothUUID(0x1805 as UInt16)],
                appearance: 0xC1))
        let lines = Self.text(plan)
        #expect(lines.contains("  03 14 05 18              solicited: 1805"))
        #expect(
            lines[4]
                == "  ✓ name        \"日本\"                                       scan response")
    }

    @Test("a program gets the same as one object")
    func json() throws {
        let plan = try Self.plan(
            .init(
                localName: "Thermometer", services: [try #require(Self.ancs)],
                solicitedServices: [BluetoothUUID(0x1805 as UInt16)], appearance: 0xC1))
        let text = AdvertisementPlan.form.json(of: plan).text
        #expect(
            text == #"{"background":false,"#
                + #""advertisement":{"octets":"020106031405180319c1001107d0002d121e4b0fa4994eceb531f40579","#
                + #""used":29,"free":2},"#
                + #""scanResponse":{"octets":"0b08546865726d6f6d657465","used":12,"free":19},"#
                + #""items":[{"item":"solicitedService","value":"1805","place":"advertisement"},"#
                + #"{"item":"appearance","value":193,"place":"advertisement"},"#
                + #"{"item":"service","value":"7905F431-B5CE-4E99-A40F-4B1E122D00D0","#
                + #""place":"advertisement"},"#
                + #"{"item":"name","value":"Thermometer","octets":11,"place":"scanResponse","#
                + #""shortenedTo":10}]}"#)
    }
}
