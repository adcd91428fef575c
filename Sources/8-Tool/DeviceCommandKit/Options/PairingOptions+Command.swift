package import ANCSEvents
package import CommandKit

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
        protections, .list(of: .words(["none", "authentication", "secure-connections", "key:16"]))
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
                mistakes.append(Mismatch(.expectedOnly("either none or authentication, not both")))
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
