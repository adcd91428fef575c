/// The action of a popup's button. Its identifier contains the record, so that a press is never mistaken for
/// one on another popup with the same place or number.
struct PopupPress: Equatable, Sendable {
    enum Kind: String, Equatable, Sendable {
        case positive
        case negative
        /// Copies the one-time code to the clipboard.
        case copy
    }

    let kind: Kind
    let record: RecordID

    /// The identifier of the action for a click on the popup itself, which does nothing on the phone.
    static let harmlessKey = "default"

    init(_ kind: Kind, _ record: RecordID) {
        self.kind = kind
        self.record = record
    }

    /// The identifier for the server.
    var key: String { "\(kind.rawValue)-\(record)" }

    /// Parses a ``key``; `nil` for any other text, including that of the harmless action.
    init?(key: String) {
        let parts = key.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])),
            let record = RecordID(String(parts[1]))
        else { return nil }
        self.init(kind, record)
    }
}
