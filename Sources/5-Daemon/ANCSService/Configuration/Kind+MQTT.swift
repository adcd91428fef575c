internal import Kinds

extension Kind<ServiceConfiguration.MQTTSection.TLS> {
    static let tls = Kind("true, false or \"auto\"", .constant("auto")) { value in
        value.boolean.map { $0 ? .on : .off } ?? (value == "auto" ? .auto : nil)
    }
}

extension Kind<String> {
    /// A level of a topic: no `/`, which separates levels, and no `+` and `#`, which stand for levels.
    static let topicLevel = Kind.text("at most 64 letters, digits, hyphens and underscores") {
        text in text.utf8.count <= 64 && text.utf8.allSatisfy(\.isFitForTopic) ? text : nil
    }

    /// Levels of a topic, with `/` between them.
    static let topicPrefix = Kind.text(
        "at most 64 letters, digits, hyphens, underscores, and / between them"
    ) { text in
        guard text.utf8.count <= 64 else { return nil }
        let levels = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard text.isEmpty || levels.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isFitForTopic) })
        else { return nil }
        return text
    }

    /// The path of a file.
    static let file = path("the path of a file")
    static let secretFile = path("the path of a file that only you may read")

    private static func path(_ expected: String) -> Kind {
        .text(expected) { $0.utf8.count <= 4096 && !$0.utf8.contains(0) ? $0 : nil }
    }
}

extension ConfigurationCheck<String> {
    /// A file in PEM that this user may read; a relative path is relative to the configuration's folder.
    static let file = path { path in
        do throws(SystemError) {
            return fault(in: try SystemFile.octets(of: path), of: path)
        } catch { return "\(path): \(error.message)" }
    }

    /// A file in PEM that no other user may read.
    static let secretFile = path { path in
        do throws(IOError) { return fault(in: try SecretFile.contents(of: path), of: path) } catch {
            return error.message
        }
    }

    /// What is wrong with a file that OpenSSL is to read: RFC 7468, section 2.
    private static func fault(in octets: [UInt8], of path: String) -> String? {
        octets.split(separator: UInt8(ascii: "\n")).contains { $0.starts(with: "-----BEGIN ".utf8) }
            ? nil : "\(path) is not in PEM: no line in it begins with -----BEGIN"
    }

    /// A file with a secret on one line, which no other user may read.
    static let secretLineFile = path { path in
        do throws(IOError) {
            _ = try SecretFile.line(of: path)
            return nil
        } catch { return error.message }
    }

    private static func path(_ fault: @escaping @Sendable (String) -> String?) -> Self {
        Self { text, value, complaints in
            guard !text.isEmpty else { return "" }
            let path = SecretFile.path(of: text, beside: complaints.path)
            guard let fault = fault(path) else { return path }
            complaints.complain(at: value.place, fault)
            return nil
        }
    }
}

extension UInt8 {
    /// Whether the octet is valid in a level of a topic: Home Assistant's discovery allows no others.
    var isFitForTopic: Bool {
        isASCIILetterOrDigit || self == UInt8(ascii: "_") || self == UInt8(ascii: "-")
    }
}
