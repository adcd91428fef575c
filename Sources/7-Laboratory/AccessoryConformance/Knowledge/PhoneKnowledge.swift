internal import ANCSKit

/// What the phone itself has done deliberately, and the state that it is in, as far as an accessory notices.
struct PhoneKnowledge: Sendable {
    /// Where commands are written.
    static let place = "commands belong to the Control Point"

    /// Whether it has ANCS.
    var isPublished = true
    /// The handle of the declaration of ANCS, at first an iPhone's.
    private var handle: UInt16 = 0x23
    /// The entry since which ANCS has been present again, and whether Service Changed was indicated.
    var returned: (entry: Int, isAnnounced: Bool)?
    /// The faults that have yet to affect commands.
    var faults = FaultQueue()
    /// How it answers, which scenarios change.
    private var behavior = ProviderBehavior()
    /// Whether ANCS is visible on encrypted links only.
    var isHiddenUntilEncrypted: Bool { behavior.hidesServiceUntilEncrypted }
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

    /// The characteristic of ANCS with its value at a handle, of those that no command is written to.
    func source(at value: UInt16) -> String? {
        switch Int(value) - Int(handle) {
        case 2: "Notification Source"
        case 8: "Data Source"
        default: nil
        }
    }

    /// Applies the effect of a step; `entry` is the number of the next entry.
    mutating func follow(_ effect: ScenarioEffect, entry: Int) {
        switch effect {
        case .unpublished: isPublished = false
        case .published(let handle, let isAnnounced) where !isPublished:
            (returned, self.handle) = ((entry, isAnnounced), handle ?? self.handle)
            isPublished = true
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
        case .published, .pairing, .fault(.droppedSubscriptions), .fault(.parameters),
            .fault(.media), .fault(.positionJump), .media:
            break
        }
    }
}
