internal import AccessoryConformance

/// The completion of a shell, a template of `CTemplates` in which words in capitals are replaced.
enum CompletionTemplate {
    /// The prefixes of monikers; see `TransportMoniker`.
    private static let monikers =
        "hci-socket: serial: tcp-client: tcp-server: unix: unix-server: file: pty"

    static func filled(_ template: UnsafePointer<CChar>, _ words: [String: String]) -> String {
        let common = ["SCENARIOS": Scenario.names.joined(separator: " "), "MONIKERS": monikers]
        return words.merging(common) { word, _ in word }
            .reduce(String(cString: template)) { $0.replacing("@\($1.key)@", with: $1.value) }
    }
}
