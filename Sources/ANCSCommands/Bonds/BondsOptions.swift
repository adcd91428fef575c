internal import ANCSKit

/// What `ancs bonds` was told on the command line.
struct BondsOptions: Hashable, Sendable {
    static let syntax = CommandSyntax(
        command: "bonds",
        summary: """
            Shows with whom the devices of a directory are bonded: 'list' in a line each, 'show' in
            full, but for the keys. 'remove' forgets a peer, 'export' writes its bond with the keys,
            which let whoever has them read and be either side: keep them to yourself.

            PEER is an address, an identifier or a name, exactly as 'list' shows it.
            """,
        operands: "list|show|remove|export [PEER]", operandCount: 0...2,
        operandValues: [.word("ACTION", ["list", "show", "remove", "export"]), .text("PEER")],
        options: [
            .init("--state", .directory, "where bonds are kept (default: $XDG_STATE_HOME/ancs)"),
            .init(
                "--device", .word("DEVICE", ["accessory", "phone"]),
                "accessory ('ancs receive') or phone ('ancs phone'); both where it is not said"),
            .init(
                "--format", .word("FORMAT", ["json", "bluez"]),
                "export as json (default: a file that --state DIR may hold) or as BlueZ's bluez"),
            .init("--output", .file(), "export to a new file for you alone"),
            .init("--json", nil, "JSON Lines on standard output"),
            .help,
        ])

    /// What to do, and with whom.
    enum Action: Hashable, Sendable {
        case list
        /// Everybody where nobody is named.
        case show(String?)
        case remove(String)
        case export(String)
    }

    /// In which form a bond is exported.
    enum Format: String, Hashable, Sendable {
        /// The file that this program keeps, with one bond.
        case json
        /// `info` of BlueZ.
        case bluez
    }

    var action: Action
    var stateDirectory: String
    var devices: [BondStore.Device]
    var format: Format
    var outputPath: String?
    var isJSON: Bool

    init(
        _ arguments: CommandSyntax.Arguments, environment: [String: String]
    ) throws(CommandSyntax.UsageError) {
        action = try Self.action(arguments.operands)
        stateDirectory = try arguments.stateDirectory(environment: environment)
        devices = try arguments.device().map { [$0] } ?? [.accessory, .phone]
        let text = arguments["--format"] ?? "json"
        guard let format = Format(rawValue: text) else {
            throw .init(message: "--format takes json or bluez, not '\(text)'")
        }
        self.format = format
        outputPath = arguments["--output"]
        isJSON = arguments.has("--json")
        try check(arguments)
    }

    private static func action(
        _ operands: [String]
    ) throws(CommandSyntax.UsageError) -> Action {
        let peer = operands.dropFirst().first
        switch (operands.first ?? "list", peer) {
        case ("list", nil): return .list
        case ("list", let peer?):
            throw .init(message: "'list' shows everybody; 'show \(peer)' shows one")
        case ("show", let peer): return .show(peer)
        case ("remove", let peer?): return .remove(peer)
        case ("export", let peer?): return .export(peer)
        case ("remove", nil): throw .init(message: "'remove' needs a PEER: whom to forget")
        case ("export", nil): throw .init(message: "'export' needs a PEER: whose bond")
        case (let word, _):
            throw .init(message: "'\(word)' is none of list, show, remove and export")
        }
    }

    /// An option that would do nothing is a misunderstanding.
    private func check(_ arguments: CommandSyntax.Arguments) throws(CommandSyntax.UsageError) {
        if case .export = action { return }
        for option in ["--format", "--output"] where arguments[option] != nil {
            throw .init(message: "\(option) is for 'export'")
        }
    }
}
