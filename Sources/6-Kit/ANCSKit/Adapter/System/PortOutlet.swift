/// Passes the events of a port to its owner: in order with all events of the system, and never during a call of the
/// owner.
///
/// Confined to the loop's thread.
final class PortOutlet<Event: Sendable>: @unchecked Sendable {
    // Unchecked: see the type's comment.

    private let system: SystemDriver
    private var owner: (@Sendable (Event) -> Void)?
    /// How many events wait for the end of the present step.
    private var waiting = 0

    init(_ system: SystemDriver) { self.system = system }

    /// Whether an owner receives events.
    var isOpen: Bool { owner != nil }

    func open(_ owner: @escaping @Sendable (Event) -> Void) { self.owner = owner }

    /// Passes nothing any more.
    func close() { owner = nil }

    /// Passes an event once everything that has happened so far has been delivered.
    func send(_ event: Event) {
        waiting += 1
        system.later { [self] in
            waiting -= 1
            owner?(event)
        }
    }

    /// Passes an event at once, unless others wait: only at the end of a delivery of the system to the port.
    func pass(_ event: Event) { if waiting == 0 { owner?(event) } else { send(event) } }
}
