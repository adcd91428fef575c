import DeviceCommandKit
import ANCSReceiver
import HCITransports
import LinuxIO
import Testing

@testable import ANCSCommands
@testable import CommandKit
@testable import DaemonCommands
@testable import LaboratoryCommands

/// What the tool says of itself and of what it does not know, and where it finds its controller.
@Suite struct ToolTests {
    @Test(
        "help and the version can be requested in every form",
        arguments: [
            ["help"], ["--help"], ["-h"], ["--version"], ["help", "receive"], ["help", "--help"],
            ["receive", "--help"], ["receive", "-h"], ["gatt", "-h"], ["perform", "--help"],
        ])
    func help(words: [String]) {
        #expect(Tool.run(words, environment: [:]) == .success)
    }

    @Test("the help of a command is the same however it is requested, and names all of its options")
    func helpTexts() throws(CommandSyntax.UsageError) {
        for syntax in [ReceiveOptions.syntax, ServiceCommands.perform, DecodeCommand.syntax] {
            let help = try Tool.help(about: [syntax.command])
            #expect(help == syntax.help())
            for option in syntax.options { #expect(help.contains("  \(option.usage)  ")) }
        }
        #expect(try Tool.help(about: []).contains("\n  receive "))
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        var words: [String]
        var message: String
        var testDescription: String { words.joined(separator: " ") }

        init(_ words: String..., message: String) {
            self.words = words
            self.message = message
        }
    }

    @Test(
        "a word that is unknown is named, with the one that was probably meant",
        arguments: [
            Wrong("recieve", message: "'recieve' is not a command; did you mean 'receive'?"),
            Wrong("Help", message: "'Help' is not a command; did you mean 'help'?"),
            Wrong("bluetooth", message: "'bluetooth' is not a command; see 'ancs help'"),
            Wrong("", message: "'' is not a command; see 'ancs help'"),
            Wrong(
                "--verison",
                message: "'--verison' is not an option without a command; did you mean '--version'?"
            ),
            Wrong(
                "--json", message: "'--json' is not an option without a command; see 'ancs help'"),
            Wrong("help", "pone", message: "'pone' is not a command; did you mean 'phone'?"),
            Wrong(
                "help", "phone", "scan", message: "unexpected 'scan'; usage: ancs help [COMMAND]"),
        ])
    func unknown(row: Wrong) {
        let error = #expect(throws: CommandSyntax.UsageError.self) {
            if row.words.first == "help" {
                _ = try Tool.help(about: Array(row.words.dropFirst()))
            } else {
                _ = try Tool.command(named: row.words[0])
            }
        }
        #expect(error?.message == row.message)
        #expect(Tool.run(row.words, environment: [:]) == .usage)
    }

    @Test("the command line is known without /proc as it is with it")
    func commandLine() {
        #expect(Environment.arguments == CommandLine.arguments)
    }

    // MARK: The controller

    private func transport(
        _ words: [String], _ environment: [String: String]
    ) throws -> TransportMoniker? {
        if case .hci(let moniker) = try place(words, environment) { moniker } else { nil }
    }

    private func place(
        _ words: [String], _ environment: [String: String]
    ) throws -> CentralPlace {
        try ScanCommandOptions(
            ScanCommandOptions.syntax.parse(words), environment: environment
        ).place
    }

    private func fault(_ words: [String], _ environment: [String: String]) -> String? {
        let error = #expect(throws: CommandSyntax.UsageError.self) {
            try transport(words, environment)
        }
        return error?.message
    }

    @Test("the controller is that of --hci, else of ANCS_HCI; an empty value counts as missing")
    func controller() throws {
        let environment = ["ANCS_HCI": "hci-socket:3"]
        #expect(try transport(["--hci", "hci-socket:1"], environment) == .hciSocket(index: 1))
        #expect(try transport([], environment) == .hciSocket(index: 3))
        for empty in [[:], ["ANCS_HCI": ""]] {
            #expect(fault([], empty)?.hasPrefix("no controller is given") == true)
        }
        #expect(
            fault([], ["ANCS_HCI": "usb:0"])?.hasPrefix("$ANCS_HCI: invalid controller \"usb:0\"")
                == true)
        #expect(
            fault(["--hci", "usb:1"], environment)?.hasPrefix("invalid controller \"usb:1\"")
                == true)
    }

    @Test("a Central's adapter of bluetoothd comes before a controller of the environment")
    func adapterOfBluetoothd() throws {
        let environment = ["ANCS_HCI": "hci-socket:3"]
        #expect(try place(["--bluez", "hci1"], environment) == .bluez("hci1"))
        #expect(try place(["--bluez", "any"], [:]) == .bluez("any"))
        for words in [
            ["--bluez", "hci1", "--hci", "hci-socket:1"], ["--bluez", "hci"],
            ["--bluez", "any", "--snoop", "/s"],
        ] { #expect(fault(words, environment) != nil) }
        let gatt = try GATTCommandOptions(
            GATTCommandOptions.syntax.parse(["Band", "--bluez", "any", "--io", "display"]),
            environment: environment)
        #expect(gatt.place == .bluez("any"))
        #expect(gatt.ability == .display)
        let fault = #expect(throws: CommandSyntax.UsageError.self) {
            try GATTCommandOptions(
                GATTCommandOptions.syntax.parse([
                    "Band", "--bluez", "any", "--state", "/s", "--device", "phone",
                ]), environment: environment)
        }
        #expect(fault?.message.contains("--device works with --hci only") == true)
    }

    @Test("at last the controller is the daemon's, if it has one for itself")
    func configuredController() throws {
        let directory = try TemporaryDirectory()
        func write(_ text: String) throws {
            try PrivateFile.write(
                path: "\(directory.path)/ancs/config.toml", contents: Array(text.utf8))
        }
        let environment = ["XDG_CONFIG_HOME": directory.path]
        try write("[bluetooth]\nadapter = \"serial:/dev/ttyACM0\"\n")
        #expect(
            try transport([], environment)
                == .serial(
                    path: "/dev/ttyACM0", speed: TransportMoniker.defaultSerialSpeed,
                    hardwareFlowControl: false))
        let both = environment.merging(["ANCS_HCI": "hci-socket:3"]) { $1 }
        #expect(try transport([], both) == .hciSocket(index: 3))
        for text in ["[bluetooth]\nadapter = \"bluez:hci1\"\n", "[bluetooth]\nadapter = 7\n", ""] {
            try write(text)
            #expect(fault([], environment)?.hasPrefix("no controller is given") == true)
        }
    }

    @Test("a controller for all commands makes an advertiser go on air, the daemon's does not")
    func advertiser() throws {
        func air(_ environment: [String: String]) throws -> AdvertiseOptions.Air? {
            try AdvertiseOptions(
                AdvertiseOptions.syntax.parse(["--state", "/s"]), environment: environment
            ).air
        }
        #expect(try air([:]) == nil)
        #expect(try air(["ANCS_HCI": "hci-socket:0"])?.transport == .hciSocket(index: 0))
    }
}
