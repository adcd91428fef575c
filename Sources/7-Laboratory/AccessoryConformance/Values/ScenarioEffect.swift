package import ANCSKit

/// The effect of an action on the grading of accessories.
package enum ScenarioEffect: Sendable {
    /// A deliberate fault.
    case fault(ScenarioFault)
    /// Faults that have not taken effect do not.
    case faultsCleared
    case behavior(BehaviorChange)
    case consent(Bool)
    /// The clock of the phone is adjusted.
    case clock
    /// The phone ends links, and hears nothing for a time.
    case linkEnd(deafFor: Duration = .zero)
    /// The phone pairs by itself.
    case pairing
    case bondForgotten
    case published(at: UInt16? = nil, isAnnounced: Bool)
    case unpublished(isAnnounced: Bool = true)
    /// The Apple Media Service is offered, or withdrawn.
    case media(MediaService?, isAnnounced: Bool)
}
