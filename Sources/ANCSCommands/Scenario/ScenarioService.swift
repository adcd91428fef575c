/// How the phone has ANCS, by the steps of a scenario.
struct ScenarioService: Sendable {
    var isPublished = true
    /// Only encrypted links see it.
    var isHiddenUntilEncrypted = false
    /// From which entry on it has been there again, and whether Service Changed told it.
    var returned: (entry: Int, isAnnounced: Bool)?

    /// The phone does what a step says; `entry` is the next.
    mutating func follow(_ effect: ScenarioEffect, entry: Int) {
        switch effect {
        case .behavior(let change):
            isHiddenUntilEncrypted = change.isHiddenUntilEncrypted ?? isHiddenUntilEncrypted
        case .unpublished: isPublished = false
        case .published(let isAnnounced):
            if !isPublished { returned = (entry, isAnnounced) }
            isPublished = true
        case .fault, .consent, .linkEnd, .bondForgotten: break
        }
    }
}
