/// Assigns everything that is to be advertised to a place on air, octet by octet.
///
/// Core Bluetooth's rules do not count the two header octets of an AD structure: 28 octets of the
/// advertisement for the local name and service UUIDs together, and 10 octets of the scan response for the
/// local name only. Service UUIDs that do not fit go to the ``OverflowArea``. In the background there is no
/// local name, and every service UUID is in the overflow area. The flags take 3 of the 31 octets of an
/// advertising PDU (Core Vol 6, Part B, 2.3.1), so that 28 are left *including* the headers. Where the two
/// disagree, the PDU decides: one structure has at most 26 octets of contents, two have 24, three have 22.
///
///     advertisement  flags, solicited UUIDs, appearance, service UUIDs, local name
///     scan response  more of the local name (at most 10 octets), overflow area
///
/// With a leading service, the advertisement is for scanners that look at nothing else, and solicited UUIDs
/// and the appearance give way, within all 31 octets of both PDUs. If the overflow area then has no room, the
/// leading service is left out.
///
///     advertisement  flags, local name, leading service, service UUIDs
///     scan response  solicited UUIDs, appearance, service UUIDs, more of the local name, overflow area
///
/// UUIDs of one kind keep the requested order, 16-bit forms first, then 32-bit, then 128-bit forms. Every
/// UUID is sent in its shortest form, because there may be one list for each width (Supplement, Part A,
/// 1.1.1).
public struct AdvertisementPlan: Equatable, Sendable {
    /// What to advertise.
    public struct Wanted: Equatable, Sendable {
        /// The name; an empty one is the same as `nil`.
        public var localName: String?
        /// The services of this device, the most important one first. Duplicates are ignored.
        public var services: [BluetoothUUID]
        /// Services that only a scanner for these very services finds: those of a program in the background,
        /// while another one is in the foreground.
        public var backgroundServices: [BluetoothUUID]
        /// Services that this device wants its peer to have; not in Core Bluetooth.
        public var solicitedServices: [BluetoothUUID]
        /// A service that is in the advertisement in any case, beside the name; not in Core Bluetooth. Ignored in
        /// the background.
        public var leadingService: BluetoothUUID?
        /// The appearance of the device (Assigned Numbers, 2.6); not in Core Bluetooth.
        public var appearance: UInt16?
        /// Whether the program is in the background: then there is no local name, and every service UUID is
        /// in the overflow area.
        public var isInBackground: Bool
        /// How much of the PDUs may be used.
        public var space: Space

        /// What to advertise; by default only the flags.
        public init(
            localName: String? = nil, services: [BluetoothUUID] = [],
            backgroundServices: [BluetoothUUID] = [], solicitedServices: [BluetoothUUID] = [],
            leadingService: BluetoothUUID? = nil, appearance: UInt16? = nil,
            isInBackground: Bool = false, space: Space = .coreBluetooth
        ) {
            self.localName = localName
            self.services = services
            self.backgroundServices = backgroundServices
            self.solicitedServices = solicitedServices
            self.leadingService = leadingService
            self.appearance = appearance
            self.isInBackground = isInBackground
            self.space = space
        }
    }

    /// How much of the PDUs may be used.
    public enum Space: Equatable, Sendable {
        /// 10 octets of the scan response, only for the local name.
        case coreBluetooth
        /// All 31 octets of both PDUs: service UUIDs and long names may go to the scan response.
        case legacy
    }

    /// Why an advertisement is impossible.
    public enum PlanningError: Error, Equatable, Sendable {
        /// Solicited UUIDs and appearance are `excess` octets longer than the advertisement. They cannot go
        /// to the overflow area.
        case extensionsTooLong(excess: Int)
    }

    /// The place of an item.
    public struct Placement: Equatable, Sendable {
        /// The item.
        public var item: Item
        /// Its place.
        public var place: Place
        /// How many octets of a local name are in this place; `nil` if it is complete.
        public var shortenedTo: Int?

        /// The place of an item.
        public init(_ item: Item, _ place: Place, shortenedTo: Int? = nil) {
            self.item = item
            self.place = place
            self.shortenedTo = shortenedTo
        }
    }

    /// An item to advertise.
    public enum Item: Equatable, Sendable {
        /// The name.
        case localName(String)
        /// A service of this device.
        case service(BluetoothUUID)
        /// A service that this device wants its peer to have.
        case solicitedService(BluetoothUUID)
        /// The appearance of the device.
        case appearance(UInt16)
    }

    /// A place on air.
    public enum Place: Equatable, Sendable {
        /// The advertising data, which every scanner in range receives.
        case advertisement
        /// The scan response data, which only active scanners receive.
        case scanResponse
        /// The overflow area, found only by a scanner for this service.
        case overflow
        /// Not on air: a name in the background, or a name of which not even one character fits; a leading
        /// service in the background, or one whose place the overflow area needs.
        case leftOut
    }

    /// What was requested.
    public let wanted: Wanted
    /// The result, with the default interval of ``Advertisement``.
    public let advertisement: Advertisement
    /// The advertising data in wire format, at most 31 octets.
    public let advertisementOctets: [UInt8]
    /// The scan response data in wire format, at most 31 octets.
    public let scanResponseOctets: [UInt8]
    /// The places of every item: solicited UUIDs, appearance, leading service, service UUIDs, local name, each
    /// kind in the requested order. A name has two places if more of it fits in the scan response.
    public let placements: [Placement]

    /// The number of unused octets of the advertisement.
    public var freeInAdvertisement: Int { AdvertisingData.legacyLimit - advertisementOctets.count }

    /// The number of unused octets of the scan response.
    public var freeInScanResponse: Int { AdvertisingData.legacyLimit - scanResponseOctets.count }

    /// The size of the flags in octets: general discoverable, no BR/EDR.
    static let flagsSize = 3
    /// The octets of the scan response that Core Bluetooth gives to the local name.
    static let scanResponseNameLimit = 10

    /// Plans an advertisement. Throws if solicited UUIDs and appearance do not fit.
    public init(_ wanted: Wanted) throws(PlanningError) {
        var packing = try AdvertisementPacking(
            wanted, leading: wanted.isInBackground ? nil : wanted.leadingService)
        packing.placeEverything()
        if packing.lacksRoomForOverflow {
            packing = try AdvertisementPacking(wanted, leading: nil)
            packing.placeEverything()
        }
        self.wanted = wanted
        placements = packing.placements
        advertisement = packing.advertisement
        do throws(AdvertisingData.EncodingError) {
            advertisementOctets = try advertisement.data.encoded()
            scanResponseOctets = try advertisement.scanResponse.encoded()
        } catch { preconditionFailure("the plan miscounted its octets") }
    }
}

extension AdvertisementPlan.Wanted {
    /// What two programs on one device request together: the services of both, those of the one in the
    /// background only in the overflow area; if both have a name or an appearance, this one's.
    public func merging(_ other: Self) -> Self {
        if isInBackground != other.isInBackground {
            let (foreground, background) = isInBackground ? (other, self) : (self, other)
            var hidden = background
            hidden.localName = nil
            hidden.leadingService = nil
            hidden.backgroundServices = background.services + background.backgroundServices
            hidden.services = []
            hidden.isInBackground = false
            return foreground.merging(hidden)
        }
        return Self(
            localName: localName ?? other.localName, services: services + other.services,
            backgroundServices: backgroundServices + other.backgroundServices,
            solicitedServices: solicitedServices + other.solicitedServices,
            leadingService: leadingService ?? other.leadingService,
            appearance: appearance ?? other.appearance, isInBackground: isInBackground,
            space: space == .legacy ? .legacy : other.space)
    }
}
