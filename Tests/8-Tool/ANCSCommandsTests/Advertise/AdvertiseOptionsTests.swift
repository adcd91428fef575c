import DeviceCommandKit
import ANCSReceiver
import BluetoothLE
import BluetoothTypes
import Testing

@testable import CommandKit
@testable import LaboratoryCommands

@Suite struct AdvertiseOptionsTests {
    static let ancs = "7905F431-B5CE-4E99-A40F-4B1E122D00D0"

    private static func options(_ words: String...) throws -> AdvertiseOptions {
        try AdvertiseOptions(
            AdvertiseOptions.syntax.parse(words), environment: ["HOME": "/home/ada"])
    }

    private static func complaint(_ words: String...) -> String? {
        do throws(CommandSyntax.UsageError) {
            _ = try AdvertiseOptions(
                AdvertiseOptions.syntax.parse(words), environment: ["HOME": "/home/ada"])
            return nil
        } catch { return error.message }
    }

    @Test("everything that can be advertised")
    func wanted() throws {
        let options = try Self.options(
            "--name", "Desk", "--service", "180F", "--service=\(Self.ancs)", "--solicit", "1805",
            "--appearance", "0x00C1", "--background")
        #expect(
            options.wanted
                == AdvertisementPlan.Wanted(
                    localName: "Desk",
                    services: [
                        BluetoothUUID(0x180F as UInt16), try #require(.init(text: Self.ancs)),
                    ], solicitedServices: [BluetoothUUID(0x1805 as UInt16)], appearance: 0xC1,
                    isInBackground: true))
        #expect(options.air == nil)
        #expect(options.stopsOnConnection)
        #expect(try Self.options("--appearance", "193").wanted.appearance == 0xC1)
    }

    @Test("with a controller, bonds have a place, and there may be a time limit")
    func air() throws {
        let options = try Self.options(
            "--hci", "unix:/tmp/x", "--time-limit", "1.5", "--keep-advertising", "--io", "display")
        #expect(options.air?.stateDirectory == "/home/ada/.local/state/ancs")
        #expect(options.timeLimit == .milliseconds(1500))
        #expect(!options.stopsOnConnection)
        #expect(options.ability == .display)
    }

    @Test("an empty name counts as no name")
    func emptyName() throws {
        #expect(try Self.options("--name", "").wanted.localName == nil)
    }

    @Test("an invalid command line is reported")
    func complaints() {
        #expect(Self.complaint("--service", "18")?.contains("not '18'") == true)
        #expect(Self.complaint("--solicit", "Battery")?.hasPrefix("--solicit takes") == true)
        #expect(Self.complaint("--appearance", "0x10000")?.contains("0xFFFF") == true)
        #expect(Self.complaint("--appearance", "-1")?.contains("--appearance") == true)
        #expect(Self.complaint("--name", "a\u{1B}[2J")?.contains("control") == true)
        #expect(Self.complaint("--name", String(repeating: "a", count: 249)) != nil)
        #expect(Self.complaint("--hci", "nowhere") != nil)
        #expect(Self.complaint("--hci", "unix:/tmp/x", "--state", "")?.contains("empty") == true)
        #expect(Self.complaint("--publish", "/nonexistent/table.json") != nil)
        #expect(Self.complaint("--time-limit", "0") != nil)
    }
}

@Suite struct AdvertiseInputTests {
    @Test("a line is a command")
    func commands() throws {
        let lines: [(String, AdvertiseInput?)] = [
            ("", nil), ("  ", nil), ("start", .start), ("stop", .stop),
            ("background on", .background(true)), ("background off", .background(false)),
            ("confirm yes", .answer("yes")), ("confirm no", .answer("no")),
            ("passkey 004711", .answer("004711")),
            ("update 2A19 0x64", .update(characteristic: "2A19", value: [0x64])),
            (
                #"update 180F/2A19 "Hi, Ada""#,
                .update(characteristic: "180F/2A19", value: Array("Hi, Ada".utf8))
            ), (#"update 2A19 """#, .update(characteristic: "2A19", value: [])),
            ("update 2A19 0x", .update(characteristic: "2A19", value: [])),
        ]
        for (line, command) in lines { #expect(try AdvertiseInput.parse(line) == command) }
    }

    @Test(
        "any other text is refused with the reason",
        arguments: [
            ("dance", "not understood: dance; commands are"), ("update 2A19", "not understood"),
            ("update 2A19 0x6", "a value is"), ("passkey 1234567", "six digits"),
            ("passkey x", "six digits"), ("confirm maybe", "yes or no, not maybe"),
            (#"update 2A19 "x"#, "a closing quote is missing"), ("stop it", "not understood"),
        ])
    func misunderstandings(line: String, message: String) {
        let error = #expect(throws: PromptFault.self) {
            try AdvertiseInput.parse(line)
        }
        #expect(error?.message.contains(message) == true)
    }
}
