extension ServiceEvent {
    /// The record and what happened to it; `nil` for an event that is not about a record.
    package var record: (record: Record, event: Record.Event)? {
        switch self {
        case .announced(let record): (record, .announced)
        case .added(let record): (record, .added)
        case .modified(let record): (record, .modified)
        case .removed(let record, _): (record, .removed)
        // The record itself says that it rings.
        case .call(_, .incoming): nil
        case .call(let record, .answered): (record, .answered)
        case .call(let record, .ended): (record, .ended)
        case .phone, .forgotten, .pairing, .pairingStep, .pairingWindow, .state: nil
        }
    }
}
