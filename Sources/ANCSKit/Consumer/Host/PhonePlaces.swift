internal import Octets

/// Who has the places of the phones. A place is for a phone: a link that offers ANCS, or one that is about
/// to. Whoever else connects keeps its link only until it turns out to be of no use, and never at the
/// expense of a bonded phone:
///
/// - While a bonded phone is away, links that may be no phone's do not count, so that this device stays on
///   air beside them; when the phone has come, they end.
/// - Where the controller cannot advertise beside a link, they end as soon as a search has found no ANCS.
/// - In any case they end after some minutes.
/// - While a bonded phone is away, they do not take the last link that the controller has: the oldest ends.
///
/// The address of a phone is no proof of one. It counts for a few seconds, so that this device goes off air
/// at once when its phone comes, and for nothing after it has been misused.
struct PhonePlaces: Sendable {
    /// Times; none of them is prescribed.
    struct Configuration: Hashable, Sendable {
        /// How many phones there may be at once.
        var maximum = 1
        /// How long a link without ANCS is kept. The service may appear late (R5, S2), and a link that is
        /// ended may not come back by itself.
        var serviceLimit = Duration.seconds(3 * 60)
        /// How long one is kept that has just paired, where it stands in the way of a bonded phone.
        var pairedLimit = Duration.seconds(30)
        /// How long the address of a bonded phone is taken for that phone, without any proof. iPhones
        /// encrypt within a second.
        var timeToProve = Duration.seconds(5)
    }

    /// A link to what may be a phone.
    struct Occupant: Hashable, Sendable {
        let provider: ProviderID
        /// It has the identity of a bonded peer that has offered ANCS before.
        var isKnownPhone: Bool
        /// Its address counts, for a while.
        let isTrusted: Bool
        /// Its keys prove its identity.
        var isProven = false
        /// It offers ANCS.
        var hasService = false
        /// ANCS was searched for, and not found.
        var lacksService = false
        /// When it connected, or paired, or ANCS went away.
        var since: MonotonicInstant
        let connectedAt: MonotonicInstant
        var pairedAt: MonotonicInstant?
        /// It was told to end, and is there until the controller has ended it.
        var isLeaving = false
    }

    private let configuration: Configuration
    /// In the order in which they connected.
    private(set) var occupants: [Occupant] = []
    /// Whether a bonded phone is away.
    private var isPhoneAway = false
    /// Whether this device can be found beside the links.
    private var isOnAir = false
    /// Whether there are as many links as there can be.
    private var isFull = false
    /// Whether the address of a phone counts on the next link. On the last one it may have proven nothing.
    private var isAddressTrusted = true

    init(_ configuration: Configuration = Configuration()) { self.configuration = configuration }

    // MARK: What happens

    mutating func connected(_ provider: ProviderID, isKnownPhone: Bool, at now: MonotonicInstant) {
        occupants.append(
            Occupant(
                provider: provider, isKnownPhone: isKnownPhone, isTrusted: isAddressTrusted,
                since: now, connectedAt: now))
    }

    mutating func disconnected(_ provider: ProviderID) {
        if occupants.contains(where: { $0.provider == provider && $0.isUnprovenPhone }) {
            isAddressTrusted = false
        }
        occupants.removeAll { $0.provider == provider }
    }

    /// The keys of a bond prove who has the link.
    mutating func proven(_ provider: ProviderID, isKnownPhone: Bool) {
        change(provider) { occupant in
            occupant.isProven = true
            occupant.isKnownPhone = isKnownPhone || occupant.hasService
        }
        isAddressTrusted = true
    }

    /// Without a bond there are no keys that prove anything next time.
    mutating func paired(_ provider: ProviderID, isBonded: Bool, at now: MonotonicInstant) {
        change(provider) { occupant in
            occupant.isKnownPhone = occupant.hasService && isBonded
            occupant.isProven = isBonded
            occupant.pairedAt = now
            occupant.since = now
        }
    }

    mutating func serviceFound(_ provider: ProviderID) {
        change(provider) { occupant in
            occupant.hasService = true
            occupant.lacksService = false
            if occupant.isProven { occupant.isKnownPhone = true }
        }
    }

    mutating func serviceLost(_ provider: ProviderID, at now: MonotonicInstant) {
        change(provider) { occupant in
            if exchange(&occupant.hasService, with: false) { occupant.since = now }
        }
    }

    mutating func serviceLacks(_ provider: ProviderID) {
        change(provider) { $0.lacksService = true }
    }

    mutating func leaving(_ provider: ProviderID) { change(provider) { $0.isLeaving = true } }

    /// What is so at the moment.
    mutating func update(isPhoneAway: Bool, isOnAir: Bool, isFull: Bool = false) {
        self.isPhoneAway = isPhoneAway
        self.isOnAir = isOnAir
        self.isFull = isFull
    }

    private mutating func change(_ provider: ProviderID, _ body: (inout Occupant) -> Void) {
        guard let index = occupants.firstIndex(where: { $0.provider == provider }) else { return }
        body(&occupants[index])
    }

    // MARK: What follows

    /// Whether a link counts as a phone's.
    func isPhone(_ provider: ProviderID, at now: MonotonicInstant) -> Bool {
        occupants.contains { $0.provider == provider && isPhone($0, at: now) }
    }

    /// For how many links this device is to be found.
    func maximumCentrals(at now: MonotonicInstant) -> Int {
        let others = occupants.count { !isPhone($0, at: now) }
        return configuration.maximum + (isPhoneAway ? others : 0)
    }

    /// The links that end now.
    func overdue(at now: MonotonicInstant) -> [ProviderID] {
        occupants.filter { end(of: $0, at: now).map { $0 <= now } ?? false }.map(\.provider)
    }

    /// When something follows from the mere time.
    func nextDeadline(at now: MonotonicInstant) -> MonotonicInstant? {
        occupants.reduce(nil) { earliest, occupant in
            var proof: MonotonicInstant?
            if occupant.isUnprovenPhone, isPhone(occupant, at: now) {
                proof = occupant.connectedAt + configuration.timeToProve
            }
            return .earliest(earliest, .earliest(proof, end(of: occupant, at: now)))
        }
    }

    private func isPhone(_ occupant: Occupant, at now: MonotonicInstant) -> Bool {
        if occupant.isLeaving { return false }
        if occupant.hasService { return true }
        guard occupant.isKnownPhone else { return false }
        return occupant.isProven
            || occupant.isTrusted && now < occupant.connectedAt + configuration.timeToProve
    }

    /// When a link ends that is of no use; `nil` for one that is.
    private func end(of occupant: Occupant, at now: MonotonicInstant) -> MonotonicInstant? {
        if occupant.hasService || occupant.isLeaving { return nil }
        let isPhone = isPhone(occupant, at: now)
        // The link of a phone whose service went away is of use to nobody else.
        if isPhone, !isPhoneAway { return nil }
        let limit = occupant.since + configuration.serviceLimit
        if isPhone { return limit }
        let phones = occupants.count { self.isPhone($0, at: now) && !$0.isUnprovenPhone }
        if phones >= configuration.maximum { return now }
        if isPhoneAway, isFull, occupant == firstOther(at: now) { return now }
        guard isPhoneAway, !isOnAir, occupant.lacksService else { return limit }
        return occupant.pairedAt.map { $0 + configuration.pairedLimit } ?? now
    }

    /// The oldest link that is no phone's, unless one that is ending makes room already.
    private func firstOther(at now: MonotonicInstant) -> Occupant? {
        if occupants.contains(where: \.isLeaving) { return nil }
        return occupants.first { !isPhone($0, at: now) }
    }
}

extension PhonePlaces.Occupant {
    /// It has the address of a phone, which is all that speaks for it.
    fileprivate var isUnprovenPhone: Bool { isKnownPhone && !isProven && !hasService }
}
