import LinuxIO
import DeviceCommandKit
import ANCS
import ANCSKit
import ANCSReceiver
import HCITransports
import Testing

@testable import ANCSCommands
@testable import CommandKit

/// What `ancs receive` understands on its command line.
@Suite struct ReceiveOptionsTests {
    static let home = ["HOME": "/home/ada"]

    private func options(
        _ words: [String], environment: [String: String] = home
    ) throws(CommandSyntax.UsageError) -> ReceiveOptions {
        try ReceiveOptions(
            ReceiveOptions.syntax.parse(["--hci", "hci-socket:0"] + words),
            environment: environment)
    }

    private func controller(
        _ words: [String]
    ) throws -> ReceiveOptions.Controller {
        let options = try options(words)
        guard case .hci(let controller) = options.place else {
            throw TestFailure(message: "it is at bluetoothd")
        }
        return controller
    }

    private struct TestFailure: Error {
        var message: String
    }

    @Test("the defaults are the documented ones")
    func defaults() throws {
        let options = try options([])
        let controller = try controller([])
        #expect(controller.transport == .hciSocket(index: 0))
        #expect(options.name == HostName.forPhones)
        #expect(controller.ability == .noInputNoOutput)
        #expect(options.attributes == NotificationAttributeRequest.all)
        #expect(options.count == nil && options.timeout == nil && controller.capturePlace == nil)
        #expect(controller.stateDirectory == "/home/ada/.local/state/ancs")
        #expect(!options.isJSON && !options.isVerbose)
    }

    @Test("the requested attributes and the stored content can be chosen")
    func policies() throws {
        let usual = try options([])
        #expect(usual.preExisting == .all && usual.maximumProviders == 4)
        #expect(usual.probing == ConsumerSession.Probing())
        #expect(usual.memoryDirectory == nil)
        let other = try options([
            "--pre-existing", "headers", "--phones", "3", "--probe", "60", "--remember",
            "--strip-bidi",
        ])
        #expect(other.preExisting == .headers && other.maximumProviders == 3)
        #expect(other.probing?.interval == .seconds(60))
        #expect(other.memoryDirectory == "/home/ada/.local/state/ancs")
        #expect(
            !other.configuration.removesDirections, "--strip-bidi is accepted, and changes nothing")
        #expect(try options(["--probe", "0"]).probing == nil)
        #expect(try options(["--pre-existing", "none"]).preExisting == .none)
        for words in [["--pre-existing", "some"], ["--phones", "0"], ["--probe", "-1"]] {
            #expect(throws: CommandSyntax.UsageError.self) { try options(words) }
        }
    }

    @Test(
        "a value of version 0.1 that was renamed means its successor",
        arguments: [("deliver", "all"), ("ignore", "none")])
    func renamedPolicies(_ former: String, _ successor: String) throws {
        let policy = try options(["--pre-existing", former]).preExisting
        #expect(try policy == options(["--pre-existing", successor]).preExisting)
    }

    @Test("until a name is given, it is that of the machine, which is on air only for pairing")
    func machineName() throws {
        let usual = try options([]).configuration
        #expect(usual.name == HostName.forPhones && !usual.showsNameAlways)
        let given = try options(["--name", "Desk"]).configuration
        #expect(given.name == "Desk" && given.showsNameAlways)
    }

    @Test("a face is chosen by its name, and requires an exclusive controller")
    func faces() throws {
        #expect(try options([]).face == .solicitation)
        #expect(try options(["--face", "heart-rate"]).configuration.face == .heartRate)
        #expect(try options(["--face", "solicitation"]).configuration.face == .solicitation)
        #expect(throws: CommandSyntax.UsageError.self) { try options(["--face", "keyboard"]) }
        func atBluetoothd(_ face: String) throws -> ReceiveOptions {
            try ReceiveOptions(
                ReceiveOptions.syntax.parse(["--face", face]), environment: Self.home)
        }
        #expect(try atBluetoothd("solicitation").face == .solicitation)
        let refusal = #expect(throws: CommandSyntax.UsageError.self) {
            try atBluetoothd("heart-rate")
        }
        #expect(refusal?.message.hasPrefix("--face works with --hci only: ") == true)
    }

    @Test("protection can be required, as far as the user can be asked for it")
    func requirements() throws {
        let usual = try controller([])
        #expect(usual.requiredProtection == RequiredProtection())
        #expect(usual.requiredProtection.minimumKeySize == 7)
        #expect(usual.pairing.window == .untilPhoneIsBonded)
        let strict = try controller([
            "--require", "authentication,secure-connections", "--io", "yesno", "--pair",
        ])
        #expect(strict.requiredProtection.authentication == .always)
        #expect(strict.requiredProtection.usesSecureConnections)
        #expect(strict.requiredProtection.minimumKeySize == 16)
        #expect(strict.pairing.window == .open)
        #expect(strict.pairing.requiredProtection == strict.requiredProtection)
        #expect(try controller(["--require", "key:10"]).requiredProtection.minimumKeySize == 10)
        for list in ["", "mitm", "key:6", "key:17", "key:", "key:x", "authentication"] {
            #expect(throws: CommandSyntax.UsageError.self) { try options(["--require", list]) }
        }
    }

    @Test("every option is accepted")
    func everything() throws {
        let options = try options([
            "--name", "Küche", "--io=yesno", "--attributes", "app,title:64", "--count", "3",
            "--timeout", "1.5", "--state", "/s", "--snoop", "/c", "--json", "--verbose",
        ])
        #expect(options.name == "Küche")
        #expect(
            options.attributes == [
                .appIdentifier, try NotificationAttributeRequest(.title, maxLength: 64),
            ])
        #expect(options.count == 3 && options.timeout == .milliseconds(1500))
        guard case .hci(let controller) = options.place else {
            throw TestFailure(message: "it is at bluetoothd")
        }
        #expect(controller.ability == .yesNo)
        #expect(
            controller.stateDirectory == "/s" && controller.capturePlace == CapturePlace(path: "/c")
        )
        #expect(options.isJSON && options.isVerbose)
    }

    @Test(
        "every ability is accepted",
        arguments: zip(
            ["none", "display", "keyboard", "yesno", "keyboard-display"],
            [
                PairingAbility.noInputNoOutput, .display, .keyboard, .yesNo,
                .keyboardDisplay,
            ]))
    func abilities(name: String, ability: PairingAbility) throws {
        #expect(try controller(["--io", name]).ability == ability)
    }

    @Test("every attribute is accepted once, in the order of the list")
    func attributes() throws {
        let all = try options([
            "--attributes=app,title,subtitle,message,messageSize,date,positive,negative"
        ])
        #expect(all.attributes == NotificationAttributeRequest.all)
        #expect(try options(["--attributes=none"]).attributes.isEmpty)
        let repeated = try options(["--attributes=date,title:5,date,title"])
        #expect(repeated.attributes.map(\.id) == [.date, .title])
        #expect(
            try options(["--attributes=message:65535"]).attributes
                == [try NotificationAttributeRequest(.message, maxLength: 65_535)])
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        var words: [String]
        var message: String
        var testDescription: String { words.joined(separator: " ") }
    }

    static let names = "app,title,subtitle,message,messageSize,date,positive,negative"
    static let wrong: [Wrong] = [
        .init(
            words: ["--name="], message: "--name takes 1 to 248 octets without control characters"),
        .init(
            words: ["--name", String(repeating: "é", count: 125)],
            message: "--name takes 1 to 248 octets without control characters"),
        .init(
            words: ["--name", "a\u{1B}[31m"],
            message: "--name takes 1 to 248 octets without control characters"),
        .init(
            words: ["--io", "all"],
            message: "--io takes none, display, keyboard, yesno or keyboard-display, not 'all'"),
        .init(words: ["--attributes", ""], message: "'' is not an attribute: \(names)"),
        .init(words: ["--attributes", "app,"], message: "'' is not an attribute: \(names)"),
        .init(words: ["--attributes", "Title"], message: "'Title' is not an attribute: \(names)"),
        .init(
            words: ["--attributes", "title:0"],
            message: "'title:0': title, subtitle and message take 1 to 65535 octets"),
        .init(
            words: ["--attributes", "title:65536"],
            message: "'title:65536': title, subtitle and message take 1 to 65535 octets"),
        .init(
            words: ["--attributes", "date:5"],
            message: "'date:5': title, subtitle and message take 1 to 65535 octets"),
        .init(
            words: ["--attributes", "title:"],
            message: "'title:': title, subtitle and message take 1 to 65535 octets"),
        .init(
            words: ["--count", "0"],
            message: "--count takes a whole number from 1 to 2147483647, not '0'"),
        .init(
            words: ["--timeout", "0"],
            message: "--timeout takes a number of seconds above 0, not '0'"),
        .init(words: ["--json=1"], message: "--json takes no value"),
        .init(
            words: ["stray"], message: "unexpected 'stray'; usage: ancs receive [options]"),
        .init(
            words: ["--state", ""],
            message: "--state takes a directory, not an empty path"),
    ]

    @Test("errors in the command line are reported", arguments: wrong)
    func mistakes(_ row: Wrong) {
        do throws(CommandSyntax.UsageError) {
            _ = try options(row.words)
            Issue.record("it was taken")
        } catch { #expect(error.message == row.message) }
    }

    private func place(_ words: [String]) throws(CommandSyntax.UsageError) -> ReceiveOptions.Place {
        try ReceiveOptions(ReceiveOptions.syntax.parse(words), environment: [:]).place
    }

    @Test("by default, bluetoothd is used, and no directory for bonds is needed")
    func atBlueZ() throws {
        #expect(
            try place([]) == .bluez(adapter: "any", ability: .noInputNoOutput, authentication: nil))
        #expect(
            try place(["--bluez", "hci1"])
                == .bluez(adapter: "hci1", ability: .noInputNoOutput, authentication: nil))
        #expect(
            try place(["--bluez=00:1A:7D:DA:71:13"])
                == .bluez(
                    adapter: "00:1A:7D:DA:71:13", ability: .noInputNoOutput, authentication: nil))
        #expect(
            try place(["--bluez", "any", "--state", "/s"])
                == .bluez(adapter: "any", ability: .noInputNoOutput, authentication: nil))
        #expect(throws: CommandSyntax.UsageError.self) { try place(["--remember"]) }
    }

    @Test(
        "the sockets that ended bluetoothd are remembered if there is a home directory, and texts cross the bus on request"
    )
    func whatEndedBluetoothd() throws {
        func options(_ words: [String], _ home: [String: String]) throws -> ReceiveOptions {
            try ReceiveOptions(ReceiveOptions.syntax.parse(words), environment: home)
        }
        #expect(try options([], [:]).stateDirectory == nil)
        #expect(try options([], Self.home).stateDirectory == "/home/ada/.local/state/ancs")
        #expect(try options(["--state", "/s"], Self.home).stateDirectory == "/s")
        #expect(try !options([], [:]).allowsTextsOnBus)
        #expect(try options(["--texts-on-bus"], [:]).allowsTextsOnBus)
        #expect(try options(["--bonds", "accepted"], [:]).bonds == .accepted)
        #expect(throws: CommandSyntax.UsageError.self) {
            try ReceiveOptions(
                ReceiveOptions.syntax.parse(["--hci", "hci-socket:0", "--bonds", "any"]),
                environment: [:])
        }
        do throws(CommandSyntax.UsageError) {
            _ = try ReceiveOptions(
                ReceiveOptions.syntax.parse(["--hci", "hci-socket:0", "--texts-on-bus"]),
                environment: Self.home)
            Issue.record("it was taken")
        } catch { #expect(error.message.hasPrefix("--texts-on-bus works with bluetoothd only")) }
    }

    @Test("a controller for all commands is taken, unless an adapter of bluetoothd is named")
    func controllerForAll() throws {
        func place(_ words: [String]) throws -> ReceiveOptions.Place {
            let environment = Self.home.merging(["ANCS_HCI": "hci-socket:2"]) { $1 }
            return try ReceiveOptions(ReceiveOptions.syntax.parse(words), environment: environment)
                .place
        }
        guard case .hci(let controller) = try place(["--pair"]) else {
            Issue.record("it is at bluetoothd")
            return
        }
        #expect(controller.transport == .hciSocket(index: 2))
        #expect(controller.isPairingOpen)
        #expect(
            try place(["--bluez", "any"])
                == .bluez(adapter: "any", ability: .noInputNoOutput, authentication: nil))
    }

    @Test(
        "options for a controller are refused with bluetoothd, with the reason",
        arguments: [
            (["--io", "yesno"], "--io works with --hci only: with bluetoothd, pairing asks"),
            (
                ["--require", "key:16"],
                "--require takes only none or authentication with bluetoothd"
            ),
            (["--pair"], "--pair works with --hci only: to pair another phone with bluetoothd"),
            (["--snoop", "/c"], "--snoop works with --hci only: 'btmon -w FILE'"),
            (["--bluez", "hciX"], "--bluez takes hci0, an address"),
            (["--bluez", "hci0", "--hci", "hci-socket:0"], "--bluez and --hci exclude each other"),
            (["--state", ""], "--state takes a directory"),
        ])
    func notAtBlueZ(_ words: [String], _ message: String) {
        let error = #expect(throws: CommandSyntax.UsageError.self) { try place(words) }
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    }

    @Test("without a place for the bonds, or with a wrong moniker, there is nothing to do")
    func missing() throws {
        let homeless = #expect(throws: CommandSyntax.UsageError.self) {
            try options([], environment: [:])
        }
        #expect(homeless?.message.contains("use --state DIR") == true)
        let moniker = #expect(throws: CommandSyntax.UsageError.self) {
            try ReceiveOptions(
                ReceiveOptions.syntax.parse(["--hci", "usb:0"]), environment: Self.home)
        }
        #expect(moniker?.message.contains("usb:0") == true)
        #expect(moniker?.message.contains(TransportMoniker.allowedForms) == true)
    }

    @Test(
        "a wrong command line ends with status 2",
        arguments: [
            ["nonsense"], ["receive", "--pair"], ["receive", "--nonsense"],
            ["decode", "a", "b"],
        ])
    func usageStatus(words: [String]) {
        #expect(Tool.run(words, environment: Self.home) == .usage)
    }

    @Test(
        "help is a success",
        arguments: [["help"], ["--help"], ["-h"], ["receive", "--help"], ["decode", "--help"]])
    func helpStatus(words: [String]) {
        #expect(Tool.run(words, environment: [:]) == .success)
    }
}
