import BluetoothLE
import Octets
import Testing

@Suite struct AdvertisementPlanTests {
    typealias Wanted = AdvertisementPlan.Wanted

    static let ancs = BluetoothUUID(0x7905_F431_B5CE_4E99_A40F_4B1E_122D_00D0 as UInt128)

    /// Different UUIDs of a size in octets.
    static func uuid(_ size: Int, _ index: Int) -> BluetoothUUID {
        switch size {
        case 2: BluetoothUUID(0x1800 + UInt16(index))
        case 4: BluetoothUUID(0xABCD_0000 + UInt32(index))
        default:
            BluetoothUUID(0xC0DE_0000_B5CE_4E99_A40F_4B1E_122D_0000 as UInt128 + UInt128(index))
        }
    }

    /// A name of so many octets, as many of its characters as possible of one width.
    static func name(octets: Int, width: Int) -> String {
        let wide = ["", "n", "é", "€", "😀"][width]
        return String(repeating: "a", count: octets % width)
            + String(repeating: wide, count: octets / width)
    }

    // MARK: Every combination

    static let uuidSets: [[BluetoothUUID]] = {
        var sets: [[BluetoothUUID]] = [[]]
        for size in [2, 4, 16] {
            for count in 1...8 { sets.append((0..<count).map { uuid(size, $0) }) }
        }
        for pattern in [
            [2, 16], [16, 2], [2, 4], [4, 2], [4, 16], [2, 4, 16], [16, 4, 2], [2, 16, 2],
            [16, 16, 2, 2], [2, 2, 2, 16, 4, 4], [4, 2, 4, 2, 4, 2], [16, 2, 16, 4],
            [2, 4, 2, 4, 16, 2, 4, 2], [4, 4, 4, 4, 4, 2, 2, 2], [16, 2, 2, 2, 2, 2, 2, 2],
        ] {
            sets.append(pattern.enumerated().map { uuid($1, $0) })
        }
        return sets
    }()

    static let extensions: [(solicited: [BluetoothUUID], appearance: UInt16?)] = [
        ([], nil), ([], 0x00C1), ([ancs], nil), ([ancs], 0x00C1),
        ([uuid(2, 7), uuid(4, 7)], nil), ([ancs, uuid(2, 9)], 0x0180),
    ]

    private static func sweep(
        names: some Sequence<Int>, width: Int, space: AdvertisementPlan.Space, background: Bool
    ) -> (count: Int, violations: [String]) {
        var violations: [String] = []
        var count = 0
        for octets in names {
            for uuids in uuidSets {
                for (solicited, appearance) in extensions {
                    count += 1
                    violations += AdvertisementRules.violations(
                        of: Wanted(
                            localName: name(octets: octets, width: width), services: uuids,
                            solicitedServices: solicited, appearance: appearance,
                            isInBackground: background, space: space))
                }
            }
        }
        return (count, violations)
    }

    @Test(
        "names of 0 to 40 octets with 0 to 8 UUIDs of each size keep every rule",
        arguments: 1...4)
    func foreground(width: Int) {
        let (count, violations) = Self.sweep(
            names: 0...40, width: width, space: .coreBluetooth, background: false)
        #expect(violations.prefix(5) == [])
        #expect(count == 41 * 40 * 6)
    }

    @Test("with all of the air the same rules hold", arguments: 1...4)
    func legacy(width: Int) {
        let (_, violations) = Self.sweep(
            names: stride(from: 0, through: 40, by: 2), width: width, space: .legacy,
            background: false)
        #expect(violations.prefix(5) == [])
    }

    @Test("in the background there are neither name nor list", arguments: [false, true])
    func background(isLegacy: Bool) {
        let (_, violations) = Self.sweep(
            names: [0, 1, 10, 11, 40], width: 1, space: isLegacy ? .legacy : .coreBluetooth,
            background: true)
        #expect(violations.prefix(5) == [])
    }

    // MARK: Octets

    struct Row: CustomTestStringConvertible {
        var testDescription: String
        var wanted: Wanted
        var advertisement: String
        var scanResponse: String
    }

    static let rows: [Row] = [
        Row(
            testDescription: "nothing", wanted: Wanted(), advertisement: "020106", scanResponse: ""),
        Row(
            testDescription: "an empty name is no name", wanted: Wanted(localName: ""),
            advertisement: "020106", scanResponse: ""),
        Row(
            testDescription: "a name and two services",
            wanted: Wanted(localName: "Thermo", services: [uuid(2, 9), uuid(2, 15)]),
            advertisement: "020106" + "050309180f18" + "0709546865726d6f", scanResponse: ""),
        Row(
            testDescription: "a name of 26 octets is the longest in the advertisement",
            wanted: Wanted(localName: "abcdefghijklmnopqrstuvwxyz"),
            advertisement: "020106" + "1b096162636465666768696a6b6c6d6e6f707172737475767778797a",
            scanResponse: ""),
        Row(
            testDescription: "a name of 27 octets is shortened to 26",
            wanted: Wanted(localName: "abcdefghijklmnopqrstuvwxyzA"),
            advertisement: "020106" + "1b086162636465666768696a6b6c6d6e6f707172737475767778797a",
            scanResponse: ""),
        Row(
            testDescription: "beside a 128-bit UUID there are 8 octets for a name",
            wanted: Wanted(localName: "Thermome", services: [ancs]),
            advertisement: "020106" + "1107d0002d121e4b0fa4994eceb531f40579"
                + "0909546865726d6f6d65", scanResponse: ""),
        Row(
            testDescription: "a name of 10 octets is whole in the scan response",
            wanted: Wanted(localName: "Thermomete", services: [ancs]),
            advertisement: "020106" + "1107d0002d121e4b0fa4994eceb531f40579"
                + "0908546865726d6f6d65",
            scanResponse: "0b09546865726d6f6d657465"),
        Row(
            testDescription: "and a longer one shortened",
            wanted: Wanted(localName: "Thermometer", services: [ancs]),
            advertisement: "020106" + "1107d0002d121e4b0fa4994eceb531f40579"
                + "0908546865726d6f6d65",
            scanResponse: "0b08546865726d6f6d657465"),
        Row(
            testDescription: "no character is cut: 3 euro signs in 10 octets",
            wanted: Wanted(localName: "€€€€", services: [ancs]),
            advertisement: "020106" + "1107d0002d121e4b0fa4994eceb531f40579"
                + "0708e282ace282ac",
            scanResponse: "0a08e282ace282ace282ac"),
        Row(
            testDescription: "a name is not repeated without more of it",
            wanted: Wanted(localName: "😀😀😀", services: [ancs]),
            advertisement: "020106" + "1107d0002d121e4b0fa4994eceb531f40579"
                + "0908f09f9880f09f9880", scanResponse: ""),
        Row(
            testDescription: "a second 128-bit UUID overflows beside a full scan response",
            wanted: Wanted(localName: "Thermomete", services: [uuid(16, 0), ancs]),
            advertisement: "020106" + "110600002d121e4b0fa4994eceb50000dec0"
                + "0908546865726d6f6d65",
            scanResponse: "0b09546865726d6f6d657465" + "12ffffff4f" + ancsFilter),
        Row(
            testDescription: "what comes later and is shorter still fits",
            wanted: Wanted(services: [uuid(16, 0), ancs, uuid(2, 13)]),
            advertisement: "020106" + "03030d18" + "110600002d121e4b0fa4994eceb50000dec0",
            scanResponse: "12ffffff4f" + ancsFilter),
        Row(
            testDescription: "32-bit UUIDs go out as such",
            wanted: Wanted(services: [uuid(4, 1), uuid(2, 1)]),
            advertisement: "020106" + "03030118" + "05050100cdab", scanResponse: ""),
        Row(
            testDescription: "background",
            wanted: Wanted(localName: "Thermo", services: [ancs], isInBackground: true),
            advertisement: "020106" + "12ffffff4f" + ancsFilter, scanResponse: ""),
        Row(
            testDescription: "background without room",
            wanted: Wanted(
                services: [ancs], solicitedServices: [uuid(16, 0)], isInBackground: true),
            advertisement: "020106" + "111500002d121e4b0fa4994eceb50000dec0",
            scanResponse: "12ffffff4f" + ancsFilter),
        Row(
            testDescription: "our extensions go first",
            wanted: Wanted(
                localName: "Desk", services: [uuid(2, 15)], solicitedServices: [ancs],
                appearance: 0x00C1),
            advertisement: "020106" + "1115d0002d121e4b0fa4994eceb531f40579" + "0319c100"
                + "03030f18", scanResponse: "05094465736b"),
        Row(
            testDescription: "two letters of a name are better than none",
            wanted: Wanted(
                localName: "Desk", services: [uuid(2, 15), uuid(2, 9)],
                solicitedServices: [ancs]),
            advertisement: "020106" + "1115d0002d121e4b0fa4994eceb531f40579" + "05030f180918"
                + "03084465", scanResponse: "05094465736b"),
    ]

    /// Of an independent computation.
    static let ancsFilter = "0000000000018080400002900000"

    @Test("each request gives these octets on air", arguments: rows)
    func octets(row: Row) throws {
        let plan = try AdvertisementPlan(row.wanted)
        #expect(Hexadecimal.text(plan.advertisementOctets) == row.advertisement)
        #expect(Hexadecimal.text(plan.scanResponseOctets) == row.scanResponse)
        #expect(try plan.advertisement.data.encoded() == plan.advertisementOctets)
        #expect(AdvertisementRules.violations(of: row.wanted) == [])
    }

    @Test(
        "the accessory's name follows its solicitation, and more of it is in the scan response"
    )
    func accessory() throws {
        let solicitation = "020106" + "1115d0002d121e4b0fa4994eceb531f40579"
        for (name, data, scanResponse) in [
            ("Desk Bt1", solicitation + "09094465736b20427431", ""),
            ("Desk Bt12", solicitation + "09084465736b20427431", "0a094465736b2042743132"),
            (
                "A name of thirty octets, I say", solicitation + "090841206e616d65206f",
                "1e0841206e616d65206f6620746869727479206f63746574732c204920736179"
            ),
        ] {
            let plan = try AdvertisementPlan(
                Wanted(localName: name, solicitedServices: [Self.ancs], space: .legacy))
            #expect(Hexadecimal.text(plan.advertisementOctets) == data)
            #expect(Hexadecimal.text(plan.scanResponseOctets) == scanResponse.prefix(62))
        }
    }

    // MARK: UUIDs

    @Test("a UUID counts once, in either form")
    func repetition() throws {
        let long = BluetoothUUID(0x0000_180F_0000_1000_8000_0080_5F9B_34FB as UInt128)
        let plan = try AdvertisementPlan(
            Wanted(
                services: [Self.uuid(2, 15), long, Self.uuid(2, 15)],
                solicitedServices: [long, long]))
        #expect(
            Hexadecimal.text(plan.advertisementOctets) == "020106" + "03140f18" + "03030f18")
        #expect(plan.placements.count == 2)
    }

    @Test("a program in the background shares the air with one in the foreground")
    func merging() throws {
        let hidden = Wanted(
            localName: "Hidden", services: [Self.ancs, Self.uuid(2, 1)], isInBackground: true)
        let shown = Wanted(localName: "Shown", services: [Self.uuid(2, 0), Self.uuid(2, 1)])
        let merged = shown.merging(hidden)
        #expect(merged == hidden.merging(shown))
        let plan = try AdvertisementPlan(merged)
        #expect(
            Hexadecimal.text(plan.advertisementOctets)
                == "020106" + "050300180118" + "060953686f776e")
        #expect(Hexadecimal.text(plan.scanResponseOctets) == "12ffffff4f" + Self.ancsFilter)
        #expect(hidden.merging(hidden).isInBackground)
        #expect(Wanted(services: [Self.ancs]).merging(hidden).localName == nil)
        #expect(shown.merging(Wanted(space: .legacy)).space == .legacy)
    }

    @Test("a list is incomplete where a service in the background has its width")
    func incompleteBesideBackground() throws {
        let plan = try AdvertisementPlan(
            Wanted(services: [Self.uuid(2, 0)], backgroundServices: [Self.uuid(2, 5), Self.ancs]))
        #expect(Hexadecimal.text(plan.advertisementOctets) == "020106" + "03020018")
        #expect(plan.placements.map(\.place) == [.advertisement, .overflow, .overflow])
    }

    @Test("extensions that do not fit are refused with the number of excess octets")
    func excess() {
        #expect(throws: AdvertisementPlan.PlanningError.extensionsTooLong(excess: 6)) {
            _ = try AdvertisementPlan(
                Wanted(solicitedServices: [Self.ancs, Self.uuid(16, 0)]))
        }
        #expect(throws: AdvertisementPlan.PlanningError.extensionsTooLong(excess: 2)) {
            _ = try AdvertisementPlan(
                Wanted(
                    solicitedServices: [Self.ancs] + (0..<3).map { Self.uuid(2, $0) },
                    appearance: 1))
        }
        #expect(throws: Never.self) {
            _ = try AdvertisementPlan(
                Wanted(
                    solicitedServices: [Self.ancs] + (0..<2).map { Self.uuid(2, $0) },
                    appearance: 1))
        }
    }
}
