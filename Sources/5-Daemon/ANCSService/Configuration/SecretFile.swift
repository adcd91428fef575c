internal import Glibc
internal import LinuxIO

/// Files with secrets that the configuration refers to.
enum SecretFile {
    /// The maximum length of a file, in octets.
    private static let maximumCount = 65_536

    /// The path of a file that the configuration names. A relative path is looked up among the service's
    /// systemd credentials, then in the configuration's folder. systemd.exec(5), "CREDENTIALS".
    static func path(of name: String, beside configuration: String) -> String {
        guard !name.hasPrefix("/") else { return name }
        if let credentials {
            let path = credentials + "/" + name
            if access(path, F_OK) == 0 { return path }
        }
        guard let slash = configuration.lastIndex(of: "/") else { return name }
        return configuration[...slash] + name
    }

    private static var credentials: String? {
        getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
    }

    /// The only line of a file, without its end.
    static func line(of path: String) throws(IOError) -> String {
        var text = Substring(String(decoding: try contents(of: path), as: UTF8.self))
        // In Swift, a carriage return and a line feed are one character.
        if let last = text.last, last.isNewline { text.removeLast() }
        guard !text.contains(where: \.isNewline) else {
            throw IOError(
                .unusableFile, "\(path) has more than one line: it must contain only the secret")
        }
        return String(text)
    }

    /// The octets of a file, at most 64 KiB.
    static func contents(of path: String) throws(IOError) -> [UInt8] {
        let found: [UInt8]?
        // systemd protects credentials with access control lists, which the mode does not show.
        if let credentials, path.hasPrefix(credentials + "/") {
            do throws(SystemError) {
                found = try SystemFile.octets(of: path, limit: maximumCount)
            } catch  where error.isAbsence { found = nil } catch {
                throw IOError(.permissionDenied, "\(path): \(error.message)")
            }
        } else {
            found = try PrivateFile.read(path: path, in: .anywhere)
        }
        guard let octets = found else { throw IOError(.notFound, "\(path) does not exist") }
        guard octets.contains(where: { $0 > UInt8(ascii: " ") }) else {
            throw IOError(.unusableFile, "\(path) is empty: it must contain the secret")
        }
        guard octets.count <= maximumCount else {
            throw IOError(.unusableFile, "\(path) is longer than \(maximumCount / 1024) KiB")
        }
        return octets
    }
}
