internal import CLinux
internal import Glibc

/// What SELinux does at this machine: selinux(8).
package struct SELinux: Equatable, Sendable {
    /// Whether it refuses anything.
    package enum Mode: String, Equatable, Sendable {
        /// It is not there, or cannot be seen, as in most containers.
        case absent
        /// It only reports what it would refuse.
        case permissive
        /// It refuses.
        case enforcing
    }

    /// The newest policy on disk: a package that is updated loads what it installs.
    package struct Policy: Equatable, Sendable {
        /// Its name below `/etc/selinux`: `targeted/policy.33`.
        package var name: String
        /// In octets.
        package var size: Int64
        /// When it was written, in seconds since 1970.
        package var time: Int64

        package init(name: String, size: Int64, time: Int64) {
            (self.name, self.size, self.time) = (name, size, time)
        }

        /// Distinguishes it from others.
        package var identity: String { "\(name) \(size) \(time)" }
    }

    package var mode: Mode
    /// The policy; `nil` if none can be seen.
    package var policy: Policy?

    package init(mode: Mode = .absent, policy: Policy? = nil) {
        self.mode = mode
        self.policy = policy
    }

    /// The state of this machine; tests have another root directory.
    package static func state(root: String = "") -> SELinux {
        let mode: Mode
        switch SystemFile.line(of: root + "/sys/fs/selinux/enforce") {
        case "1": mode = .enforcing
        case "0": mode = .permissive
        case _: return SELinux()
        }
        let folder = root + "/etc/selinux"
        let policies = SystemFile.names(in: folder).flatMap { type in
            SystemFile.names(in: "\(folder)/\(type)/policy").filter { $0.hasPrefix("policy.") }
                .compactMap { policy("\(type)/policy/\($0)", in: folder, name: "\(type)/\($0)") }
        }
        let newest = policies.max { ($0.time, $0.name) < ($1.time, $1.name) }
        return SELinux(mode: mode, policy: newest)
    }

    private static func policy(_ path: String, in folder: String, name: String) -> Policy? {
        var status = stat()
        guard stat("\(folder)/\(path)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return Policy(name: name, size: Int64(status.st_size), time: Int64(status.st_mtim.tv_sec))
    }
}
