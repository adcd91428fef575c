internal import Printing
package import ANCS
internal import ANCSReceiver

/// An action of a notification, named by a person: by *positive* or *negative*, by the label that the phone
/// gives it, or by an English word for what it does.
package struct TypedAction: Sendable {
    private let text: String

    package init(_ text: String) { self.text = text }

    /// Whether it is *positive* or *negative*, which need no notification to be understood.
    package var number: ActionID? {
        switch TypedName(text) {
        case TypedName("positive"): .positive
        case TypedName("negative"): .negative
        default: nil
        }
    }

    /// The action of a notification that is meant.
    package func action(of record: Record) throws(ServiceError) -> ActionID {
        if let number { return number }
        let actions = record.notification.actions
        let labels: [(ActionID, String)] = [
            (.positive, actions.positive ?? ""), (.negative, actions.negative ?? ""),
        ].filter { !$0.1.isEmpty }
        let labelled = labels.filter { TypedName.matches(text, $0.1) }
        if let (action, _) = labelled.first, labelled.count == 1 { return action }
        let words = record.notification.category.words
        let meant = words.filter { TypedName.matches(text, $0.word) }
        if let word = meant.first, labelled.isEmpty { return word.action }
        let known = labels.map { (action, label) in
            "\(action == .positive ? "positive" : "negative") ('\(label.shortened)')"
        }
        throw .invalid(
            "'\(text)' is not an action of this notification: use "
                + (known.isEmpty ? ["positive", "negative"] : known).listed)
    }
}

extension CategoryID {
    /// Words for the actions of notifications of this category, which differ with the language of the phone.
    /// Only a word that is meant for calls answers or declines one.
    fileprivate var words: [(word: String, action: ActionID)] {
        switch self {
        case .incomingCall:
            [
                ("answer", .positive), ("accept", .positive), ("decline", .negative),
                ("reject", .negative),
            ]
        case .activeCall: [("hang up", .negative), ("end", .negative)]
        // CategoryID is open: all others are dismissed.
        default: [("clear", .negative), ("dismiss", .negative)]
        }
    }
}
