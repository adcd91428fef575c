internal import ANCSKit
package import CommandKit

/// The command line of `ancs bonds`.
package struct BondsOptions: Equatable, Sendable {
    package static let syntax = CommandSyntax(
        command: "bonds",
        summary: """
            Manages the bonds of a directory: 'list' shows each on a line, 'show' everything except the
            keys. 'remove' forgets a peer. 'export' writes a bond with its keys; anyone who has them can
            decrypt the link and impersonate either side, so keep them secret.

            PEER is an address, an identifier or a name, exactly as 'list' shows it. A phone of 'ancs serve'
            is forgotten with 'ancs forget', which also removes what the daemon keeps of it.
            """,
        operands: "list|show|remove|export [PEER]", operandCount: 0...2,
        operandValues: [.word("ACTION", ["list", "show", "remove", "export"]), .text("PEER")],
        options: table.map(\.syntax))

    private static let table: [CommandOption<Self>] = [
        .init("--state", .directory, "the directory of bonds (default: $XDG_STATE_HOME/ancs)"),
        .init(
            "--device", "DEVICE", Kind.device.map { [$0] }, replacing: \.devices,
            "accessory ('ancs receive') or phone ('ancs phone') (default: both)"),
        .init(
            "--format", "FORMAT", .word, replacing: \.format,
            "export as json (default), which --state DIR can use, or as bluez, for BlueZ"),
        .init(
            "--output", "FILE", .file, into: \.outputPath,
            "export to a new file that only you can read", isWritten: true),
        .json(\.isJSON), .help,
    ]

    /// What to do, and with which peer.
    enum Action: Equatable, Sendable {
        case list
        /// Shows one peer, or all of them if `nil`.
        case show(String?)
        case remove(String)
        case export(String)
    }

    /// The form of an exported bond.
    enum Format: String, CaseIterable, Equatable, Sendable {
        /// The bond file of this program, with one bond.
        case json
        /// The `info` file of BlueZ.
        case bluez
    }

    var action: Action
    var stateDirectory: String
    var devices: [BondStore.Device] = [.accessory, .phone]
    var format = Format.json
    var outputPath: String?
    var isJSON = false

    package init(
        _ arguments: CommandSyntax.Arguments, environment: [String: String]
    ) throws(CommandSyntax.UsageError) {
        action = try Self.action(arguments.operands)
        stateDirectory = try arguments.stateDirectory(environment: environment)
        try arguments.read(Self.table, into: &self)
        try check(arguments)
    }

    private static func action(_ operands: [String]) throws(CommandSyntax.UsageError) -> Action {
        let peer = operands.dropFirst().first
        switch (operands.first ?? "list", peer) {
        case ("list", nil): return .list
        case ("list", let peer?):
            throw .init(message: "'list' takes no PEER; 'show \(peer)' shows one")
        case ("show", let peer): return .show(peer)
        case ("remove", let peer?): return .remove(peer)
        case ("export", let peer?): return .export(peer)
        case ("remove", nil): throw .init(message: "'remove' needs a PEER; 'list' shows them")
        case ("export", nil): throw .init(message: "'export' needs a PEER; 'list' shows them")
        case (let word, _):
            throw .init(message: "'\(word)' is not an action of 'ancs bonds'; \(Self.syntax.usage)")
        }
    }

    /// Refuses options that would have no effect.
    private func check(_ arguments: CommandSyntax.Arguments) throws(CommandSyntax.UsageError) {
        if case .export = action { return }
        for option in ["--format", "--output"] where arguments[option] != nil {
            throw .init(message: "\(option) works with 'export' only")
        }
    }
}
