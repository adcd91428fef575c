internal import DeviceCommandKit
internal import BluetoothLE
package import CommandKit
internal import HCITransports
internal import VirtualBluetooth

/// The command line of `ancs controllers`.
package struct ControllersOptions: Sendable {
    package static let syntax = CommandSyntax(
        command: "controllers",
        summary: """
            Provides virtual Bluetooth controllers that hear each other: one for each --listen, for one
            host (H4) at a time. When all are ready, it prints READY and their monikers; port 0 means any
            free port. When a host disconnects, its controller is powered off.

            A suffix of the moniker sets the version, the buffers and the order of packets of one
            controller: +4.0, +4.2 or +5.3, +acl=LENGTH,COUNT, +shared-acl and +usb.
            """,
        options: table.map(\.syntax))

    private static let table: [CommandOption<Self>] = [
        .init(
            "--listen", .moniker, "provide a controller there; may be repeated",
            repeats: true),
        // Before --order, which changes a part of it.
        .init(
            "--preset", "VERSION", .word(of: presets), replacing: \.abilities,
            "the Bluetooth version of the controllers: 4.0, 4.2 or 5.3 (default: 5.3)"),
        .seed(\.radio.seed), .loss(\.radio.path.loss),
        .init(
            "--latency", "MS", Kind.integer(in: 0...60_000).map { .milliseconds($0) },
            replacing: \.radio.latency, "the latency of the radio, in milliseconds (default: 0)"),
        .order(\.abilities.packetOrder), .fade(\.radio.fades),
        .flag(
            "--immediate", \.radio.timing, is: .immediate,
            "deliver data at once, not at connection events"),
        .snoop(
            \.captureDirectory, "write the HCI packets of each controller to a capture in DIR",
            .directory),
        .snoopRedacted(.directory),
        .json(\.isJSON),
        .flag(
            "--verbose", \.isVerbose,
            "report hosts that connect and disconnect, on standard error"),
        .help,
    ]

    private static let presets: [(String, VirtualControllerAbilities)] = [
        ("4.0", .bluetooth4_0), ("4.2", .bluetooth4_2), ("5.3", .bluetooth5_3),
    ]

    /// The place of a controller, and its abilities.
    struct Place: Sendable {
        var moniker: TransportMoniker
        var abilities: VirtualControllerAbilities
    }

    var places: [Place] = []
    /// The abilities of a controller whose moniker has no suffix.
    private var abilities = VirtualControllerAbilities.bluetooth5_3
    var radio = RadioConfiguration(seed: .random(in: 0...0xFFFF_FFFF), timing: .connectionEvents)
    var captureDirectory: CapturePlace?
    var isJSON = false
    var isVerbose = false

    package init(_ arguments: CommandSyntax.Arguments) throws(CommandSyntax.UsageError) {
        try arguments.read(Self.table, into: &self)
        let texts = arguments.all("--listen")
        guard !texts.isEmpty else {
            throw .init(
                "--listen is missing: name a place for each controller, such as unix-server:phone")
        }
        for text in texts { places.append(try Self.place(text, abilities)) }
    }

    // MARK: Places

    /// Removes the abilities from the end of the text. The rest is the moniker, which may itself contain a
    /// `+`.
    private static func place(
        _ text: String, _ abilities: VirtualControllerAbilities
    ) throws(CommandSyntax.UsageError) -> Place {
        var abilities = abilities
        var changes: [Substring] = []
        var rest = text[...]
        while let plus = rest.lastIndex(of: "+"), isAbility(rest[rest.index(after: plus)...]) {
            changes.insert(rest[rest.index(after: plus)...], at: 0)
            rest = rest[..<plus]
        }
        for change in changes { apply(change, to: &abilities) }
        // A mistyped suffix would be a part of the place, and without effect.
        let end = rest.lastIndex(of: "+").map { String(rest[rest.index(after: $0)...]) } ?? ""
        let suffixes = presets.map(\.0) + ["usb", "shared-acl"]
        let isNumber = end.contains(".") && end.allSatisfy { $0.isNumber || $0 == "." }
        guard !isNumber, !end.hasPrefix("acl"), NearestWord.of(end, in: suffixes) == nil else {
            throw .init(
                "'+\(TerminalText.visible(end))' is no suffix: expected "
                    + "\(suffixes.joined(separator: ", ")), or acl=LENGTH,COUNT, each after a +")
        }
        let moniker = try TransportMoniker(served: String(rest))
        return Place(moniker: moniker, abilities: abilities)
    }

    private static func isAbility(_ text: Substring) -> Bool {
        var abilities = VirtualControllerAbilities.bluetooth5_3
        return apply(text, to: &abilities)
    }

    /// Adds the ability that the text names. Returns `false` if there is no such ability.
    @discardableResult private static func apply(
        _ text: Substring, to abilities: inout VirtualControllerAbilities
    ) -> Bool {
        if var preset = VirtualControllerAbilities.preset(named: String(text)) {
            preset.packetOrder = abilities.packetOrder
            abilities = preset
        } else if text == "usb" {
            abilities.packetOrder = .usb
        } else if text == "shared-acl" {
            abilities.buffers.isShared = true
        } else if text.hasPrefix("acl=") {
            let numbers = text.dropFirst(4).split(separator: ",").map { Int($0) ?? 0 }
            guard numbers.count == 2, (27...65_535).contains(numbers[0]),
                (1...255).contains(numbers[1])
            else { return false }
            abilities.buffers.length = numbers[0]
            abilities.buffers.count = numbers[1]
        } else {
            return false
        }
        return true
    }
}
