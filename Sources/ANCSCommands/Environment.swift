internal import Glibc

/// The variables of the process's environment.
public enum Environment: Sendable {
    /// The variables that commands look at, as they are now.
    public static var current: [String: String] {
        var variables: [String: String] = [:]
        for name in ["ANCS_HCI", "HOME", "STATE_DIRECTORY", "XDG_CONFIG_HOME", "XDG_STATE_HOME"] {
            if let value = getenv(name) { variables[name] = String(cString: value) }
        }
        return variables
    }
}
