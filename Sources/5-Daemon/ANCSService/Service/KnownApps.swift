internal import Printing

/// Apps that are known by identifier and perhaps by name, to find the one that a person means.
package struct KnownApps: Sendable {
    /// How many apps a message lists.
    private static let listLimit = 5
    /// The longest identifier in octets.
    private static let maximumCount = 255

    private let apps: [(identifier: String, name: String)]
    private let unknown: String

    /// - Parameters:
    ///   - apps: The apps. Identifiers and names are untrusted.
    ///   - unknown: Why another app is not known, for messages: "has sent a notification since …".
    package init(_ apps: [(identifier: String, name: String)], unknown: String) {
        self.apps = apps
        self.unknown = unknown
    }

    /// The identifier of the app that a person means by its identifier or its name. Text in the form of an
    /// identifier may also be that of an app which is not known yet.
    package func identifier(of text: String) throws(ServiceError) -> String {
        if apps.contains(where: { $0.identifier == text }) { return text }
        let meant = apps.filter { app in
            TypedName.matches(text, app.identifier) || TypedName.matches(text, app.name)
        }
        if let app = meant.first, meant.count == 1 { return app.identifier }
        guard meant.isEmpty else {
            throw .invalid(
                "several apps are called '\(text)': \(Self.list(meant)); use an identifier")
        }
        if Self.isIdentifier(text) { return text }
        let typed = TypedName(text)
        let similar = apps.filter { typed.isPart(of: $0.identifier) || typed.isPart(of: $0.name) }
        let advice =
            similar.isEmpty
            ? "use its identifier, such as com.apple.MobileSMS" : "similar: \(Self.list(similar))"
        throw .invalid("no app '\(text)' \(unknown); \(advice)")
    }

    private static func list(_ apps: [(identifier: String, name: String)]) -> String {
        let shown = apps.prefix(listLimit).map { app in
            app.name.isEmpty
                ? app.identifier.shortened : "\(app.identifier.shortened) (\(app.name.shortened))"
        }
        let rest = apps.count - shown.count
        return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    /// Whether a text has the form of a bundle identifier: words of ASCII letters, digits and hyphens,
    /// separated by periods. Underscores occur too.
    static func isIdentifier(_ text: String) -> Bool {
        let words = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= maximumCount && words.count > 1
            && words.allSatisfy { !$0.isEmpty && $0.isASCIIWord(with: "-_") }
    }
}
