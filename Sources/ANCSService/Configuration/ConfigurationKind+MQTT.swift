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

    /// The path of a file that this user may read; a relative path is relative to the configuration's folder.
    static let file = path("the path of a file") { path in
        guard access(path, R_OK) == 0 else { return "\(path): \(String(cString: strerror(errno)))" }
        return nil
    }

    /// The path of a file that no other user may read.
    static let secretFile = path("the path of a file that only you may read") { path in
        SecretFile.fault { () throws(IOError) in _ = try SecretFile.contents(of: path) }
    }

    /// The path of a file with a secret on one line, which no other user may read.
    static let secretLineFile = path("the path of a file that only you may read") { path in
        SecretFile.fault { () throws(IOError) in _ = try SecretFile.line(of: path) }
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
    /// Whether the octet is valid in a level of a topic: Home Assistant's discovery allows no others.
    var isFitForTopic: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
