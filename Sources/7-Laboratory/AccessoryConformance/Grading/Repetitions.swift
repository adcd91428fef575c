internal import ANCS

/// Commands that ask again for what was answered and has not changed. What they show depends on the others: one that
/// follows an answer in another order, or a removal, is caused by that only if the accessory does not repeat what it
/// asks for anyway.
struct Repetitions: Sendable {
    /// What a command follows.
    enum Occasion: Sendable {
        /// An answer.
        case ordinary
        /// An answer whose attributes came in another order than the request.
        case afterOtherOrder
        /// The removal of the notification.
        case afterRemoval
    }

    /// How many are kept; further ones say nothing new.
    private static let maximumCount = 200

    private var all: [(occasion: Occasion, uid: NotificationUID, time: MonotonicInstant)] = []

    mutating func append(_ occasion: Occasion, of uid: NotificationUID, at time: MonotonicInstant) {
        if all.count < Self.maximumCount { all.append((occasion, uid, time)) }
    }

    /// The requirements that they break.
    var findings: [(requirement: Requirement, evidence: String, time: MonotonicInstant)] {
        let repeatsAnyway = all.contains { $0.occasion == .ordinary }
        return all.map { occasion, uid, time in
            switch occasion {
            case .afterOtherOrder where !repeatsAnyway:
                (
                    .acceptsAnyOrder,
                    "it asked again for UID \(uid) after an answer whose attributes came in another "
                        + "order", time
                )
            case .afterRemoval where !repeatsAnyway:
                (
                    .asksNothingAboutRemoved,
                    "it asked for UID \(uid), which had been removed: all that it asked for was "
                        + "answered before, and had not changed", time
                )
            case .ordinary, .afterOtherOrder, .afterRemoval:
                (
                    .fetchesOnce,
                    "it asked again for the same attributes of UID \(uid), which had not changed",
                    time
                )
            }
        }
    }
}
