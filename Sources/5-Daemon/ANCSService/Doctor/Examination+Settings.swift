/// bluetoothd's own configuration. Missing settings have harmless defaults.
extension Examination {
    static let settingsPath = "/etc/bluetooth/main.conf"

    /// A setting that matters.
    private struct Rule: Sendable {
        var section: String
        var key: String
        /// A setting under `[General]` that has to be on for this one to have an effect.
        var needed: String?
        var isFault: Bool
        /// Whether a value is a problem.
        var matters: @Sendable (String) -> Bool
        var why: String
        var better: String
    }

    // doc/settings: src/main.conf of BlueZ.
    private static let rules: [Rule] = [
        Rule(
            section: "General", key: "ControllerMode", isFault: true, matters: { $0 == "bredr" },
            why: "Bluetooth Low Energy is off, and ANCS needs it", better: "dual"),
        Rule(
            section: "General", key: "ReverseServiceDiscovery", isFault: true, matters: isNo,
            why: "bluetoothd then does not discover the services of a phone that connects, and "
                + "never finds ANCS", better: "true"),
        Rule(
            section: "GATT", key: "Client", isFault: true, matters: isNo,
            why: "bluetoothd then uses none of a phone's services, including ANCS", better: "true"),
        Rule(
            section: "Policy", key: "AutoEnable", isFault: false, matters: isNo,
            why: "after a boot, Bluetooth stays off until it is switched on",
            better: "true"),
        Rule(
            section: "General", key: "Privacy", isFault: false,
            matters: { !["off", ""].contains($0) },
            why: "the machine changes its address; a phone that has lost its bond shows it twice",
            better: "off"),
        Rule(
            section: "General", key: "JustWorksRepairing", isFault: false,
            matters: { $0 == "always" },
            why: "a device that pretends to be a known phone may pair without asking",
            better: "never"),
        // doc/settings of 5.87; parse_gatt_seclevel in src/main.c.
        Rule(
            section: "GATT", key: "Security", needed: "Testing", isFault: false,
            matters: { ["low", "1"].contains($0) },
            why:
                "bluetoothd then encrypts no link when a phone asks for it, and shows its own services to every "
                + "device in range", better: "auto"),
        Rule(
            section: "GATT", key: "ExchangeMTU", isFault: false,
            matters: { (Int($0) ?? 517) < 185 },
            why: "texts arrive in small pieces, which is slow", better: "517"),
    ]

    private static func isNo(_ value: String) -> Bool {
        ["false", "0", "no"].contains(value.lowercased())
    }

    private static func isOn(_ key: String, _ settings: [MainSetting]) -> Bool {
        ["true", "1"].contains(
            settings.last { $0.section == "General" && $0.key == key }?.value ?? "")
    }

    var settings: [Finding] {
        switch facts.settings {
        case .unseen(let reason): return .unseen(.bluetoothdSettings, because: reason)
        case .seen(let settings):
            let findings = Self.rules.compactMap { Self.finding($0, settings) }
            guard findings.isEmpty else {
                return findings.filter { $0.severity == .fault }
                    + findings.filter { $0.severity != .fault }
            }
            return .fine(.bluetoothdSettings, "no harmful setting in \(Self.settingsPath)")
        }
    }

    private static func finding(_ rule: Rule, _ settings: [MainSetting]) -> Finding? {
        // If a setting is repeated, the last one counts, as in GLib's key files.
        guard
            let setting = settings.last(where: { $0.section == rule.section && $0.key == rule.key }
            ),
            rule.matters(setting.value),
            rule.needed.map({ isOn($0, settings) }) ?? true
        else { return nil }
        return Finding(
            id: .bluetoothdSettings, subject: setting.key, severity: rule.isFault ? .fault : .note,
            seen: "\(settingsPath):\(setting.line): \(setting.key) = \(setting.value.shortened)",
            why: rule.why,
            remedy:
                "in \(settingsPath), line \(setting.line), write \"\(setting.key) = \(rule.better)\" and "
                + "run \"sudo systemctl restart bluetooth\"")
    }
}
