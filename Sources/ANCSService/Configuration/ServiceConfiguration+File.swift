internal import Glibc

extension ServiceConfiguration {
    /// The path of the system's configuration.
    package static let systemPath = "/etc/ancs/config.toml"

    /// The path of a user's configuration: in `$XDG_CONFIG_HOME`, if that is an absolute path (XDG Base
    /// Directory Specification), otherwise in `~/.config`. `nil` without a home directory.
    package static func userPath(environment: [String: String]) -> String? {
        if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") {
            return base + "/ancs/config.toml"
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return home + "/.config/ancs/config.toml"
    }

    /// Reads a configuration file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - mustExist: Whether a missing file is a fault, as for one that the user has named; otherwise it
    ///     counts as empty.
    /// - Throws: All faults in it, or why it cannot be read.
    package init(file path: String, mustExist: Bool = false) throws(ConfigurationFaults) {
        guard let text = try Self.text(of: path, mustExist: mustExist) else {
            self.init()
            return
        }
        try self.init(reading: text, path: path)
    }

    /// The octets of the file, at most one more than allowed; `nil` if it does not exist.
    private static func text(
        of path: String, mustExist: Bool
    ) throws(ConfigurationFaults) -> [UInt8]? {
        func fault(_ reason: String) -> ConfigurationFaults {
            ConfigurationFaults([
                ConfigurationFault(path: path, message: "cannot read the configuration: \(reason)")
            ])
        }
        // O_NONBLOCK: opening a FIFO must not wait for a writer.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT || errno == ENOTDIR, !mustExist { return nil }
            throw fault(String(cString: strerror(errno)))
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw fault(String(cString: strerror(errno))) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw fault("it is a directory") }
        guard status.st_mode & S_IFMT != S_IFIFO else { throw fault("it is a FIFO") }
        var octets: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while octets.count <= TOMLDocument.maximumCount {
            let count = read(file, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw fault(String(cString: strerror(errno))) }
            if count == 0 { break }
            octets += part.prefix(count)
        }
        return octets
    }
}
