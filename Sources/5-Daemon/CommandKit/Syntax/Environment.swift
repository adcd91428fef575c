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

    /// The working directory; `/` if it is gone.
    package static var directory: String {
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        return String(cString: path)
    }

    /// All environment variables, as they are now, for a program that a command runs.
    package static var all: [String: String] {
        var variables: [String: String] = [:]
        var index: CInt = 0
        while let entry = clinux_environment_entry(index) {
            let parts = String(cString: entry)
                .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, !parts[0].isEmpty {
                variables[String(parts[0])] = String(parts[1])
            }
            index += 1
        }
        return variables
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
