/// Where a device keeps its identity, bonds and memory.
public enum StateDirectory: Sendable {
    /// The default directory: `$XDG_STATE_HOME/ancs`, or `~/.local/state/ancs` if the variable is not set
    /// (XDG Base Directory Specification 0.8). `nil` if neither variable nor home directory is known.
    public static func standard(environment: [String: String]) -> String? {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            return state + "/ancs"
        }
        guard let home = environment["HOME"], !home.isEmpty else { return nil }
        return home + "/.local/state/ancs"
    }
}
