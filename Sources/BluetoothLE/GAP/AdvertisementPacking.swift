/// Computes an ``AdvertisementPlan``: packs one kind of item after the other into two PDUs.
struct AdvertisementPacking {
    /// The lists of service UUIDs in one PDU, and the room that is left.
    private struct Room {
        var free: Int
        var lists: [(width: AdvertisingData.UUIDWidth, uuids: [BluetoothUUID])] = [
            (.short, []), (.medium, []), (.long, []),
        ]

        /// Adds a UUID; returns whether there was room.
        mutating func place(_ uuid: BluetoothUUID) -> Bool {
            let width = AdvertisingData.UUIDWidth(narrowest: uuid)
            for index in lists.indices where lists[index].width == width {
                let header = lists[index].uuids.isEmpty ? AdvertisementPacking.headerSize : 0
                guard header + width.rawValue <= free else { return false }
                free -= header + width.rawValue
                lists[index].uuids.append(uuid)
                return true
            }
            return false
        }
    }

    /// The size of length and AD type in octets.
    private static let headerSize = 2

    private let wanted: AdvertisementPlan.Wanted
    private let services: [BluetoothUUID]
    private let backgroundServices: [BluetoothUUID]
    private let extensions: [AdvertisingData.Structure]
    private var data: Room
    private var scanResponse: Room
    private var overflow: [BluetoothUUID] = []
    private var overflowPlace = AdvertisementPlan.Place.scanResponse
    private var names: [(structure: AdvertisingData.Structure, place: AdvertisementPlan.Place)] =
        []
    private(set) var placements: [AdvertisementPlan.Placement] = []

    /// Places the flags, solicited UUIDs and appearance.
    init(_ wanted: AdvertisementPlan.Wanted) throws(AdvertisementPlan.PlanningError) {
        self.wanted = wanted
        services = wanted.services.withoutRepetitions()
        backgroundServices = wanted.backgroundServices.withoutRepetitions()
            .filter { [services] in !services.contains($0) }
        data = Room(free: AdvertisingData.legacyLimit - AdvertisementPlan.flagsSize)
        scanResponse = Room(free: wanted.space == .legacy ? AdvertisingData.legacyLimit : 0)
        var extensions: [AdvertisingData.Structure] = []
        let solicited = wanted.solicitedServices.withoutRepetitions()
        for width in AdvertisingData.UUIDWidth.ascending {
            let uuids = solicited.filter { AdvertisingData.UUIDWidth(narrowest: $0) == width }
            guard !uuids.isEmpty else { continue }
            extensions.append(.solicitedServices(uuids, width))
            data.free -= Self.headerSize + uuids.count * width.rawValue
        }
        placements += solicited.map { .init(.solicitedService($0), .advertisement) }
        if let appearance = wanted.appearance {
            extensions.append(.appearance(appearance))
            data.free -= Self.headerSize + 2
            placements.append(.init(.appearance(appearance), .advertisement))
        }
        self.extensions = extensions
        guard data.free >= 0 else { throw .extensionsTooLong(excess: -data.free) }
    }

    /// Places each service UUID where there is room, in the requested order.
    mutating func placeServices() {
        guard !wanted.isInBackground else {
            overflow = services + backgroundServices
            placements += overflow.map { .init(.service($0), .overflow) }
            return
        }
        let (data, scanResponse, placements) = (data, scanResponse, placements)
        overflow = backgroundServices
        placeServices(reservingOverflow: !overflow.isEmpty)
        if backgroundServices.isEmpty, !overflow.isEmpty {
            // Only now is it known that the overflow area is needed, and how much room it takes.
            (self.data, self.scanResponse, self.placements) = (data, scanResponse, placements)
            overflow = []
            placeServices(reservingOverflow: true)
        }
        self.placements += backgroundServices.map { .init(.service($0), .overflow) }
    }

    private mutating func placeServices(reservingOverflow: Bool) {
        if reservingOverflow, wanted.space == .legacy { scanResponse.free -= OverflowArea.size }
        for uuid in services {
            let place: AdvertisementPlan.Place =
                data.place(uuid)
                ? .advertisement : scanResponse.place(uuid) ? .scanResponse : .overflow
            if place == .overflow { overflow.append(uuid) }
            placements.append(.init(.service(uuid), place))
        }
    }

    /// In the background the overflow area goes into the advertisement if it fits, because only active
    /// scanners receive a scan response.
    mutating func placeOverflow() {
        guard wanted.isInBackground, !overflow.isEmpty, data.free >= OverflowArea.size else {
            return
        }
        overflowPlace = .advertisement
    }

    /// Places the name in the advertisement, shortened if necessary: scan responses are reported to be ignored
    /// in a phone's list of accessories. If more of it fits in the scan response, it is there too.
    mutating func placeName() {
        guard let whole = wanted.localName, !whole.isEmpty else { return }
        let item = AdvertisementPlan.Item.localName(whole)
        if !wanted.isInBackground {
            let inData = whole.beginning(octets: data.free - Self.headerSize)
            let inScanResponse = whole.beginning(octets: scanResponseNameLimit)
            place(inData, of: whole, in: .advertisement)
            if inScanResponse.utf8.count > inData.utf8.count {
                place(inScanResponse, of: whole, in: .scanResponse)
            }
        }
        if names.isEmpty { placements.append(.init(item, .leftOut)) }
    }

    private mutating func place(
        _ part: String, of whole: String, in place: AdvertisementPlan.Place
    ) {
        guard !part.isEmpty else { return }
        let isWhole = part.utf8.count == whole.utf8.count
        names.append((.localName(part, isComplete: isWhole), place))
        placements.append(
            .init(.localName(whole), place, shortenedTo: isWhole ? nil : part.utf8.count))
    }

    private var scanResponseNameLimit: Int {
        switch wanted.space {
        case .coreBluetooth: AdvertisementPlan.scanResponseNameLimit
        case .legacy: scanResponse.free - Self.headerSize
        }
    }

    /// The resulting advertisement.
    var advertisement: Advertisement {
        var data: [AdvertisingData.Structure] = [
            .flags([.generalDiscoverable, .brEDRNotSupported])
        ]
        data += extensions + lists(in: self.data)
        var scanResponse = lists(in: self.scanResponse)
        for name in names {
            if name.place == .advertisement {
                data.append(name.structure)
            } else {
                scanResponse.append(name.structure)
            }
        }
        if !overflow.isEmpty {
            let area = OverflowArea(overflow).structure
            if overflowPlace == .advertisement {
                data.append(area)
            } else {
                scanResponse.append(area)
            }
        }
        return Advertisement(
            data: AdvertisingData(data), scanResponse: AdvertisingData(scanResponse))
    }

    /// A list is complete if no service of its width is placed elsewhere. Supplement, Part A, 1.1.1.
    private func lists(in room: Room) -> [AdvertisingData.Structure] {
        room.lists.filter { !$0.uuids.isEmpty }.map { width, uuids in
            let all = (services + backgroundServices)
                .filter { AdvertisingData.UUIDWidth(narrowest: $0) == width }
            return .services(uuids, width, isComplete: uuids.count == all.count)
        }
    }
}

extension AdvertisingData.UUIDWidth {
    fileprivate static let ascending: [Self] = [.short, .medium, .long]

    /// The shortest form that a UUID has.
    fileprivate init(narrowest uuid: BluetoothUUID) {
        if uuid.shortValue != nil {
            self = .short
        } else if BluetoothUUID(UInt32(truncatingIfNeeded: uuid.rawValue >> 96)) == uuid {
            self = .medium
        } else {
            self = .long
        }
    }
}

extension [BluetoothUUID] {
    fileprivate func withoutRepetitions() -> [BluetoothUUID] {
        reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
