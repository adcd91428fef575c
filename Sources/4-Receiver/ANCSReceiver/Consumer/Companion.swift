package import Octets

/// What a program uses on the links of a consumer beside ANCS, as its configuration says. Modules of their own bring it,
/// so that who receives notifications alone compiles nothing of it.
package protocol CompanionPlan: Sendable {
    /// The use of the service by one consumer.
    func makeUse() -> any CompanionUse
}

/// The use of a service beside ANCS by one consumer.
package protocol CompanionUse: Sendable {
    /// The client of a phone that has connected, on the loop of the consumer.
    func makeClient(of phone: PhoneID, identity: String?) -> any CompanionClient
    /// The consumer has ended.
    func finish()
}

/// The use of a service beside ANCS on one link. Confined to the loop of the consumer.
package protocol CompanionClient: AnyObject {
    /// The identity address of the phone; `nil` until it is bonded.
    var identity: String? { get set }
    /// Something happened to the service.
    func receive(_ event: CompanionEvent, at now: MonotonicInstant)
    /// When ``handleTimeout(at:)`` is due; `nil` for never.
    var nextDeadline: MonotonicInstant? { get }
    func handleTimeout(at now: MonotonicInstant)
    /// The next request for the link; `nil` for none now. While ANCS fetches, `isBusy`, only what a user waits for.
    func nextRequest(isBusy: Bool) -> CompanionRequest?
    /// The next thing that the user should know.
    func nextWarning() -> DeviceWarning?
    /// The link is gone; `isLost` if not by this side.
    func end(isLost: Bool, at now: MonotonicInstant)
}
