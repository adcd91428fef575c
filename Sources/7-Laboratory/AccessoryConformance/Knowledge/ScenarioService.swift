internal import ANCSProvider

/// The state of the phone's ANCS, as changed by the steps of a scenario.
package struct ScenarioService: Sendable {
    package var isPublished = true
    /// The handle of its declaration, at first an iPhone's.
    private var handle: UInt16 = 0x23
    private var behavior = ProviderBehavior()
    /// Whether it is visible on encrypted links only.
    var isHiddenUntilEncrypted: Bool { behavior.hidesServiceUntilEncrypted }
    /// The entry since which it has been present again, and whether Service Changed was indicated.
    var returned: (entry: Int, isAnnounced: Bool)?

    /// Where commands are written.
    static let place = "commands belong to the Control Point"

    /// The characteristic of ANCS with its value at a handle, of those that no command is written to.
    func source(at value: UInt16) -> String? {
        switch Int(value) - Int(handle) {
        case 2: "Notification Source"
        case 8: "Data Source"
        default: nil
        }
    }

    /// Applies the effect of a step; `entry` is the number of the next entry.
    package mutating func follow(_ effect: ScenarioEffect, entry: Int) {
        switch effect {
        case .behavior(let change): change.apply(to: &behavior)
        case .unpublished: isPublished = false
        case .published(let handle, let isAnnounced):
            if !isPublished {
                (returned, self.handle) = ((entry, isAnnounced), handle ?? self.handle)
            }
            isPublished = true
        case .fault, .faultsCleared, .consent, .clock, .linkEnd, .pairing, .bondForgotten, .media:
            break
        }
    }
}
