internal import Glibc

/// Finds programs as posix_spawnp(3) does, without running them.
package struct ProgramSearch: Sendable {
    /// The search of programs that this process runs.
    package static var ofThisProcess: ProgramSearch {
        // Without the variable, the C library looks in these (confstr(3), _CS_PATH).
        ProgramSearch(path: getenv("PATH").map { String(cString: $0) } ?? "/bin:/usr/bin")
    }

    /// The directories in which a name without `/` is looked for, separated by colons.
    private let path: String

    package init(path: String) { self.path = path }

    /// Why this program cannot be run; `nil` if it can, as far as is known without running it.
    package func fault(of program: String) -> String? {
        guard !program.contains("/") else { return Self.fault(ofFile: program) }
        let directories = path.split(separator: ":", omittingEmptySubsequences: false)
        let isFound = directories.contains { directory in
            // An empty entry is the working directory, which is "/" for programs of the daemon.
            Self.fault(ofFile: "\(directory)/\(program)") == nil
        }
        return isFound ? nil : "it is in no directory of PATH (\(path.shortened))"
    }

    private static func fault(ofFile path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, access(path, X_OK) == 0 else {
            return String(cString: strerror(errno))
        }
        return status.st_mode & S_IFMT == S_IFREG ? nil : "it is not a file"
    }
}
