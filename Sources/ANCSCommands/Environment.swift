internal import CLinux
internal import Glibc

/// What the process was started with.
public enum Environment: Sendable {
    /// The words of the command line, the name of the program first. `CommandLine` has them from `/proc`, which need not
    /// be there.
    public static var arguments: [String] {
        (0..<clinux_argument_count()).compactMap { index in
            clinux_argument(index).map { String(cString: $0) }
        }
    }

    /// The variables that commands look at, as they are now.
    public static var current: [String: String] {
        var variables: [String: String] = [:]
        for name in ["ANCS_HCI", "HOME", "STATE_DIRECTORY", "XDG_CONFIG_HOME", "XDG_STATE_HOME"] {
            if let value = getenv(name) { variables[name] = String(cString: value) }
        }
        return variables
    }
}
