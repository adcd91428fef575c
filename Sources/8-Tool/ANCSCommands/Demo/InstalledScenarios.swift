internal import Glibc

/// Where the scenarios are that `Scripts/install.sh` installs with the program.
enum InstalledScenarios {
    /// The directory, `../share/doc/ancs/examples/scenarios` from that of the program; `nil` if it does not
    /// exist.
    static var directory: String? {
        guard let program = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(program) }
        return directory(ofProgram: String(cString: program))
    }

    static func directory(ofProgram path: String) -> String? {
        let prefix = path.split(separator: "/").dropLast(2).map { "/" + $0 }.joined()
        let directory = prefix + "/share/doc/ancs/examples/scenarios"
        var status = stat()
        guard stat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        return directory
    }
}
