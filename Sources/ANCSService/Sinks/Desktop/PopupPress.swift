internal import ANCS

/// What a button of a popup does. Its key names the record, so that a press is never taken for one of another
/// popup that has got the same place on the screen or the same number.
struct PopupPress: Hashable, Sendable {
    enum Kind: String, Hashable, Sendable {
        case positive
        case negative
        /// Puts the one-time code on the clipboard.
        case copy
    }

    let kind: Kind
    let record: RecordID

    /// The key of what a click on the popup itself does, which is nothing.
    static let harmlessKey = "default"

    init(_ kind: Kind, _ record: RecordID) {
        self.kind = kind
        self.record = record
    }

    /// What the server is told as the key of the action.
    var key: String { "\(kind.rawValue)-\(record)" }

    /// Reads ``key``; `nil` for what is none, as the harmless one.
    init?(key: String) {
        let parts = key.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])),
            let record = RecordID(String(parts[1]))
        else { return nil }
        self.init(kind, record)
    }
}
