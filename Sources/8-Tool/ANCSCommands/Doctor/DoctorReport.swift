internal import ANCSService
internal import CommandKit
internal import DaemonCommands
internal import Glibc

/// What `ancs doctor --bundle` tells: each file with its lines, of which ``SharedValue`` leaves what may be sent.
struct DoctorReport {
    let facts: Facts
    /// The kernel's release, such as `6.1.0-13-generic`.
    let kernel: String
    /// The file of the configuration; `nil` if there is none.
    let configuration: [UInt8]?
    /// The steps of the last pairing, as the daemon tells them.
    let steps: [JSONValue]

    /// The files, in order.
    var files: [(name: String, lines: [JSONValue])] {
        let diagnosis = Examination.diagnosis(of: facts)
        let findings = diagnosis.findings.map(Self.finding.json)
        let phones = ((facts.daemon.value ?? nil)?.phones ?? []).map(Self.phone.json)
        return [
            ("versions.json", [Self.versions.json(of: self)], Self.versions.schema),
            ("diagnosis.jsonl", findings, Self.finding.schema),
            ("phones.jsonl", phones, Self.phone.schema),
            ("pairing.jsonl", steps, ServiceCommands.pairSchema.kinds[0].schema),
            (
                "configuration.json",
                [
                    configuration.map { ServiceConfiguration.contents(of: $0) ?? "(no TOML)" }
                        ?? .null
                ],
                ServiceConfiguration.schema
            ),
        ].map { name, lines, schema in (name, lines.map { SharedValue.of($0, schema) }) }
    }

    /// The numbers at the beginning of a version, which what a distribution or a user adds to it is none of.
    private static func numbers(_ version: String) -> JSONValue {
        let start = version.prefix { $0 == "." || $0 == "-" || $0.isASCII && $0.isNumber }
        let parts = start.split { $0 == "." || $0 == "-" }
        return .array(parts.prefix(4).compactMap { Int($0) }.map { .integer($0) })
    }

    // MARK: What is told

    private static let numbers = SchemaFragment.list(of: .count)

    /// Programs that show notifications; another one is a text.
    private static let desktops = [
        "gnome-shell", "Plasma", "dunst", "mako", "SwayNotificationCenter", "Xfce Notify Daemon",
        "Notification Daemon", "cinnamon", "lxqt-notificationd", "notify-osd", "Budgie",
        "cosmic-notifications", "fnott", "wired-notify",
    ]

    private static let versions = ObjectForm<DoctorReport>(
        .text("tool", .words([ToolVersion.current])) { _ in ToolVersion.current },
        .init("kernel", numbers) { numbers($0.kernel) },
        .init("bluetoothd?", numbers) { report in
            report.facts.systemBus.value?.adapters.compactMap(\.version).first.map {
                .array([.integer($0.major), .integer($0.minor)])
            }
        },
        .init("daemon?", numbers) { ($0.facts.daemon.value ?? nil).map { numbers($0.version) } },
        .text("desktop?", .words(desktops)) { $0.facts.desktop.value?.name },
        .init("desktopVersion?", numbers) { $0.facts.desktop.value.map { numbers($0.version) } },
        .objects("controllers", controller) { report in
            report.facts.machine.hardware.sorted { $0.key < $1.key }.map(\.value)
        })

    private static let controller = ObjectForm<AdapterHardware>(
        .text("model?", .words(KnownAdapter.all.map(\.name))) {
            KnownAdapter.of($0.identifier)?.name
        },
        // USB's vendor and product
        .init("usb?", numbers) { hardware in
            let parts = hardware.identifier.split(separator: ":").compactMap { Int($0, radix: 16) }
            return parts.count == 2 ? .array(parts.map { .integer($0) }) : nil
        }, .number("hci?", .count) { $0.version.map { Int($0.hci) } },
        .number("company?", .count) { $0.version.map { Int($0.company) } })

    private static let phone = ObjectForm<PhoneStatus>(
        .word("state", \.state),
        .text("keys", .words(["fine", "doubtful", "lost"]), \.keys.rawValue),
        .flag("paired", \.isPaired),
        .number("notifications", .count) { $0.counts.values.reduce(0, +) })

    private static let finding = ObjectForm<Finding>(
        .word("id", \.id), .word("severity", \.severity))
}
