internal import Glibc
internal import LinuxIO

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
        self.init()
        try read(file: path, mustExist: mustExist)
    }

    /// The same; what is right in a file with faults is taken from it.
    mutating func read(file path: String, mustExist: Bool) throws(ConfigurationFaults) {
        guard let text = try Self.text(of: path, mustExist: mustExist) else { return }
        try read(text, path: path)
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
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT != S_IFDIR else { throw fault("it is a directory") }
            guard status.st_mode & S_IFMT != S_IFIFO else { throw fault("it is a FIFO") }
        }
        do throws(SystemError) {
            return try SystemFile.octets(of: path, limit: TOMLDocument.maximumCount + 1)
        } catch {
            if error.isAbsence, !mustExist { return nil }
            throw fault(error.message)
        }
    }
}
