internal import LinuxIO

/// Words of the version before, which are accepted for one more version.
package enum FormerWord {
    private static let said = Lock<Set<String>>([])

    /// Says on standard error what takes the place of a word, once for each sentence.
    package static func used(_ former: String, _ advice: String) {
        let sentence =
            "'\(former)' is a word of version 0.1, which the next version does not know: \(advice)"
        guard said.withLock({ $0.insert(sentence).inserted }) else { return }
        StandardStreams.writeError("ancs: " + TerminalText.visible(sentence))
    }

    /// The same for a word that has a successor.
    package static func used(_ former: String, successor: String) {
        used(former, "use '\(successor)'")
    }
}
