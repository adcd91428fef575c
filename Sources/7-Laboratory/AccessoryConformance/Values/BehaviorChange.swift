internal import ANCSKit

/// A scenario's changes to the phone's ``ProviderBehavior``. What it does not name remains as it is.
package struct BehaviorChange: Equatable, Sendable {
    /// What is changed, in the order of the file.
    var changes: [@Sendable (inout ProviderBehavior) -> Void] = []
    package var mediaQuirks: MediaQuirks?
    /// The words of the file, for reports.
    package var text = "nothing"

    /// Applies the changes.
    package func apply(to behavior: inout ProviderBehavior) {
        for change in changes { change(&behavior) }
    }

    /// The words of the file say all of a change.
    package static func == (one: Self, other: Self) -> Bool { one.text == other.text }
}
