internal import ANCS

/// Which notifications an accessory fetched, and which it left alone although it had the time.
///
/// An accessory is free to leave alone what was there before (R54), what is silent or not important (R20),
/// or a category, and to fetch only on demand (R55). So a notification that puts a rule to the test is
/// compared with those that are like it in everything but that.
struct FetchChoices: Sendable {
    /// What an accessory may choose by.
    struct Kind: Hashable, Sendable {
        var isPreExisting: Bool
        var isSilent: Bool
        var isImportant: Bool
        var category: CategoryID
        /// Counts the sessions of a run.
        var session: Int
    }

    /// A notification that was left alone although it puts a rule to the test.
    private struct Suspect {
        var rule: ConformanceRule
        var kind: Kind
        var evidence: String
    }

    /// What is not kept of a flood is much of the same.
    private static let maximumCount = 200

    /// The kinds of the notifications that put no rule to the test, by whether they were fetched.
    private var fetched: Set<Kind> = []
    private var leftAlone: Set<Kind> = []
    private var suspects: [Suspect] = []

    /// A notification had the time to be fetched.
    mutating func append(
        _ source: NotificationSourceValue, session: Int, isFetched: Bool, evidence: String
    ) {
        let kind = Kind(
            isPreExisting: source.eventFlags.contains(.preExisting),
            isSilent: source.eventFlags.contains(.silent),
            isImportant: source.eventFlags.contains(.important),
            category: source.categoryID, session: session)
        let rules = Self.rules(of: source)
        if rules.isEmpty {
            if isFetched { fetched.insert(kind) } else { leftAlone.insert(kind) }
        } else if !isFetched, suspects.count < Self.maximumCount {
            suspects += rules.map { Suspect(rule: $0, kind: kind, evidence: evidence) }
        }
    }

    /// The rules that only notifications of a certain kind put to the test.
    static func rules(of source: NotificationSourceValue) -> [ConformanceRule] {
        var rules: [ConformanceRule] = []
        if source.notificationUID.rawValue == 0 { rules.append(.handlesIdentifierZero) }
        if source.notificationUID.rawValue >= 1 << 31 { rules.append(.handlesLargeIdentifiers) }
        if source.eventFlags.rawValue >= 1 << 5 { rules.append(.acceptsReservedFlags) }
        if source.categoryID.rawValue > 11 { rules.append(.acceptsReservedCategories) }
        return rules
    }

    /// The rules for whose sake notifications were left alone, each with what shows it.
    var refusals: [(rule: ConformanceRule, evidence: String)] {
        suspects.filter(isRefused).map { (rule: $0.rule, evidence: $0.evidence) }
    }

    /// Whether nothing but what the rule is about distinguishes a notification that was left alone from
    /// those that were fetched, then or later: an accessory may also have stopped fetching altogether.
    private func isRefused(_ suspect: Suspect) -> Bool {
        let fetched = fetched.filter { $0.isLike(suspect.kind) }
        guard suspect.rule == .acceptsReservedCategories else {
            return fetched.contains { $0.category == suspect.kind.category }
        }
        // An accessory that chooses among the categories may have chosen these.
        return !fetched.isEmpty && !leftAlone.contains { $0.isLike(suspect.kind) }
    }
}

extension FetchChoices.Kind {
    /// Whether an accessory that fetches this has no reason to leave the other alone, but for the
    /// category. What was there before may be of interest in the first session only.
    fileprivate func isLike(_ other: Self) -> Bool {
        isPreExisting == other.isPreExisting && isSilent == other.isSilent
            && isImportant == other.isImportant
            && (isPreExisting ? session == other.session : session >= other.session)
    }
}
