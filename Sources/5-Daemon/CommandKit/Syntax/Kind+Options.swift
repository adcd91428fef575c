package import ANCSKit
package import ANCSReceiver
internal import JSONText
internal import Terminal
package import Values

extension Kind<String> {
    /// The path of a file.
    package static let file = Kind.text("a file", typed: .known(.files)) { $0 }

    /// The path of a directory; whether it may be empty is for the command.
    package static let anyDirectory = Kind.text("a directory", typed: .known(.directories)) { $0 }

    /// The path of a directory.
    package static let directory = Kind.described(
        "a directory, not an empty path", typed: .known(.directories)
    ) { !$0.isEmpty }

    /// The name of a device.
    package static let deviceName = Kind.described("1 to 248 octets without control characters") {
        (1...248).contains($0.utf8.count) && TerminalText.visible($0) == $0
    }

    /// Text that a mistake does not repeat, because it may be long or cannot be shown.
    package static func described(
        _ expected: String, typed form: WordForm = .text,
        _ isValid: @escaping @Sendable (String) -> Bool
    ) -> Kind {
        Kind(expected, SchemaFragment.text.typed(form)) { value, mistakes in
            if let text = value.string, isValid(text) { return text }
            mistakes.append(Mismatch(.expectedOnly(expected)))
            return nil
        }
    }
}

extension Kind<BondStore.Device> {
    package static let device = Kind.word(of: [("accessory", .accessory), ("phone", .phone)])
}

extension Kind<PairingAbility> {
    /// The values of `--io`.
    package static let ability = Kind.word(of: [
        ("none", .noInputNoOutput), ("display", .display), ("keyboard", .keyboard),
        ("yesno", .yesNo), ("keyboard-display", .keyboardDisplay),
    ])
}

extension Kind<RequiredProtection> {
    /// The values of `--require`; whether the abilities of `--io` can meet them is to be checked.
    package static let protection = Kind(
        protections,
        .list(of: .words(["none", "authentication", "secure-connections", "key:16"]))
    ) { value, mistakes in
        var authentication: RequiredProtection.Authentication?
        var usesSecureConnections = false
        var keySize: Int?
        for word in value.array?.compactMap(\.string) ?? [] {
            switch word {
            case "none" where authentication != .always:
                authentication = RequiredProtection.Authentication.none
            case "authentication" where authentication != RequiredProtection.Authentication.none:
                authentication = .always
            case "none", "authentication":
                mistakes.append(
                    Mismatch(.expectedOnly("either none or authentication, not both")))
            case "secure-connections": usesSecureConnections = true
            case _ where word.hasPrefix("key:"):
                keySize = Int(word.dropFirst(4)).flatMap { (7...16).contains($0) ? $0 : nil }
                if keySize == nil {
                    mistakes.append(
                        Mismatch(.message("--require key:OCTETS takes 7 to 16, not '\(word)'")))
                }
            default: mistakes.append(Mismatch(.expectedOnly("\(protections), not '\(word)'")))
            }
        }
        guard mistakes.isEmpty else { return nil }
        return RequiredProtection(
            authentication: authentication, usesSecureConnections: usesSecureConnections,
            minimumKeySize: keySize)
    }

    private static let protections = "none, authentication, secure-connections, key:OCTETS"
}

extension CommandOption {
    /// `--io`.
    package static func io(
        _ path: any WritableKeyPath<Root, PairingAbility> & Sendable, _ note: String = ""
    ) -> Self {
        Self(
            "--io", "ABILITY", .ability, replacing: path,
            "for pairing: \(Kind.ability.expected)\(note)")
    }

    /// `--require`.
    package static func require(
        _ path: any WritableKeyPath<Root, RequiredProtection> & Sendable, _ note: String = ""
    ) -> Self {
        Self(
            "--require", "LIST", .protection, replacing: path,
            "protection that pairing and bonds must have: \(Kind.protection.expected)\(note)")
    }
}

extension RequiredProtection {
    /// Refuses what the abilities of `--io` cannot meet.
    package func check(with ability: PairingAbility) throws(CommandSyntax.UsageError) {
        if let fault = fault(with: ability) {
            throw .init(message: "--require cannot be met: \(fault); see --io")
        }
    }
}
