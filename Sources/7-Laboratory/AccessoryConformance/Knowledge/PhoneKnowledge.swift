internal import ANCSKit

/// What the phone itself has done deliberately, and the state that it is in, as far as an accessory notices.
struct PhoneKnowledge: Sendable {
    /// The state of ANCS.
    var service = ScenarioService()
    /// The faults that have yet to affect commands.
    var faults = FaultQueue()
    /// How it answers, which scenarios change.
    private var behavior = ProviderBehavior()
    /// Whether answers have another order than the request.
    var isReordering: Bool { behavior.attributeOrder != .asRequested }
    var responsiveness: ProviderBehavior.Responsiveness { behavior.responsiveness }
    /// Whether commands are permitted (S1).
    var hasConsent = true
    /// The entry at which the clock was last adjusted; `nil` if it was not.
    var clockChange: Int?
    /// Whether the phone ended the link, or lost it deliberately.
    var isLinkEndExpected = false
    var isBondForgotten = false

    /// Applies the effect of a step; `entry` is the number of the next entry.
    mutating func follow(_ effect: ScenarioEffect, entry: Int) {
        service.follow(effect, entry: entry)
        switch effect {
        case .fault(.answer(let fault)):
            faults.append(fault)
            if case .dropLink = fault.effect { isLinkEndExpected = true }
        case .fault(.media(.linkLoss)): isLinkEndExpected = true
        case .behavior(let change): change.apply(to: &behavior)
        case .consent(let isGiven): hasConsent = isGiven
        case .clock: clockChange = entry
        case .linkEnd: isLinkEndExpected = true
        case .bondForgotten: isBondForgotten = true
        case .faultsCleared: faults.removeAll()
        case .published, .unpublished, .pairing, .fault(.droppedSubscriptions), .fault(.parameters),
            .fault(.media), .fault(.positionJump), .media:
            break
        }
    }
}
