internal import Octets

/// Delivers events of a client to its own owner: in order with all events of the system, and never during a
/// call of the owner. What is still queued when it is deallocated is dropped.
final class SystemDeliveries<Event: Sendable>: @unchecked Sendable {
    // Unchecked: confined to the loop's thread, as the driver is.

    private let system: SystemDriver
    private var waiting = Queue<Event>()
    /// One closure for all events, because each closure is an allocation.
    private var reportNext: @Sendable () -> Void = {}

    init(_ system: SystemDriver, to deliver: @escaping @Sendable (Event) -> Void) {
        self.system = system
        reportNext = { [weak self] in
            if let self, let event = waiting.popFirst() { deliver(event) }
        }
    }

    func send(_ event: Event) {
        waiting.append(event)
        system.later(reportNext)
    }
}
