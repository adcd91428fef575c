internal import Octets

/// Decides which links occupy the places for phones. A place is for a link with ANCS, or one that may have
/// ANCS soon. Every bonded phone has a place, and one that may pair gets another, up to the limit: this
/// device advertises while a bonded phone is not connected or a phone may pair, beside the phones that are.
/// No phone's link is ended for another phone.
///
/// Another device keeps its link only until it turns out to have no ANCS, and never at the expense of a bonded
/// phone:
///
/// - While a bonded phone is not connected, links that may not be a phone's do not count, so that this device
///   keeps advertising beside them; when the phone connects, they are ended.
/// - If the controller cannot advertise beside a link, they are ended as soon as a search has found no ANCS.
/// - In any case they are ended after some minutes.
/// - While a bonded phone is not connected, they may not use the last link of the controller: the oldest one
///   is ended.
///
/// The address of a phone proves nothing. It counts for a few seconds, so that this device stops advertising
/// at once when its phone connects, and not at all after it has been misused.
struct PhonePlaces: Sendable {
    /// Times; none is prescribed by a specification.
    struct Configuration: Equatable, Sendable {
        /// How many phones there may be at once.
        var maximum = ConsumerConfiguration.standardProviders
        /// How long a link without ANCS is kept. The service may appear late (R5, S2), and a phone whose link
        /// is ended may not come back on its own.
        var serviceLimit = Duration.seconds(3 * 60)
        /// How long a link that has just paired is kept, if it blocks a bonded phone.
        var pairedLimit = Duration.seconds(30)
        /// How long a link with the address of a bonded phone counts as that phone without proof. iPhones
        /// encrypt within a second.
        var timeToProve = Duration.seconds(5)
    }

    /// A link that may be a phone's.
    struct Occupant: Equatable, Sendable {
        let provider: PhoneID
        /// Whether it has the identity of a bonded peer that has offered ANCS before.
        var isKnownPhone: Bool
        /// Whether its address counts for a while.
        let isTrusted: Bool
        /// Whether its keys have proven its identity.
        var isProven = false
        /// Whether it offers ANCS.
        var hasService = false
        /// Whether a search has found no ANCS.
        var lacksService = false
        /// When it connected, or paired, or ANCS was removed.
        var since: MonotonicInstant
        let connectedAt: MonotonicInstant
        var pairedAt: MonotonicInstant?
        /// Whether its end was requested; the controller has yet to end it.
        var isLeaving = false
    }

    private let configuration: Configuration
    /// In order of connection.
    private(set) var occupants: [Occupant] = []
    /// How many bonded phones are not connected.
    private var phonesAway = 0
    /// Whether devices without a bond may pair.
    private var mayPair = false
    /// Whether this device can advertise beside the links.
    private var isOnAir = false
    /// Whether the limit of links is reached.
    private var isFull = false
    /// Whether the address of a phone counts on the next link. On the last one it may have been misused.
    private var isAddressTrusted = true

    init(_ configuration: Configuration = Configuration()) { self.configuration = configuration }

    // MARK: What happens

    mutating func connected(_ provider: PhoneID, isKnownPhone: Bool, at now: MonotonicInstant) {
        occupants.append(
            Occupant(
                provider: provider, isKnownPhone: isKnownPhone, isTrusted: isAddressTrusted,
                since: now, connectedAt: now))
    }

    mutating func disconnected(_ provider: PhoneID) {
        if occupants.contains(where: { $0.provider == provider && $0.isUnprovenPhone }) {
            isAddressTrusted = false
        }
        occupants.removeAll { $0.provider == provider }
    }

    /// The keys of a bond have proven the identity of a peer.
    mutating func proven(_ provider: PhoneID, isKnownPhone: Bool) {
        change(provider) { occupant in
            occupant.isProven = true
            occupant.isKnownPhone = isKnownPhone || occupant.hasService
        }
        isAddressTrusted = true
    }

    /// Without a bond, no keys can prove the identity next time.
    mutating func paired(_ provider: PhoneID, isBonded: Bool, at now: MonotonicInstant) {
        change(provider) { occupant in
            occupant.isKnownPhone = occupant.hasService && isBonded
            occupant.isProven = isBonded
            occupant.pairedAt = now
            occupant.since = now
        }
    }

    mutating func serviceFound(_ provider: PhoneID) {
        change(provider) { occupant in
            occupant.hasService = true
            occupant.lacksService = false
            if occupant.isProven { occupant.isKnownPhone = true }
        }
    }

    mutating func serviceLost(_ provider: PhoneID, at now: MonotonicInstant) {
        change(provider) { occupant in
            if exchange(&occupant.hasService, with: false) { occupant.since = now }
        }
    }

    mutating func serviceLacks(_ provider: PhoneID) { change(provider) { $0.lacksService = true } }

    mutating func leaving(_ provider: PhoneID) { change(provider) { $0.isLeaving = true } }

    /// Sets the current state.
    mutating func update(
        phonesAway: Int, mayPair: Bool = false, isOnAir: Bool, isFull: Bool = false
    ) {
        (self.phonesAway, self.mayPair, self.isOnAir) = (phonesAway, mayPair, isOnAir)
        self.isFull = isFull
    }

    private mutating func change(_ provider: PhoneID, _ body: (inout Occupant) -> Void) {
        guard let index = occupants.firstIndex(where: { $0.provider == provider }) else { return }
        body(&occupants[index])
    }

    // MARK: What follows

    /// Whether a link counts as a phone's.
    func isPhone(_ provider: PhoneID, at now: MonotonicInstant) -> Bool {
        occupants.contains { $0.provider == provider && isPhone($0, at: now) }
    }

    /// For how many links this device advertises. Before it knows a phone, for one: a device that may not pair
    /// is then told so.
    func maximumCentrals(at now: MonotonicInstant) -> Int {
        let others = occupants.filter { !holdsPlace($0, at: now) }
        let places = occupants.count - others.count + phonesAway + (mayPair ? 1 : 0)
        let beside = isPhoneAway ? others.count : mayPair ? others.count(where: \.lacksService) : 0
        return min(configuration.maximum, max(1, places)) + beside
    }

    private var isPhoneAway: Bool { phonesAway > 0 }

    /// Whether a link counts against the limit. While a bonded phone is not connected, ANCS alone is not
    /// enough: only a bond shows that the user wants it.
    private func holdsPlace(_ occupant: Occupant, at now: MonotonicInstant) -> Bool {
        isPhone(occupant, at: now) && (occupant.isKnownPhone || !isPhoneAway)
    }

    /// The links to end now.
    func overdue(at now: MonotonicInstant) -> [PhoneID] {
        occupants.filter { end(of: $0, at: now).map { $0 <= now } ?? false }.map(\.provider)
    }

    /// The next time at which something changes.
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

    /// When a link is ended for lack of ANCS; `nil` for never.
    private func end(of occupant: Occupant, at now: MonotonicInstant) -> MonotonicInstant? {
        if occupant.isLeaving { return nil }
        if isPhoneAway, isFull, occupant == firstOther(at: now) { return now }
        if occupant.hasService { return nil }
        let isPhone = isPhone(occupant, at: now)
        // No other device needs the place of a phone whose service was removed.
        if isPhone, !isPhoneAway { return nil }
        let limit = occupant.since + configuration.serviceLimit
        if isPhone { return limit }
        let phones = occupants.count { self.isPhone($0, at: now) && !$0.isUnprovenPhone }
        if phones >= configuration.maximum { return now }
        guard isPhoneAway, !isOnAir, occupant.lacksService else { return limit }
        return occupant.pairedAt.map { $0 + configuration.pairedLimit } ?? now
    }

    /// The oldest link that holds no place; `nil` if another one is already being ended.
    private func firstOther(at now: MonotonicInstant) -> Occupant? {
        if occupants.contains(where: \.isLeaving) { return nil }
        return occupants.first { !holdsPlace($0, at: now) }
    }
}

extension PhonePlaces.Occupant {
    /// Only its address indicates that it is a phone.
    fileprivate var isUnprovenPhone: Bool { isKnownPhone && !isProven && !hasService }
}
