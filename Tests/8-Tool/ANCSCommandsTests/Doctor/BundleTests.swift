import ANCSReceiver
import Foundation
import JSONText
import LinuxIO
import Testing

@testable import ANCSCommands
@testable import ANCSService
@testable import CommandKit
@testable import DaemonCommands

/// What `ancs doctor --bundle` writes can be attached to a public report.
@Suite("The archive of ancs doctor")
struct BundleTests {
    /// What a machine, its users, their phones and their rules are called, and where they are.
    private static let secrets = [
        "alexandria-desk", "adalovelace", "Ada’s iPhone", "C0:E7:51:09:CF:BA", "C0E75109CFBA",
        "broker.example.org", "hunter22hunter", "mqtt-secret-file", "com.example.diary",
        "Grandmother", "+1 555 010-0199", "quiet-hours-of-ada", "lamp-in-bedroom", "Dr. Hopper",
        "topic-of-ada", "unknown-key-of-ada", "wrong-place-of-ada",
    ]

    private static let configuration = """
        [bluetooth]
        name = "alexandria-desk"
        adapter = "bluez:C0:E7:51:09:CF:BA"
        phones = 7
        require = "none"
        bonds = "wrong-place-of-ada"
        unknown-key-of-ada = 12345

        [desktop]
        content = "app"
        popups = false
        copy = ["/home/adalovelace/bin/hunter22hunter"]

        [history]
        keep = "7d"

        [mqtt]
        host = "broker.example.org"
        port = 8884
        tls = "auto"
        username = "adalovelace"
        password-file = "/home/adalovelace/mqtt-secret-file"
        name = "topic-of-ada"

        [[rule]]
        name = "quiet-hours-of-ada"
        match = { category = ["incomingCall"], caller = "Grandmother", not = { app = "com.example.diary" } }
        do = ["mute", { run = ["lamp-in-bedroom", "+1 555 010-0199"], timeout = 9 }]

        [[rule]]
        match = { number = "+1 555 010-0199", event = "Dr. Hopper" }
        do = [{ mqtt = "none" }, { show = true, urgency = "critical", icon = "/home/adalovelace/x.png" }]

        ["alexandria-desk"]
        x = 1
        """

    private static var facts: Facts {
        var facts = Facts()
        facts.machine.interfaces = ["hci0"]
        facts.machine.hardware["hci0"] = AdapterHardware(
            identifier: "8087:0032", product: "alexandria-desk", version: .init(hci: 12, company: 2)
        )
        var adapter = Facts.Adapter(name: "hci0", address: "C0:E7:51:09:CF:BA")
        adapter.roles = ["central", "alexandria-desk"]
        adapter.version = BlueZVersion(5, 66)
        var device = Facts.Device(name: "Ada’s iPhone", address: "C0:E7:51:09:CF:BA")
        (device.knowsANCS, device.isPaired) = (true, true)
        facts.systemBus = .seen(Facts.Bluetoothd(adapters: [adapter], devices: [device]))
        facts.settings = .seen([
            MainSetting(section: "General", key: "Name", value: "alexandria-desk", line: 3)
        ])
        var daemon = Facts.Daemon()
        (daemon.version, daemon.name) = ("0.1.0-hunter22hunter", "alexandria-desk")
        daemon.message = "waits for Ada’s iPhone"
        daemon.phones = [
            PhoneStatus(
                phone: PhoneName(digest: "C0E75109CFBA", name: "Ada’s iPhone"), state: .silent,
                isPaired: true, advice: "Ada’s iPhone does not answer", counts: ["social": 3])
        ]
        daemon.sinks = [
            .init(name: "mqtt", status: .init(isWorking: false, message: "broker.example.org")),
            .init(name: "alexandria-desk", status: .init(isWorking: true, message: "")),
        ]
        facts.daemon = .seen(daemon)
        facts.programs = [
            Facts.Program(process: 7, name: "hunter22hunter", kind: .other)
        ]
        facts.desktop = .seen(
            Facts.Desktop(name: "adalovelace", version: "1.9.2-adalovelace", capabilities: ["body"])
        )
        facts.configuration.path = "/home/adalovelace/.config/ancs/config.toml"
        facts.configuration.faults = ["/home/adalovelace/x:1:1: unknown-key-of-ada"]
        facts.history = .unseen(because: "/home/adalovelace/history.sqlite")
        return facts
    }

    private static func report() -> DoctorReport {
        let phone = PhoneName(digest: "C0E75109CFBA", name: "Ada’s iPhone")
        let setting = PairingSetting(
            name: "alexandria-desk", place: "hci0 of bluetoothd", again: "", acceptance: "")
        let kinds: [PairingStep.Kind] = [
            .opened(seconds: 120), .obstacle("alexandria-desk"), .asks(.consent),
            .paired(replaced: phone), .ended(.failed(.keyTrouble("Ada’s iPhone"))),
        ]
        return DoctorReport(
            facts: facts, kernel: "6.1.0-13-generic-adalovelace",
            configuration: Array(configuration.utf8),
            steps: kinds.enumerated().map { number, kind in
                PairingStep(kind, of: phone, at: setting)
                    .json(number: number + 1, time: "2026-11-21T09:30:00.000Z")
            })
    }

    private static func tar(_ arguments: String...) throws -> String {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["tar"] + arguments
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: output, as: UTF8.self)
    }

    @Test("tar reads it, only its user does, and no name, address, path or text is in it")
    func archive() throws {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        let (capture, archive) = (folder.path + "/capture", folder.path + "/report.tar.gz")
        let story = SecretStory(.monitor, shape: 5, secrets: 5)
        try Data(story.link.capture.octets).write(to: URL(filePath: capture))
        #expect(BundleCommand.write(Self.report(), capture: capture, to: archive) == .success)
        let mode = try FileManager.default.attributesOfItem(atPath: archive)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        #expect(
            try Self.tar("tzf", archive).split(separator: "\n") == [
                "ancs-report/README.txt", "ancs-report/versions.json",
                "ancs-report/diagnosis.jsonl", "ancs-report/phones.jsonl",
                "ancs-report/pairing.jsonl",
                "ancs-report/configuration.json", "ancs-report/capture.btsnoop",
            ])
        _ = try Self.tar("xzf", archive, "-C", folder.path)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: folder.path + "/ancs-report")
        #expect(names.count == 7)
        for name in names {
            let octets = try Data(contentsOf: URL(filePath: folder.path + "/ancs-report/" + name))
            SecretSearch(Array(octets)).expectNone(
                of: Self.secrets.map { Array($0.utf8) } + story.secrets)
        }
        let packed = try Data(contentsOf: URL(filePath: capture))
        let redacted = try Data(
            contentsOf: URL(filePath: folder.path + "/ancs-report/capture.btsnoop"))
        #expect(Array(redacted) == RedactionTests.redacted(Array(packed)))
        // Nothing is left beside it, and it is not written twice.
        #expect(BundleCommand.write(Self.report(), capture: nil, to: archive) == .usage)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                "ancs-report", "capture", "report.tar.gz",
            ])
        #expect(try Self.tar("tzf", archive).contains("capture.btsnoop"))
    }

    @Test("numbers, truths and words of the program are in it")
    func told() throws {
        let files = Dictionary(
            uniqueKeysWithValues: Self.report().files.map { ($0.name, $0.lines.map(\.text)) })
        #expect(
            files["versions.json"]?.first?.hasPrefix(
                #"{"tool":"\#(ToolVersion.current)","kernel":[6,1,0,13],"bluetoothd":[5,66],"#)
                == true)
        let versions = try #require(files["versions.json"]?.first)
        #expect(versions.contains(#""daemon":[0,1,0],"desktop":"(text)","desktopVersion":[1,9,2]"#))
        #expect(
            versions.contains(
                #"{"model":"Intel AX200, AX201, AX210, AX211, BE200","usb":[32903,50],"hci":12,"company":2}"#
            ))
        #expect(
            files["phones.jsonl"] == [
                #"{"state":"silent","keys":"fine","paired":true,"notifications":3}"#
            ])
        let steps = try #require(files["pairing.jsonl"])
        #expect(steps.allSatisfy { !$0.contains("other keys") })
        #expect(steps.count == 5 && steps[0].contains(#""step":"opened","number":1"#))
        #expect(steps[0].contains(#""seconds":120"#) && steps[2].contains(#""question":"consent""#))
        #expect(steps[4].contains(#""result":"failed","cause":"keyTrouble""#))
        #expect(
            files["diagnosis.jsonl"]?.contains(#"{"id":"configuration","severity":"fault"}"#)
                == true)
        #expect(
            files["configuration.json"]?.first == #"""
                {"bluetooth":{"name":"(text)","adapter":"(text)","phones":7,"require":"none",\#
                "bonds":"(text)","(other keys)":1},\#
                "desktop":{"content":"app","popups":false,"copy":["(text)"]},\#
                "history":{"keep":"(text)"},\#
                "mqtt":{"host":"(text)","port":8884,"tls":"auto","username":"(text)",\#
                "password-file":"(text)","name":"(text)"},\#
                "rule":[{"name":"(text)","match":{"category":["incomingCall"],"caller":"(text)",\#
                "not":{"(other keys)":1}},"do":["mute",{"run":["(text)","(text)"],"timeout":9}]},\#
                {"match":{"number":"(text)","event":"(text)"},\#
                "do":[{"mqtt":"none"},{"show":true,"urgency":"critical","icon":"(text)"}]}],\#
                "(other keys)":1}
                """#)
    }

    @Test("a file that is no TOML, and none at all, are told as that")
    func configurations() {
        for (text, told) in [("= broken", #""(text)""#), (nil, "null")] as [(String?, String)] {
            let report = DoctorReport(
                facts: Facts(), kernel: "", configuration: text.map { Array($0.utf8) }, steps: [])
            #expect(report.files.last?.lines.map(\.text) == [told])
        }
    }

    @Test("a capture that is none leaves no archive")
    func noCapture() throws {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        let archive = folder.path + "/report.tar.gz"
        let status = BundleCommand.write(Self.report(), capture: "/dev/null", to: archive)
        #expect(status == .usage)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test(
        "what does not go together is refused",
        arguments: [["--capture", "c"], ["--bundle", "b", "--json"]])
    func options(_ words: [String]) {
        #expect(throws: CommandSyntax.UsageError.self) {
            try DoctorOptions(DoctorOptions.syntax.parse(words), environment: [:])
        }
    }
}
