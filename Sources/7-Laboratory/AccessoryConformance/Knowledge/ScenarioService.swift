internal import ANCSProvider

/// The state of the phone's ANCS, as changed by the steps of a scenario.
package struct ScenarioService: Sendable {
    package var isPublished = true
    private var behavior = ProviderBehavior()
    /// Whether it is visible on encrypted links only.
    var isHiddenUntilEncrypted: Bool { behavior.hidesServiceUntilEncrypted }
    /// The entry since which it has been present again, and whether Service Changed was indicated.
    var returned: (entry: Int, isAnnounced: Bool)?

    /// Applies the effect of a step; `entry` is the number of the next entry.
    package mutating func follow(_ effect: ScenarioEffect, entry: Int) {
        switch effect {
        case .behavior(let change): change.apply(to: &behavior)
        case .unpublished: isPublished = false
        case .published(let isAnnounced):
            if !isPublished { returned = (entry, isAnnounced) }
            isPublished = true
        case .fault, .faultsCleared, .consent, .clock, .linkEnd, .pairing, .bondForgotten, .media:
            break
        }
    }
}
