internal import ANCS

/// Records which notifications an accessory fetched, and which it ignored although it had the time.
///
/// An accessory is free to ignore notifications that are older than the session (R54), silent or not
/// important (R20), or of certain categories, and to fetch only on demand (R55). Therefore, a notification
/// that tests a requirement is compared with others that differ from it in that respect only.
struct FetchChoices: Sendable {
    /// The properties by which an accessory may choose.
    package struct Kind: Hashable, Sendable {
        package var isPreExisting: Bool
        package var isSilent: Bool
        package var isImportant: Bool
        package var category: CategoryID
        /// The number of the session in the run.
        package var session = 0

        init(_ source: NotificationSourceValue) {
            isPreExisting = source.eventFlags.contains(.preExisting)
            isSilent = source.eventFlags.contains(.silent)
            isImportant = source.eventFlags.contains(.important)
            category = source.categoryID
        }
    }

    /// A notification that tests a requirement and was ignored.
    private struct Suspect {
        var requirement: Requirement
        var kind: Kind
        var evidence: String
        var time: MonotonicInstant
    }

    /// The number of suspects that are kept; further ones would add little.
    private static let maximumCount = 200

    /// A requirement that a fetched notification has shown to be met: one on reserved categories for its category, and
    /// each for its session only, but for those on UIDs: who has once asked about such a UID can handle it.
    private struct Merit: Hashable {
        var requirement: Requirement
        var category: CategoryID?
        var session: Int

        init(_ requirement: Requirement, _ kind: Kind) {
            self.requirement = requirement
            category = requirement == .acceptsReservedCategories ? kind.category : nil
            let isOfUID =
                requirement == .handlesIdentifierZero || requirement == .handlesLargeIdentifiers
            session = isOfUID ? 0 : kind.session
        }
    }

    private var merits: Set<Merit> = []
    /// The kinds of the notifications that test no requirement and were fetched.
    private var fetched: Set<Kind> = []
    private var leftAlone: Set<Kind> = []
    private var suspects: [Suspect] = []

    /// Records a notification that the accessory had the time to fetch.
    package mutating func append(
        _ source: NotificationSourceValue, session: Int, isFetched: Bool, evidence: String,
        at time: MonotonicInstant
    ) {
        var kind = Kind(source)
        kind.session = session
        let requirements = Self.requirements(of: source)
        if requirements.isEmpty {
            if isFetched { fetched.insert(kind) } else { leftAlone.insert(kind) }
        } else if isFetched {
            merits.formUnion(requirements.map { Merit($0, kind) })
        } else if suspects.count < Self.maximumCount {
            suspects += requirements.map {
                Suspect(requirement: $0, kind: kind, evidence: evidence, time: time)
            }
        }
    }

    /// The requirements that a notification tests by its kind.
    package static func requirements(of source: NotificationSourceValue) -> [Requirement] {
        var requirements: [Requirement] = []
        if source.notificationUID.rawValue == 0 { requirements.append(.handlesIdentifierZero) }
        if source.notificationUID.rawValue >= 1 << 31 {
            requirements.append(.handlesLargeIdentifiers)
        }
        if source.eventFlags.rawValue >= 1 << 5 { requirements.append(.acceptsReservedFlags) }
        if source.categoryID.rawValue > 11 { requirements.append(.acceptsReservedCategories) }
        return requirements
    }

    /// The requirements because of which notifications were ignored, each with its evidence.
    var refusals: [(requirement: Requirement, evidence: String, time: MonotonicInstant)] {
        suspects.filter(isRefused).map {
            (requirement: $0.requirement, evidence: $0.evidence, time: $0.time)
        }
    }

    /// Whether only the requirement distinguishes an ignored notification from others that were fetched in the same
    /// session or a later one. If none were, the accessory may have stopped fetching altogether, as one has that fetched
    /// others of the kind before in the same session.
    private func isRefused(_ suspect: Suspect) -> Bool {
        guard !merits.contains(Merit(suspect.requirement, suspect.kind)) else { return false }
        let fetched = fetched.filter { $0.isLike(suspect.kind) }
        guard suspect.requirement == .acceptsReservedCategories else {
            return fetched.contains { $0.category == suspect.kind.category }
        }
        // An accessory that chooses by category may have chosen these.
        return !fetched.isEmpty && !leftAlone.contains { $0.isLike(suspect.kind) }
    }
}

extension FetchChoices.Kind {
    /// Whether an accessory that fetches this kind has no reason to ignore the other, apart from the
    /// category. Notifications older than the session may be of interest in the first session only.
    fileprivate func isLike(_ other: Self) -> Bool {
        isPreExisting == other.isPreExisting && isSilent == other.isSilent
            && isImportant == other.isImportant
            && (isPreExisting ? session == other.session : session >= other.session)
    }
}
