/// How much of a notification is shown, published or stored.
package enum RecordContent: String, Equatable, Sendable, CaseIterable {
    /// Everything.
    case full
    /// The app and the category.
    case app
    /// Only that there is one.
    case none
}
