extension ServiceEvent {
    /// The record and what happened to it; `nil` for an event that is not about a record.
    package var record: (record: Record, event: Record.Event)? {
        switch self {
        case .announced(let record): (record, .announced)
        case .added(let record): (record, .added)
        case .modified(let record): (record, .modified)
        case .removed(let record, _): (record, .removed)
        case .phone, .forgotten, .pairing, .pairingStep, .pairingWindow, .state: nil
        }
    }
}
