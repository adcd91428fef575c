internal import Glibc
internal import LinuxIO

extension ConfigurationKind<ServiceConfiguration.MQTTSection.TLS> {
    static let tls = ConfigurationKind("true, false or \"auto\"") { content in
        switch content {
        case .boolean(true): .on
        case .boolean(false): .off
        case .string("auto"): .auto
        case .string, .integer, .float, .date, .array, .table: nil
        }
    }
}

extension ConfigurationKind<String> {
    /// A level of a topic: no `/`, which separates levels, and no `+` and `#`, which stand for levels.
    static let topicLevel = ConfigurationKind("at most 64 letters, digits, hyphens and underscores")
    {
        content in
        guard case .string(let text) = content, text.utf8.count <= 64,
            text.utf8.allSatisfy(\.isFitForTopic)
        else { return nil }
        return text
    }

    /// Levels of a topic, with `/` between them.
    static let topicPrefix = ConfigurationKind(
        "at most 64 letters, digits, hyphens, underscores, and / between them"
    ) { content in
        guard case .string(let text) = content, text.utf8.count <= 64 else { return nil }
        let levels = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard text.isEmpty || levels.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isFitForTopic) })
        else { return nil }
        return text
    }

    /// The path of a file that this user may read, beside the configuration where it is not a whole path.
    static let file = path("the path of a file") { path in
        guard access(path, R_OK) == 0 else { return "\(path): \(String(cString: strerror(errno)))" }
        return nil
    }

    /// The same of a file that no other user may read.
    static let secretFile = path("the path of a file that only you may read") { path in
        SecretFile.fault(of: path)
    }

    private static func path(
        _ expected: String, _ fault: @escaping @Sendable (String) -> String?
    ) -> ConfigurationKind {
        ConfigurationKind(expected) { value, complaints in
            guard case .string(let text) = value.content, text.utf8.count <= 4096,
                !text.utf8.contains(0)
            else {
                complaints.complain(value, expected: expected)
                return nil
            }
            guard !text.isEmpty else { return "" }
            let path = SecretFile.path(of: text, beside: complaints.path)
            if let fault = fault(path) {
                complaints.complain(at: value.place, fault)
                return nil
            }
            return path
        }
    }
}

extension UInt8 {
    /// Whether the octet may stand in a level of a topic: Home Assistant allows no others in discovery.
    var isFitForTopic: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// Files with a secret that the configuration names.
enum SecretFile {
    /// A longer one is none.
    private static let maximumCount = 65_536

    /// Where a file is that the configuration calls so: systemd's credentials of the service come first, then the
    /// folder of the configuration. systemd.exec(5), "CREDENTIALS".
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

    /// Why it cannot be used; `nil` where it can.
    static func fault(of path: String) -> String? {
        do throws(IOError) {
            _ = try contents(of: path)
            return nil
        } catch { return error.message }
    }

    /// What it says, without the end of its only line.
    static func line(of path: String) throws(IOError) -> String {
        let text = String(decoding: try contents(of: path), as: UTF8.self)
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    private static func contents(of path: String) throws(IOError) -> [UInt8] {
        // systemd keeps others out by lists of access, which the mode does not show.
        if let credentials, path.hasPrefix(credentials + "/") {
            switch SmallFile.read(path, limit: maximumCount) {
            case .octets(let octets): return octets
            case .absent: throw IOError(.notFound, "\(path) does not exist")
            case .failed(let reason): throw IOError(.permissionDenied, "\(path): \(reason)")
            }
        }
        guard let octets = try PrivateFile.read(path: path) else {
            throw IOError(.notFound, "\(path) does not exist")
        }
        guard octets.count <= maximumCount else {
            throw IOError(.notFound, "\(path) is longer than \(maximumCount / 1024) KiB")
        }
        return octets
    }
}
