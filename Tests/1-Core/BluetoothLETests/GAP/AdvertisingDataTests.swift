import BluetoothLE
import Octets
import Testing

@Suite struct AdvertisingDataTests {
    static let ancs = BluetoothUUID(0x7905_F431_B5CE_4E99_A40F_4B1E_122D_00D0 as UInt128)

    struct Row: CustomTestStringConvertible {
        var structure: AdvertisingData.Structure
        var octets: String
        var testDescription: String { octets }
    }

    static let rows: [Row] = [
        Row(structure: .flags([.generalDiscoverable, .brEDRNotSupported]), octets: "020106"),
        Row(
            structure: .services([BluetoothUUID(0x180F as UInt16)], .short, isComplete: false),
            octets: "03020f18"),
        Row(
            structure: .services([
                BluetoothUUID(0x180F as UInt16), BluetoothUUID(0x1812 as UInt16),
            ]), octets: "05030f181218"),
        Row(
            structure: .services(
                [BluetoothUUID(0x1234_5678 as UInt32)], .medium, isComplete: false),
            octets: "050478563412"),
        Row(
            structure: .services(
                [BluetoothUUID(0x1234_5678 as UInt32)], .medium, isComplete: true),
            octets: "050578563412"),
        Row(
            structure: .services([ancs], .long, isComplete: false),
            octets: "1106d0002d121e4b0fa4994eceb531f40579"),
        Row(structure: .services([ancs]), octets: "1107d0002d121e4b0fa4994eceb531f40579"),
        Row(
            structure: .solicitedServices([BluetoothUUID(0x1805 as UInt16)]), octets: "03140518"),
        Row(
            structure: .solicitedServices([ancs]),
            octets: "1115d0002d121e4b0fa4994eceb531f40579"),
        Row(
            structure: .solicitedServices([BluetoothUUID(0x1234_5678 as UInt32)], .medium),
            octets: "051f78563412"),
        Row(structure: .localName("De", isComplete: false), octets: "03084465"),
        Row(structure: .name("Desk"), octets: "05094465736b"),
        Row(structure: .transmitPower(-4), octets: "020afc"),
        Row(structure: .appearance(0x0180), octets: "03198001"),
        Row(
            structure: .serviceData(BluetoothUUID(0x180F as UInt16), .short, [0x64]),
            octets: "04160f1864"),
        Row(
            structure: .serviceData(BluetoothUUID(0x1234_5678 as UInt32), .medium, []),
            octets: "052078563412"),
        Row(
            structure: .serviceData(ancs, .long, [1]),
            octets: "1221d0002d121e4b0fa4994eceb531f4057901"),
        Row(
            structure: .manufacturerData(company: 0x004C, [0x10, 0x05]), octets: "05ff4c001005"),
        Row(structure: .other(type: 0x24, [1, 2]), octets: "03240102"),
        Row(structure: .other(type: 0x24, []), octets: "0124"),
        // Not of the form of their type: kept as they are.
        Row(structure: .other(type: 0x01, []), octets: "0101"),
        Row(structure: .other(type: 0x03, [1]), octets: "020301"),
        Row(structure: .other(type: 0x15, [1, 2, 3]), octets: "0415010203"),
        Row(structure: .other(type: 0x21, [1]), octets: "022101"),
        Row(structure: .other(type: 0xFF, [1]), octets: "02ff01"),
        Row(structure: .other(type: 0x19, [1]), octets: "021901"),
    ]

    @Test("each structure has these octets, and the octets are the structure", arguments: rows)
    func structures(row: Row) throws {
        let data = AdvertisingData([row.structure])
        #expect(Hexadecimal.text(try data.encoded()) == row.octets)
        let octets = try #require(Hexadecimal.octets(row.octets))
        #expect(AdvertisingData.parse(octets.span) == .init(data: data, fault: nil))
    }

    @Test("a structure that is cut anywhere is left out and reported", arguments: rows)
    func truncation(row: Row) throws {
        let flags = AdvertisingData.Structure.flags(.generalDiscoverable)
        let octets = try #require(Hexadecimal.octets("020102" + row.octets))
        for count in 4..<octets.count {
            let parsed = AdvertisingData.parse(Array(octets[..<count]).span)
            #expect(parsed.data.structures == [flags])
            #expect(
                parsed.fault == .truncated(needed: octets.count - 4, available: count - 4))
        }
    }

    @Test("an accessory's data fit into 31 octets and are read back")
    func accessory() throws {
        let data = AdvertisingData([
            .flags([.generalDiscoverable, .brEDRNotSupported]), .solicitedServices([Self.ancs]),
            .name("Desk Bt"),
        ])
        let octets = try data.encoded()
        #expect(
            Hexadecimal.text(octets)
                == "0201061115d0002d121e4b0fa4994eceb531f40579" + "08094465736b204274")
        let parsed = AdvertisingData.parse(octets.span).data
        #expect(parsed.flags == [.generalDiscoverable, .brEDRNotSupported])
        #expect(parsed.solicitedServices == [Self.ancs])
        #expect(parsed.services.isEmpty)
        #expect(parsed.localName == "Desk Bt")
    }

    @Test("a length of 0 ends the data")
    func earlyTermination() {
        let parsed = AdvertisingData.parse([0x02, 0x01, 0x06, 0x00, 0x05, 0x09].span)
        #expect(parsed.data.structures == [.flags([.generalDiscoverable, .brEDRNotSupported])])
        #expect(parsed.fault == nil)
    }

    @Test("data that do not fit are refused with the number of excess octets")
    func tooLong() throws {
        let data = AdvertisingData([.name("A name of thirty octets, I say")])
        #expect(throws: AdvertisingData.EncodingError.tooLong(excess: 1)) {
            try data.encoded()
        }
        #expect(try data.encoded(limit: 32).count == 32)
    }

    @Test("a structure that is longer than its length field can express is refused, with any limit")
    func structureTooLong() throws {
        let fits = AdvertisingData([.other(type: 0xFE, [UInt8](repeating: 0, count: 254))])
        #expect(try fits.encoded(limit: 1650).count == 256)
        let data = AdvertisingData([.other(type: 0xFE, [UInt8](repeating: 0, count: 255))])
        #expect(throws: AdvertisingData.EncodingError.structureTooLong(type: 0xFE)) {
            try data.encoded(limit: 1650)
        }
    }

    @Test(
        "a UUID is not cut to a shorter form",
        arguments: [
            AdvertisingData.UUIDWidth.short, .medium,
        ])
    func uuidTooWide(width: AdvertisingData.UUIDWidth) {
        let data = AdvertisingData([.solicitedServices([Self.ancs], width)])
        #expect(throws: AdvertisingData.EncodingError.uuidTooWide(Self.ancs)) {
            try data.encoded()
        }
    }

    @Test(
        "a name that is not UTF-8 is repaired",
        arguments: [
            ("0509446573ff", "Des\u{FFFD}", true), ("05084465c3", "De\u{FFFD}", false),
            ("0409e9e8ff", "\u{FFFD}\u{FFFD}\u{FFFD}", true),
        ])
    func repairedName(_ text: String, _ name: String, _ isComplete: Bool) throws {
        var octets = try #require(Hexadecimal.octets(text))
        octets[0] = UInt8(octets.count - 1)
        let parsed = AdvertisingData.parse(octets.span)
        #expect(parsed.data.structures == [.localName(name, isComplete: isComplete)])
        #expect(parsed.data.localName == name)
    }

    @Test("a list of UUIDs with stray octets keeps its whole ones")
    func strayOctets() throws {
        let whole = [BluetoothUUID(0x180F as UInt16), BluetoothUUID(0x1812 as UInt16)]
        let rows: [(String, AdvertisingData.Structure)] = [
            ("06030f18121801", .services(whole)),
            ("04020f1801", .services([whole[0]], .short, isComplete: false)),
            (
                "080478563412010203",
                .services([BluetoothUUID(0x1234_5678 as UInt32)], .medium, isComplete: false)
            ),
            ("04140f1801", .solicitedServices([whole[0]], .short)),
            ("1215d0002d121e4b0fa4994eceb531f4057901", .solicitedServices([Self.ancs])),
        ]
        for (text, structure) in rows {
            let octets = try #require(Hexadecimal.octets(text))
            #expect(AdvertisingData.parse(octets.span).data.structures == [structure])
        }
    }

    @Test("flags may have more octets than are assigned")
    func longFlags() {
        let parsed = AdvertisingData.parse([0x03, 0x01, 0x06, 0x01].span)
        #expect(parsed.data.flags == [.generalDiscoverable, .brEDRNotSupported])
    }

    @Test("arbitrary octets are read, and decoded values are encoded and decoded unchanged")
    func hostile() throws {
        for seed in UInt8.min...UInt8.max {
            let octets = (0..<31).map { UInt8(truncatingIfNeeded: Int(seed) &* 31 &+ $0 &* $0) }
            let parsed = AdvertisingData.parse(octets.span).data
            // Repaired names are longer.
            let again = try parsed.encoded(limit: 31 * 3)
            #expect(AdvertisingData.parse(again.span).data == parsed)
        }
    }
}
