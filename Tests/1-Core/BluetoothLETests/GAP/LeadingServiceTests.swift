import BluetoothLE
import Octets
import Testing

@Suite("The advertisement with a leading service") struct LeadingServiceTests {
    typealias Wanted = AdvertisementPlan.Wanted
    typealias Plans = AdvertisementPlanTests

    static let heartRate = BluetoothUUID(UInt16(0x180D))
    static let solicitation = "1115d0002d121e4b0fa4994eceb531f40579"

    /// What an accessory of ANCS wants.
    static func accessory(_ name: String?) -> Wanted {
        Wanted(
            localName: name, solicitedServices: [Plans.ancs], leadingService: heartRate,
            space: .legacy)
    }

    @Test(
        "flags, name and 0x180D are in the first packet, the solicitation in the second",
        arguments: 1...29)
    func octets(length: Int) throws {
        let name = String("abcdefghijklmnopqrstuvwxyzABC".prefix(length))
        let plan = try AdvertisementPlan(Self.accessory(name))
        let shown = name.prefix(22)
        let header = [UInt8(shown.utf8.count + 1), length <= 22 ? 0x09 : 0x08]
        #expect(
            Hexadecimal.text(plan.advertisementOctets)
                == "020106" + Hexadecimal.text(header + Array(shown.utf8)) + "03030d18")
        #expect(Hexadecimal.text(plan.scanResponseOctets) == Self.solicitation)
        #expect(
            plan.placements == [
                .init(.solicitedService(Plans.ancs), .scanResponse),
                .init(.service(Self.heartRate), .advertisement),
                .init(.localName(name), .advertisement, shortenedTo: length > 22 ? 22 : nil),
            ])
    }

    @Test("no character of a name is cut, and without a name there is none")
    func edges() throws {
        let wide = try AdvertisementPlan(Self.accessory(String(repeating: "€", count: 8)))
        #expect(
            Hexadecimal.text(wide.advertisementOctets)
                == "020106" + "1608" + String(repeating: "e282ac", count: 7) + "03030d18")
        for name in [nil, ""] {
            let plan = try AdvertisementPlan(Self.accessory(name))
            #expect(Hexadecimal.text(plan.advertisementOctets) == "02010603030d18")
        }
    }

    @Test("a longer part of the name is in the scan response, if there is room for one")
    func longName() throws {
        let name = String(repeating: "n", count: 29)
        let plan = try AdvertisementPlan(
            Wanted(localName: name, leadingService: Self.heartRate))
        #expect(
            Hexadecimal.text(plan.scanResponseOctets)
                == "1e09" + String(repeating: "6e", count: 29))
        #expect(plan.placements.map(\.shortenedTo) == [nil, 22, nil])
    }

    @Test("services of apps follow in the room that the name leaves, and are not repeated")
    func apps() throws {
        let app = Wanted(
            localName: "App", services: [Self.heartRate, Plans.uuid(2, 15), Plans.uuid(16, 0)])
        for merged in [Self.accessory("Desk").merging(app), app.merging(Self.accessory("Desk"))] {
            let plan = try AdvertisementPlan(merged)
            #expect(merged.leadingService == Self.heartRate)
            let places = plan.placements.filter { $0.item == .service(Self.heartRate) }
            #expect(places.map(\.place) == [.advertisement])
        }
        let short = try AdvertisementPlan(
            Self.accessory("Desk").merging(Wanted(services: [Plans.uuid(2, 15)])))
        #expect(
            Hexadecimal.text(short.advertisementOctets) == "020106" + "05094465736b"
                + "05030d180f18")
    }

    @Test("where an overflow area has no room beside it, the leading service is left out")
    func overflow() throws {
        let app = Wanted(services: [Plans.ancs, Plans.uuid(2, 1)], isInBackground: true)
        var wanted = Self.accessory("Desk").merging(app)
        let plan = try AdvertisementPlan(wanted)
        wanted.leadingService = nil
        let other = try AdvertisementPlan(wanted)
        #expect(plan.advertisementOctets == other.advertisementOctets)
        #expect(plan.scanResponseOctets == other.scanResponseOctets)
        #expect(
            plan.placements.filter { $0.place == .leftOut }.map(\.item)
                == [.service(Self.heartRate)])
        #expect(plan.placements.filter { $0.place != .leftOut } == other.placements)
    }

    @Test("in the background it is ignored")
    func background() throws {
        var wanted = Self.accessory("Desk")
        wanted.isInBackground = true
        let plan = try AdvertisementPlan(wanted)
        #expect(plan.placements.contains(.init(.service(Self.heartRate), .leftOut)))
        #expect(!Hexadecimal.text(plan.advertisementOctets).contains("0d18"))
        #expect(Wanted(services: [Plans.ancs]).merging(wanted).leadingService == nil)
    }

    @Test("with any other content, nothing is lost and no packet is too long", arguments: 0...31)
    func sweep(length: Int) throws {
        let name = Plans.name(octets: length, width: 1)
        for width in [2, 4, 16] {
            let leading = Plans.uuid(width, 9)
            for services in Plans.uuidSets {
                for (solicited, appearance) in Plans.extensions {
                    var wanted = Wanted(
                        localName: name, services: services, solicitedServices: solicited,
                        leadingService: leading, appearance: appearance)
                    let plan = try AdvertisementPlan(wanted)
                    let air = try #require(AdvertisementOnAir(plan))
                    let isLeftOut = plan.placements.contains(.init(.service(leading), .leftOut))
                    if isLeftOut {
                        wanted.leadingService = nil
                        #expect(try AdvertisementPlan(wanted).advertisement == plan.advertisement)
                        continue
                    }
                    #expect(plan.advertisementOctets.count <= 31)
                    #expect(plan.scanResponseOctets.count <= 31)
                    #expect(air.data.first?.type == 0x01)
                    #expect(
                        uuids(air.data, AdvertisementOnAir.isList).contains(leading.rawValue))
                    #expect(
                        Set(uuids(air.scanResponse, AdvertisementOnAir.isSolicitation))
                            == Set(solicited.map(\.rawValue)))
                    let names = air.data.filter(AdvertisementOnAir.isName)
                    let room = 31 - 3 - (2 + width) - 2
                    #expect(names.map(\.contents.count) == (length == 0 ? [] : [min(length, room)]))
                    if length > 0 { #expect(air.data[1] == names[0]) }
                    let listed = uuids(air.all, AdvertisementOnAir.isList)
                    #expect(Set(listed).count == listed.count)
                    let overflow = plan.placements.filter { $0.place == .overflow }
                    #expect(listed.count + overflow.count == 1 + services.count)
                }
            }
        }
    }

    private func uuids(
        _ fields: [AdvertisementOnAir.Field], _ isWanted: (AdvertisementOnAir.Field) -> Bool
    ) -> [UInt128] {
        fields.filter(isWanted).flatMap { AdvertisementOnAir.uuids(of: $0) ?? [] }
    }
}
