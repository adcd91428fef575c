package import ANCSKit

/// A fault that occurs once or a few times.
package enum ScenarioFault: Equatable, Sendable {
    /// A fault in the next answers of the Control Point.
    case answer(AnswerFault)
    /// The phone forgets the accessory's subscriptions without indicating it (S27).
    case droppedSubscriptions([ProviderSession.Characteristic])
    /// A fault in the next answers to requests for connection parameters.
    case parameters(ParameterFault, count: Int)
    /// A fault of the Apple Media Service.
    case media(MediaFault)
    /// The position of the player jumps back.
    case positionJump(Duration)
}
