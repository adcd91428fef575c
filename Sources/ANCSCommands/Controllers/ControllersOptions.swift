internal import BluetoothLE
internal import LinuxIO
internal import VirtualBluetooth

/// The command line of `ancs controllers`.
struct ControllersOptions: Sendable {
    static let syntax = CommandSyntax(
        command: "controllers",
        summary: """
            Provides virtual Bluetooth controllers that hear each other: one for each --listen, for one
            host (H4) at a time. When all are ready, it prints READY and their monikers; port 0 means any
            free port. When a host disconnects, its controller is powered off.

            A suffix of the moniker sets the version, the buffers and the order of packets of one
            controller: +4.0, +4.2 or +5.3, +acl=LENGTH,COUNT, +shared-acl and +usb.
            """,
        operands: "", operandCount: 0...0,
        options: [
            .init(
                "--listen", .moniker, "provide a controller there; may be repeated",
                repeats: true),
            .init(
                "--preset", .word("VERSION", ["4.0", "4.2", "5.3"]),
                "the Bluetooth version of the controllers: 4.0, 4.2 or 5.3 (default: 5.3)"),
            .init(
                "--seed", .text("N"),
                "the seed of all random numbers (default: a new one each time)"),
            .init(
                "--loss", .text("P"),
                "the probability that a packet is lost on air, 0 to 1 (default: 0)"),
            .init(
                "--latency", .text("MS"), "the latency of the radio, in milliseconds (default: 0)"),
            .init(
                "--order", .word("ORDER", ["kept", "usb"]),
                "the order of packets to the hosts: kept, or usb, with events and data up to 30 ms apart "
                    + "(default: kept)"),
            .init(
                "--fade", .text("MS,MS"),
                "fades of the radio: their length, and the period in which there is one, such as "
                    + "900,30000"),
            .init("--immediate", nil, "deliver data at once, not at connection events"),
            .snoop("write the HCI packets of each controller to a capture in DIR", .directory),
            .init("--json", nil, "JSON Lines on standard output"),
            .init("--verbose", nil, "report hosts that connect and disconnect, on standard error"),
            .help,
        ])

    /// The place of a controller, and its abilities.
    struct Place: Sendable {
        var moniker: TransportMoniker
        var abilities: VirtualControllerAbilities
    }

    var places: [Place]
    var radio: RadioConfiguration
    var captureDirectory: String?
    var isJSON: Bool
    var isVerbose: Bool

    init(_ arguments: CommandSyntax.Arguments) throws(CommandSyntax.UsageError) {
        let preset = arguments["--preset"] ?? "5.3"
        guard var abilities = VirtualControllerAbilities.preset(named: preset) else {
            throw .init(message: "--preset takes 4.0, 4.2 or 5.3, not '\(preset)'")
        }
        abilities.packetOrder = try Self.order(arguments["--order"])
        let texts = arguments.all("--listen")
        guard !texts.isEmpty else {
            throw .init(
                message:
                    "--listen is missing: name a place for each controller, such as unix-server:phone"
            )
        }
        places = []
        for text in texts { places.append(try Self.place(text, abilities)) }
        radio = RadioConfiguration(
            seed: try Self.seed(arguments["--seed"]),
            timing: arguments.has("--immediate") ? .immediate : .connectionEvents,
            latency: .milliseconds(Int64(try arguments.integer("--latency", in: 0...60_000) ?? 0)),
            path: RadioPath(loss: try Self.probability(arguments["--loss"])),
            fades: try Self.fades(arguments["--fade"]))
        captureDirectory = arguments["--snoop"]
        isJSON = arguments.has("--json")
        isVerbose = arguments.has("--verbose")
    }

    private static func seed(_ text: String?) throws(CommandSyntax.UsageError) -> UInt64 {
        guard let text else { return .random(in: 0...0xFFFF_FFFF) }
        guard let seed = UInt64(text) else {
            throw .init(message: "--seed takes a whole number, not '\(text)'")
        }
        return seed
    }

    private static func probability(
        _ text: String?
    ) throws(CommandSyntax.UsageError) -> Double {
        guard let text else { return 0 }
        guard let value = Double(text), (0...1).contains(value) else {
            throw .init(message: "--loss takes a number from 0 to 1, not '\(text)'")
        }
        return value
    }

    private static func order(_ text: String?) throws(CommandSyntax.UsageError) -> PacketOrder {
        switch text {
        case nil, "kept": return .kept
        case "usb": return .usb
        case .some(let text): throw .init(message: "--order takes kept or usb, not '\(text)'")
        }
    }

    private static func fades(
        _ text: String?
    ) throws(CommandSyntax.UsageError) -> RadioFades? {
        guard let text else { return nil }
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int64($0) }
        guard numbers.count == 2, let length = numbers[0], let period = numbers[1], length > 0,
            length <= period, period <= 86_400_000
        else {
            throw .init(
                message:
                    "--fade takes two numbers of milliseconds, of a fade and of the period in which "
                    + "there is one, such as 900,30000, not '\(text)'")
        }
        return RadioFades(length: .milliseconds(length), period: .milliseconds(period))
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
        let moniker: TransportMoniker
        do throws(IOError) { moniker = try TransportMoniker(parsing: String(rest)) } catch {
            throw .init(message: error.message)
        }
        if case .hciSocket = moniker {
            throw .init(
                message:
                    "--listen takes a place where a host can connect, not the controller '\(text)'")
        }
        return Place(moniker: moniker, abilities: abilities)
    }

    private static func isAbility(_ text: Substring) -> Bool {
        var abilities = VirtualControllerAbilities.bluetooth5_3
        return apply(text, to: &abilities)
    }

    /// Adds the ability that the text names. Returns `false` if there is no such ability.
    @discardableResult
    private static func apply(
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
