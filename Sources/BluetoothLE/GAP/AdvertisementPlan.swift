/// Where everything that is to be advertised finds its place on air, octet by octet.
///
/// Core Bluetooth's rules, which are counted without the two header octets of each AD structure: 28
/// octets of the advertisement for any combination of local name and service UUIDs, then 10 octets
/// of the scan response for the local name alone; service UUIDs that do not fit go to the
/// ``OverflowArea``; in the background there is no local name, and every service UUID is in the
/// overflow. Of the 31 octets of an advertising PDU (Core Vol 6, Part B, 2.3.1) the flags take 3, so
/// that 28 are left *with* the headers: where the two disagree, the air wins, and one structure has
/// at most 26 octets of contents, two have 24, three have 22.
///
///     advertisement  flags, solicited UUIDs, appearance, service UUIDs, local name
///     scan response  local name (at most 10 octets), overflow area
///
/// Within a kind the order of the UUIDs is the one that was asked for, 16-bit forms first, then
/// 32-bit forms, then 128-bit forms: every UUID goes out in its narrowest form, since a list may be on
/// air once for each width (Supplement, Part A, 1.1.1).
public struct AdvertisementPlan: Hashable, Sendable {
    /// What is wanted on air.
    public struct Wanted: Hashable, Sendable {
        /// The name; none and an empty one are the same.
        public var localName: String?
        /// Services of this device, the most important one first. One that is there twice counts
        /// once.
        public var services: [BluetoothUUID]
        /// Services that only a scanner is to find that asks for them: those of a program in the
        /// background beside one in the foreground.
        public var backgroundServices: [BluetoothUUID]
        /// Services that this device wants its peer to have. Our extension.
        public var solicitedServices: [BluetoothUUID]
        /// What this device looks like (Assigned Numbers, 2.6). Our extension.
        public var appearance: UInt16?
        /// Whether nobody looks at the program: no local name then, and every service UUID is in the
        /// overflow area.
        public var isInBackground: Bool
        /// How much of the air may be used.
        public var space: Space

        /// Nothing but flags, unless said otherwise.
        public init(
            localName: String? = nil, services: [BluetoothUUID] = [],
            backgroundServices: [BluetoothUUID] = [], solicitedServices: [BluetoothUUID] = [],
            appearance: UInt16? = nil, isInBackground: Bool = false, space: Space = .coreBluetooth
        ) {
            self.localName = localName
            self.services = services
            self.backgroundServices = backgroundServices
            self.solicitedServices = solicitedServices
            self.appearance = appearance
            self.isInBackground = isInBackground
            self.space = space
        }
    }

    /// How much of the air may be used.
    public enum Space: Hashable, Sendable {
        /// 10 octets of the scan response, for the local name only.
        case coreBluetooth
        /// All 31 octets of both PDUs: service UUIDs and long names may go to the scan response.
        case legacy
    }

    /// Why something cannot be on air at all.
    public enum PlanningError: Error, Hashable, Sendable {
        /// Solicited UUIDs and appearance are so many octets longer than the advertisement. They have
        /// no overflow.
        case extensionsTooLong(excess: Int)
    }

    /// Where one thing went.
    public struct Placement: Hashable, Sendable {
        /// The thing.
        public var item: Item
        /// Its place.
        public var place: Place
        /// How many octets of a local name are on air, where it is not on air whole.
        public var shortenedTo: Int?

        /// A value of its fields.
        public init(_ item: Item, _ place: Place, shortenedTo: Int? = nil) {
            self.item = item
            self.place = place
            self.shortenedTo = shortenedTo
        }
    }

    /// A thing that was to be advertised.
    public enum Item: Hashable, Sendable {
        /// The name.
        case localName(String)
        /// A service of this device.
        case service(BluetoothUUID)
        /// A service that this device wants its peer to have.
        case solicitedService(BluetoothUUID)
        /// What this device looks like.
        case appearance(UInt16)
    }

    /// A place for what is advertised.
    public enum Place: Hashable, Sendable {
        /// What everybody in range hears.
        case advertisement
        /// What one hears who asks.
        case scanResponse
        /// Found only by a scanner that asks for it.
        case overflow
        /// Not on air: a name in the background, or one of which not even one character fits.
        case leftOut
    }

    /// What was wanted.
    public let wanted: Wanted
    /// What is on air, with the default intervals of ``Advertisement``.
    public let advertisement: Advertisement
    /// The advertising data on air, at most 31 octets.
    public let advertisementOctets: [UInt8]
    /// The scan response on air, at most 31 octets.
    public let scanResponseOctets: [UInt8]
    /// Where everything went: solicited UUIDs, appearance, service UUIDs, local name, each in the order
    /// in which it was wanted.
    public let placements: [Placement]

    /// How many octets of the advertisement nothing uses.
    public var freeInAdvertisement: Int {
        AdvertisingData.legacyLimit - advertisementOctets.count
    }

    /// How many octets of the scan response nothing uses.
    public var freeInScanResponse: Int { AdvertisingData.legacyLimit - scanResponseOctets.count }

    /// The octets that the flags take: general discoverable, no BR/EDR.
    static let flagsSize = 3
    /// The octets of a local name that may be in the scan response. Core Bluetooth.
    static let scanResponseNameLimit = 10

    /// Finds a place for everything.
    public init(_ wanted: Wanted) throws(PlanningError) {
        var packing = try AdvertisementPacking(wanted)
        packing.placeServices()
        packing.placeOverflow()
        packing.placeName()
        self.wanted = wanted
        placements = packing.placements
        advertisement = packing.advertisement
        do throws(AdvertisingData.EncodingError) {
            advertisementOctets = try advertisement.data.encoded()
            scanResponseOctets = try advertisement.scanResponse.encoded()
        } catch { preconditionFailure("a plan counted its octets wrong") }
    }
}

extension AdvertisementPlan.Wanted {
    /// What two programs want who share one device: the services of both, those of the one in the
    /// background in the overflow area only; of two names or appearances, this one's.
    public func merging(_ other: Self) -> Self {
        if isInBackground != other.isInBackground {
            let (foreground, background) = isInBackground ? (other, self) : (self, other)
            var hidden = background
            hidden.localName = nil
            hidden.backgroundServices = background.services + background.backgroundServices
            hidden.services = []
            hidden.isInBackground = false
            return foreground.merging(hidden)
        }
        return Self(
            localName: localName ?? other.localName, services: services + other.services,
            backgroundServices: backgroundServices + other.backgroundServices,
            solicitedServices: solicitedServices + other.solicitedServices,
            appearance: appearance ?? other.appearance, isInBackground: isInBackground,
            space: space == .legacy ? .legacy : other.space)
    }
}
