internal import CLinux
internal import Glibc

/// The arguments and environment variables of the process.
public enum Environment: Sendable {
    /// The words of the command line, the name of the program first. `CommandLine` reads them from `/proc`,
    /// which may not be mounted.
    public static var arguments: [String] {
        (0..<clinux_argument_count()).compactMap { index in
            clinux_argument(index).map { String(cString: $0) }
        }
    }

    /// The environment variables that commands use, as they are now.
    public static var current: [String: String] {
        var variables: [String: String] = [:]
        for name in ["ANCS_HCI", "HOME", "STATE_DIRECTORY", "XDG_CONFIG_HOME", "XDG_STATE_HOME"] {
            if let value = getenv(name) { variables[name] = String(cString: value) }
        }
        return variables
    }
}
