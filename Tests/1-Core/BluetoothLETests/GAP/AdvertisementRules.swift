import BluetoothLE

/// The rules of an advertisement, each checked on the octets on air.
struct AdvertisementRules {
    let wanted: AdvertisementPlan.Wanted
    let plan: AdvertisementPlan
    let air: AdvertisementOnAir
    private(set) var violations: [String] = []

    /// What the plan of these contents breaks; it must have room for our extensions.
    static func violations(of wanted: AdvertisementPlan.Wanted) -> [String] {
        guard let plan = try? AdvertisementPlan(wanted) else { return ["no plan for \(wanted)"] }
        guard let air = AdvertisementOnAir(plan) else { return ["malformed octets for \(wanted)"] }
        var rules = AdvertisementRules(wanted: wanted, plan: plan, air: air)
        rules.checkSizes()
        rules.checkOrder()
        rules.checkServices()
        rules.checkRoom()
        rules.checkName()
        rules.checkPlacements()
        return rules.violations.map { "\($0): \(wanted)" }
    }

    private mutating func rule(_ name: String, _ holds: Bool) {
        if !holds { violations.append(name) }
    }

    private var name: String { wanted.localName ?? "" }

    private var services: [UInt128] {
        var services: [UInt128] = []
        for uuid in wanted.services.map(\.rawValue) where !services.contains(uuid) {
            services.append(uuid)
        }
        return services
    }

    /// How many octets a UUID takes on air.
    private func width(_ uuid: UInt128) -> Int {
        guard uuid & (1 << 96 - 1) == 0x1000_8000_0080_5F9B_34FB else { return 16 }
        return uuid >> 96 <= 0xFFFF ? 2 : 4
    }

    private func uuids(_ fields: [AdvertisementOnAir.Field]) -> [UInt128] {
        fields.filter(AdvertisementOnAir.isList).flatMap {
            AdvertisementOnAir.uuids(of: $0) ?? []
        }
    }

    private var overflow: [UInt128] {
        let listed = uuids(air.all)
        return services.filter { !listed.contains($0) }
    }

    private mutating func checkSizes() {
        rule("31 octets", plan.advertisementOctets.count <= 31)
        rule("31 octets of scan response", plan.scanResponseOctets.count <= 31)
        rule(
            "free octets",
            plan.freeInAdvertisement == 31 - plan.advertisementOctets.count
                && plan.freeInScanResponse == 31 - plan.scanResponseOctets.count)
        let flags = air.all.filter { $0.type == 0x01 }
        rule("flags once", flags == [.init(type: 0x01, contents: [0x06])])
        rule("flags first", air.data.first?.type == 0x01)
        let contents = air.data.filter {
            AdvertisementOnAir.isList($0) || AdvertisementOnAir.isName($0)
        }
        rule("28 octets of contents", contents.reduce(0) { $0 + $1.contents.count } <= 28)
        if wanted.space == .coreBluetooth {
            rule(
                "the scan response has a name of 10 octets and the overflow",
                air.scanResponse.allSatisfy {
                    AdvertisementOnAir.isName($0) && $0.contents.count <= 10 || $0.type == 0xFF
                })
        }
    }

    private mutating func checkOrder() {
        let ranks: [UInt8: Int] = [
            0x01: 0, 0x14: 1, 0x1F: 2, 0x15: 3, 0x19: 4, 0x02: 5, 0x03: 5, 0x04: 6, 0x05: 6,
            0x06: 7, 0x07: 7, 0x08: 8, 0x09: 8, 0xFF: 9,
        ]
        for fields in [air.data, air.scanResponse] {
            let order = fields.compactMap { ranks[$0.type] }
            rule("only known types", order.count == fields.count)
            rule("order, each once", zip(order, order.dropFirst()).allSatisfy { $0 < $1 })
        }
        let solicited = air.data.filter(AdvertisementOnAir.isSolicitation)
            .flatMap { AdvertisementOnAir.uuids(of: $0) ?? [] }
        rule(
            "every solicited UUID in the advertisement",
            Set(solicited) == Set(wanted.solicitedServices.map(\.rawValue))
                && solicited.count == Set(solicited).count
                && !air.scanResponse.contains(where: AdvertisementOnAir.isSolicitation))
        let appearance = wanted.appearance.map { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        rule("appearance", air.data.first { $0.type == 0x19 }?.contents == appearance)
    }

    private mutating func checkServices() {
        let listed = uuids(air.all)
        rule("no UUID twice", Set(listed).count == listed.count)
        rule("no strange UUID", Set(listed).isSubset(of: services))
        let expected = AdvertisementOnAir.filter(of: overflow)
        let areas = air.all.filter { $0.type == 0xFF }
        rule(
            "the overflow is exactly what has no other place",
            overflow.isEmpty
                ? areas.isEmpty
                : areas == [.init(type: 0xFF, contents: [0xFF, 0xFF, 0x4F] + expected)])
        for field in air.all where AdvertisementOnAir.isList(field) {
            let uuids = AdvertisementOnAir.uuids(of: field) ?? []
            rule("no empty list", !uuids.isEmpty)
            rule("narrowest form", uuids.allSatisfy { width($0) == width(uuids[0]) })
            rule("the width of the type", width(uuids[0]) == AdvertisementOnAir.widths[field.type])
            let elsewhere = services.contains {
                width($0) == width(uuids[0]) && !uuids.contains($0)
            }
            rule(
                "incomplete lists say so",
                AdvertisementOnAir.isIncomplete(field) == elsewhere)
            rule("the app's order", uuids == services.filter(uuids.contains))
        }
        if wanted.isInBackground {
            rule("no list in the background", listed.isEmpty)
            rule("no name in the background", !air.all.contains(where: AdvertisementOnAir.isName))
        }
    }

    /// Each UUID, in the app's order, is where there is room for it.
    private mutating func checkRoom() {
        guard !wanted.isInBackground else { return }
        let inData = uuids(air.data)
        var free = 28
        for field in air.data
        where AdvertisementOnAir.isSolicitation(field) || field.type == 0x19 {
            free -= 2 + field.contents.count
        }
        var widths: Set<Int> = []
        for uuid in services {
            let cost = width(uuid) + (widths.contains(width(uuid)) ? 0 : 2)
            rule("first fit", inData.contains(uuid) == (cost <= free))
            guard inData.contains(uuid) else { continue }
            free -= cost
            widths.insert(width(uuid))
        }
    }

    private mutating func checkName() {
        let names = air.all.filter(AdvertisementOnAir.isName)
        guard !name.isEmpty, !wanted.isInBackground else {
            return rule("no name", names.isEmpty)
        }
        let inData = air.data.filter(AdvertisementOnAir.isName).map(\.contents)
        let inScanResponse = air.scanResponse.filter(AdvertisementOnAir.isName).map(\.contents)
        let roomInData = plan.freeInAdvertisement + (inData.first?.count ?? -2)
        let roomInScanResponse =
            wanted.space == .coreBluetooth
            ? 10 : plan.freeInScanResponse + (inScanResponse.first?.count ?? -2)
        let choices = (data: prefix(roomInData), scanResponse: prefix(roomInScanResponse))
        rule("as much of the name as fits", inData.map(\.count) == [choices.data].filter { $0 > 0 })
        rule(
            "more of it in the scan response, or nothing",
            inScanResponse.map(\.count)
                == [choices.scanResponse].filter { $0 > choices.data })
        for field in names {
            let shown = field.contents
            rule("a name is whole characters", String(validating: shown, as: UTF8.self) != nil)
            rule("a name begins as it should", name.utf8.starts(with: shown))
            rule(
                "a shortened name says so", (field.type == 0x09) == (shown.count == name.utf8.count)
            )
        }
    }

    /// The octets of the longest beginning of the name in so many octets.
    private func prefix(_ limit: Int) -> Int {
        let octets = Array(name.utf8)
        guard limit < octets.count else { return octets.count }
        var end = max(0, limit)
        while end > 0, octets[end] & 0b1100_0000 == 0b1000_0000 { end -= 1 }
        return end
    }

    private mutating func checkPlacements() {
        let (inData, inScanResponse) = (uuids(air.data), uuids(air.scanResponse))
        var expected: [AdvertisementPlan.Placement] = []
        for uuid in wanted.solicitedServices {
            expected.append(.init(.solicitedService(uuid), .advertisement))
        }
        if let appearance = wanted.appearance {
            expected.append(.init(.appearance(appearance), .advertisement))
        }
        for uuid in services {
            expected.append(
                .init(
                    .service(BluetoothUUID(uuid)),
                    inData.contains(uuid)
                        ? .advertisement : inScanResponse.contains(uuid) ? .scanResponse : .overflow
                ))
        }
        if !name.isEmpty {
            for (fields, place) in [
                (air.data, AdvertisementPlan.Place.advertisement),
                (air.scanResponse, .scanResponse),
            ] {
                for field in fields where AdvertisementOnAir.isName(field) {
                    let count = field.contents.count
                    expected.append(
                        .init(
                            .localName(name), place,
                            shortenedTo: count < name.utf8.count ? count : nil))
                }
            }
            if !air.all.contains(where: AdvertisementOnAir.isName) {
                expected.append(.init(.localName(name), .leftOut))
            }
        }
        rule("placements say what is on air", plan.placements == expected)
    }
}
