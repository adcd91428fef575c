/// A rule of the configuration.
package struct Rule: Hashable, Sendable {
    package var name: String

    package init(name: String) { self.name = name }
}
