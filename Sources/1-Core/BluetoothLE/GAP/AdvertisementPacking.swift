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
    private let leading: BluetoothUUID?
    private let services: [BluetoothUUID]
    private let backgroundServices: [BluetoothUUID]
    private let extensions: [AdvertisingData.Structure]
    private let space: AdvertisementPlan.Space
    private var data: Room
    private var scanResponse: Room
    private var overflow: [BluetoothUUID] = []
    private var overflowPlace = AdvertisementPlan.Place.scanResponse
    /// Whether the overflow area is needed, and does not fit beside what is in the scan response.
    private(set) var lacksRoomForOverflow = false
    private var names:
        [(structure: AdvertisingData.Structure, octets: Int, place: AdvertisementPlan.Place)] = []
    private(set) var placements: [AdvertisementPlan.Placement] = []

    /// Places the flags, solicited UUIDs, appearance and the leading service.
    init(
        _ wanted: AdvertisementPlan.Wanted, leading: BluetoothUUID?
    ) throws(AdvertisementPlan.PlanningError) {
        self.wanted = wanted
        self.leading = leading
        space = leading == nil ? wanted.space : .legacy
        services = wanted.services.withoutRepetitions().filter { $0 != leading }
        backgroundServices = wanted.backgroundServices.withoutRepetitions()
            .filter { [services] in !services.contains($0) && $0 != leading }
        data = Room(free: AdvertisingData.legacyLimit - AdvertisementPlan.flagsSize)
        scanResponse = Room(free: space == .legacy ? AdvertisingData.legacyLimit : 0)
        let extensionsPlace: AdvertisementPlan.Place =
            leading == nil ? .advertisement : .scanResponse
        var extensions: [AdvertisingData.Structure] = []
        var size = 0
        let solicited = wanted.solicitedServices.withoutRepetitions()
        for width in AdvertisingData.UUIDWidth.ascending {
            let uuids = solicited.filter { AdvertisingData.UUIDWidth(narrowest: $0) == width }
            guard !uuids.isEmpty else { continue }
            extensions.append(.solicitedServices(uuids, width))
            size += Self.headerSize + uuids.count * width.rawValue
        }
        placements += solicited.map { .init(.solicitedService($0), extensionsPlace) }
        if let appearance = wanted.appearance {
            extensions.append(.appearance(appearance))
            size += Self.headerSize + 2
            placements.append(.init(.appearance(appearance), extensionsPlace))
        }
        self.extensions = extensions
        // The limit is the same in both places: a leading service that comes or goes never makes a plan
        // impossible.
        guard size <= data.free else { throw .extensionsTooLong(excess: size - data.free) }
        placeLeadingService(besideExtensions: size)
    }

    private mutating func placeLeadingService(besideExtensions size: Int) {
        guard let leading else {
            data.free -= size
            guard let missing = wanted.leadingService, !wanted.services.contains(missing) else {
                return
            }
            return placements.append(.init(.service(missing), .leftOut))
        }
        scanResponse.free -= size
        // Beside the flags there is room for any UUID.
        _ = data.place(leading)
        placements.append(.init(.service(leading), .advertisement))
        placeNameInAdvertisement()
    }

    /// Places everything that is not placed yet.
    mutating func placeEverything() {
        placeServices()
        placeOverflow()
        placeName()
    }

    /// Places each service UUID where there is room, in the requested order.
    private mutating func placeServices() {
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
        if reservingOverflow, space == .legacy {
            scanResponse.free -= OverflowArea.size
            lacksRoomForOverflow = scanResponse.free < 0
        }
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
    private mutating func placeOverflow() {
        guard wanted.isInBackground, !overflow.isEmpty, data.free >= OverflowArea.size else {
            return
        }
        overflowPlace = .advertisement
    }

    /// Places the name in the advertisement, shortened if necessary: scan responses are reported to be ignored
    /// in a phone's list of accessories. If more of it fits in the scan response, it is there too.
    private mutating func placeName() {
        guard let whole = wanted.localName, !whole.isEmpty else { return }
        if !wanted.isInBackground {
            // Beside a leading service it is there already.
            if leading == nil { placeNameInAdvertisement() }
            let inScanResponse = whole.beginning(octets: scanResponseNameLimit)
            if inScanResponse.utf8.count > shownInAdvertisement {
                place(inScanResponse, of: whole, in: .scanResponse)
            }
        }
        placements += names.map { name in
            .init(
                .localName(whole), name.place,
                shortenedTo: name.octets == whole.utf8.count ? nil : name.octets)
        }
        if names.isEmpty { placements.append(.init(.localName(whole), .leftOut)) }
    }

    private mutating func placeNameInAdvertisement() {
        guard let whole = wanted.localName else { return }
        let part = whole.beginning(octets: data.free - Self.headerSize)
        place(part, of: whole, in: .advertisement)
        if !part.isEmpty { data.free -= Self.headerSize + part.utf8.count }
    }

    /// How many octets of the name are in the advertisement.
    private var shownInAdvertisement: Int {
        names.first { $0.place == .advertisement }?.octets ?? 0
    }

    private mutating func place(
        _ part: String, of whole: String, in place: AdvertisementPlan.Place
    ) {
        guard !part.isEmpty else { return }
        let count = part.utf8.count
        names.append((.localName(part, isComplete: count == whole.utf8.count), count, place))
    }

    private var scanResponseNameLimit: Int {
        switch space {
        case .coreBluetooth: AdvertisementPlan.scanResponseNameLimit
        case .legacy: scanResponse.free - Self.headerSize
        }
    }

    /// The resulting advertisement.
    var advertisement: Advertisement {
        var data: [AdvertisingData.Structure] = [
            .flags([.generalDiscoverable, .brEDRNotSupported])
        ]
        var scanResponse: [AdvertisingData.Structure] = []
        let shown = names.filter { $0.place == .advertisement }.map { $0.structure }
        if leading == nil {
            data += extensions + lists(in: self.data) + shown
        } else {
            data += shown + lists(in: self.data)
            scanResponse += extensions
        }
        scanResponse += lists(in: self.scanResponse)
        scanResponse += names.filter { $0.place == .scanResponse }.map { $0.structure }
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
            let all = ((leading.map { [$0] } ?? []) + services + backgroundServices)
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
