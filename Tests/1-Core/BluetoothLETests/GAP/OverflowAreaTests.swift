import BluetoothLE
import Octets
import Testing

@Suite struct OverflowAreaTests {
    static let ancs = AdvertisementPlanTests.ancs
    static let battery = BluetoothUUID(0x180F as UInt16)

    @Test("the filter has these octets")
    func octets() throws {
        let rows: [([BluetoothUUID], String)] = [
            ([Self.ancs], "12ffffff4f" + "0000000000018080400002900000"),
            ([Self.battery], "12ffffff4f" + "0008000000000042014200000400"),
            ([Self.battery, Self.ancs], "12ffffff4f" + "00080000000180c2414202900400"),
        ]
        for (uuids, octets) in rows {
            let data = AdvertisingData([OverflowArea(uuids).structure])
            #expect(Hexadecimal.text(try data.encoded()) == octets)
            #expect(try data.encoded().count == OverflowArea.size)
            let air = try #require(Hexadecimal.octets(octets))
            #expect(AdvertisingData.parse(air.span).data.overflowArea == OverflowArea(uuids))
        }
    }

    @Test("a UUID that is in the area is always found, in each of its forms")
    func noFalseNegatives() {
        var generator = SeededGenerator(seed: 4)
        for count in 0...40 {
            let uuids = (0..<count).map { _ in
                BluetoothUUID(UInt128.random(in: 0 ... .max, using: &generator))
            }
            let area = OverflowArea(uuids)
            #expect(uuids.allSatisfy(area.mayContain))
        }
        let long = BluetoothUUID(0x0000_180F_0000_1000_8000_0080_5F9B_34FB as UInt128)
        #expect(OverflowArea([long]).mayContain(Self.battery))
    }

    /// UUIDs as they are met: random ones, those of the Bluetooth SIG, and neighbors of one vendor.
    enum Family: CaseIterable {
        case random, assigned, neighbours

        func uuid(_ number: Int, using generator: inout SeededGenerator) -> BluetoothUUID {
            switch self {
            case .random: BluetoothUUID(UInt128.random(in: 0 ... .max, using: &generator))
            case .assigned: BluetoothUUID(UInt16(0x1800 + number % 0x1000))
            case .neighbours:
                BluetoothUUID(
                    0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E as UInt128
                        + UInt128(number) << 96)
            }
        }
    }

    @Test(
        "a UUID that is not in the area is found about as often as documented",
        arguments: [(1, 0.0001), (2, 0.0002), (4, 0.0006), (8, 0.004), (16, 0.065)],
        Family.allCases)
    func falsePositives(size: (count: Int, limit: Double), family: Family) {
        var generator = SeededGenerator(seed: UInt64(size.count))
        var (asked, found) = (0, 0)
        for area in 0..<50 {
            let all = (0..<220).map { family.uuid(area * 300 + $0, using: &generator) }
            let filter = OverflowArea(Array(all.prefix(size.count)))
            for stranger in all.dropFirst(size.count) {
                asked += 1
                if filter.mayContain(stranger) { found += 1 }
            }
        }
        #expect(Double(found) / Double(asked) <= size.limit)
    }

    @Test("an empty area holds nothing, a full one may hold everything")
    func extremes() {
        #expect(!OverflowArea([]).mayContain(Self.ancs))
        let full = AdvertisingData.Structure.manufacturerData(
            company: 0xFFFF, [0x4F] + [UInt8](repeating: 0xFF, count: 14))
        #expect(OverflowArea(full)?.mayContain(Self.ancs) == true)
    }

    @Test("data with another company, marker or length is not an area")
    func strangers() {
        let filter = [UInt8](repeating: 0x55, count: 14)
        for structure: AdvertisingData.Structure in [
            .manufacturerData(company: 0x004C, [0x4F] + filter),
            .manufacturerData(company: 0xFFFF, [0x01] + filter),
            .manufacturerData(company: 0xFFFF, [0x4F] + filter + [0]),
            .manufacturerData(company: 0xFFFF, [0x4F] + filter.dropLast()),
            .manufacturerData(company: 0xFFFF, []), .name("O"),
            .other(type: 0xFF, [0xFF]),
        ] {
            #expect(OverflowArea(structure) == nil)
        }
    }

    @Test("garbage in the air is an area or none, and never more")
    func garbage() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<5000 {
            let count = Int.random(in: 0...31, using: &generator)
            var octets = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // Half of the time what begins as an area does.
            if Bool.random(using: &generator) {
                octets.replaceSubrange(
                    0..<min(5, count), with: [0x12, 0xFF, 0xFF, 0xFF, 0x4F].prefix(count))
            }
            let data = AdvertisingData.parse(octets.span).data
            guard let area = data.overflowArea else { continue }
            #expect(count >= OverflowArea.size)
            #expect(data.structures.contains(area.structure))
        }
    }
}
