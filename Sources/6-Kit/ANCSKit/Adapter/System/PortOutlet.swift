internal import Octets

/// Passes the events of a port to its owner: in order with all events of the system, and never during a call of the
/// owner.
///
/// Confined to the loop's thread.
final class PortOutlet<Event: Sendable>: @unchecked Sendable {
    // Unchecked: see the type's comment.

    private let desk: SystemDesk
    private var owner: (@Sendable (Event) -> Void)?
    /// The events for the end of the present step.
    private var waiting = Queue<Event>(keepingOctets: 1_024)

    init(_ system: SystemDriver) { desk = system.desk }

    /// Whether an owner receives events.
    var isOpen: Bool { owner != nil }

    func open(_ owner: @escaping @Sendable (Event) -> Void) { self.owner = owner }

    /// Passes nothing any more.
    func close() { owner = nil }

    /// Passes an event once everything that has happened so far has been delivered.
    func send(_ event: consuming Event) {
        waiting.append(event)
        // A closure of one object needs no storage of its own, so the event is not in it.
        desk.later { [self] in passNext() }
    }

    private func passNext() { if let event = waiting.popFirst() { owner?(event) } }

    /// Passes an event at once, unless others wait: only at the end of a delivery of the system to the port.
    func pass(_ event: consuming Event) {
        if waiting.isEmpty { owner?(event) } else { send(event) }
    }
}
