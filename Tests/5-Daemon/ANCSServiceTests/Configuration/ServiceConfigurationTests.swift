import ANCSKit
import Glibc
import Testing

@testable import ANCSService

@Suite("The configuration file")
struct ServiceConfigurationTests {
    private func read(_ text: String) throws -> ServiceConfiguration {
        try ServiceConfiguration(reading: Array(text.utf8), path: "config.toml")
    }

    /// The lines of complaint.
    private func complaints(_ text: String) -> [String] {
        do throws(ConfigurationFaults) {
            _ = try ServiceConfiguration(reading: Array(text.utf8), path: "config.toml")
            return []
        } catch { return error.lines }
    }

    @Test(
        "an empty file gives the defaults",
        arguments: ["", "\n", "# nothing\n", "[desktop]\n", "\u{FEFF}"])
    func empty(_ text: String) throws {
        #expect(try read(text) == ServiceConfiguration())
    }

    @Test("every key of every section is read")
    func sections() throws {
        let configuration = try read(
            """
            [bluetooth]
            name = "Desk"
            adapter = "bluez:00:11:22:33:44:aF"
            phones = 2
            require = "none"
            [desktop]
            popups = false
            content = "app"
            calls = "none"
            dismiss = "clear"
            pre-existing = "all"
            copy = ["wl-copy", "--sensitive"]
            [history]
            keep = "12w"
            content = "app"
            """)
        var expected = ServiceConfiguration()
        expected.bluetooth.name = "Desk"
        expected.bluetooth.adapter = "bluez:00:11:22:33:44:aF"
        expected.bluetooth.phones = 2
        expected.bluetooth.require = .none
        expected.desktop.popups = false
        expected.desktop.content = .app
        expected.desktop.calls = .none
        expected.desktop.dismiss = .clear
        expected.desktop.preExisting = .all
        expected.desktop.copy = ["wl-copy", "--sensitive"]
        expected.history.days = 84
        expected.history.content = .app
        expected.programs = [
            ConfiguredProgram(
                words: expected.desktop.copy,
                places: [TextPlace(line: 12, column: 9), TextPlace(line: 12, column: 20)])
        ]
        #expect(configuration == expected)
    }

    @Test(
        "an adapter is bluetoothd's or a controller",
        arguments: [
            "bluez", "bluez:hci1", "bluez:00:11:22:33:44:55", "hci-socket:1", "unix:/tmp/x",
        ])
    func adapters(_ adapter: String) throws {
        #expect(try read("[bluetooth]\nadapter = '\(adapter)'").bluetooth.adapter == adapter)
    }

    struct Fault: CustomTestStringConvertible, Sendable {
        var text: String
        var complaint: String
        var testDescription: String { text }
    }

    private static let faceFault =
        "the face 'heart-rate' needs a controller for this program alone, such as hci-socket:0, "
        + "because bluetoothd puts the name into the scan response in every version; with bluetoothd, "
        + "use the face 'solicitation'"

    @Test("a face is possible with a controller, wherever the adapter stands in the section")
    func faces() throws {
        for text in [
            "face = 'heart-rate'\nadapter = 'hci-socket:1'",
            "adapter = 'unix:/tmp/x'\nface = 'heart-rate'",
        ] {
            #expect(try read("[bluetooth]\n" + text).bluetooth.face == .heartRate)
        }
        #expect(try read("[bluetooth]\nface = 'solicitation'").bluetooth.face == .solicitation)
    }

    static let faults = [
        Fault(
            text: "[bluetooth]\nphones = \"2\"",
            complaint: "2:10: expected a whole number from 1 to 16, found \"2\""),
        Fault(
            text: "[bluetooth]\nphones = 17",
            complaint: "2:10: expected a whole number from 1 to 16, found 17"),
        Fault(
            text: "[history]\ncontent = \"ap\"",
            complaint: "2:11: expected \"full\" or \"app\", found \"ap\"; did you mean \"app\"?"),
        Fault(
            text: "[bluetooth]\nface = 'keyboard'\nadapter = 'hci-socket:0'",
            complaint: "2:8: expected \"solicitation\" or \"heart-rate\", found \"keyboard\""),
        Fault(
            text: "[bluetooth]\nface = 'heart-rate'", complaint: "2:8: \(faceFault)"),
        Fault(
            text: "[bluetooth]\nface = 'heart-rate'\nadapter = 'bluez:hci1'",
            complaint: "2:8: \(faceFault)"),
        Fault(
            text: "[bluetooth]\nnam = 'x'",
            complaint: "2:1: unknown key \"nam\"; did you mean \"name\"?"),
        Fault(
            text: "[bluetooth]\ncolour = 'x'",
            complaint: "2:1: unknown key \"colour\": expected name, adapter, phones, require, "
                + "bonds, texts-on-bus or face"),
        Fault(
            text: "[blutooth]\n",
            complaint: "1:2: unknown section \"blutooth\"; did you mean \"bluetooth\"?"),
        Fault(
            text: "[zigbee]\nhost = 'x'",
            complaint:
                "1:2: unknown section \"zigbee\": expected bluetooth, desktop, media, history, "
                + "mqtt or rule"
        ),
        Fault(
            text: "popups = true",
            complaint: "1:1: the key \"popups\" is outside its section: expected [desktop] "
                + "before it"),
        Fault(
            text: "desktop = 3", complaint: "1:11: expected a section, as in [desktop], found 3"),
        Fault(
            text: "[desktop]\ncalls = \"button\"",
            complaint: "2:9: expected \"buttons\", \"show\" or \"none\", found \"button\"; did you "
                + "mean \"buttons\"?"),
        Fault(
            text: "[desktop]\npopups = 1", complaint: "2:10: expected true or false, found 1"),
        Fault(
            text: "[desktop]\ncopy = 'wl-copy'",
            complaint: "2:8: expected a list of at most 64 arguments, found \"wl-copy\""),
        Fault(
            text: "[history]\nkeep = '7x'",
            complaint:
                "2:8: expected \"0\" to keep nothing, or a number of days or weeks such as \"7d\" or "
                + "\"12w\", at most \"3660d\", found \"7x\""),
        Fault(
            text: "[history]\nkeep = 7",
            complaint:
                "2:8: expected \"0\" to keep nothing, or a number of days or weeks such as \"7d\" or "
                + "\"12w\", at most \"3660d\", found 7"),
        Fault(
            text: "[bluetooth]\nadapter = 'blues'",
            complaint:
                "2:11: expected \"bluez\", an adapter of bluetoothd such as \"bluez:hci0\", or a "
                + "moniker such as \"hci-socket:0\", found \"blues\"; did you mean \"bluez\"?"),
        Fault(
            text: "[bluetooth]\nadapter = 'bluez:eth0'",
            complaint:
                "2:11: expected the name or the address of an adapter after \"bluez:\", such as "
                + "\"hci0\" or \"00:11:22:33:44:55\", found \"bluez:eth0\""),
        Fault(
            text: "[bluetooth]\nname = 7",
            complaint: "2:8: expected a string of at most 248 octets, found 7"),
        Fault(
            text: "[bluetooth\n",
            complaint: "1:11: invalid TOML: parsing table header: expected ']', saw '\\\\n'"),
    ]

    @Test("a fault is reported with its place and the valid values", arguments: faults)
    func complaint(_ fault: Fault) {
        #expect(complaints(fault.text) == ["config.toml:" + fault.complaint])
    }

    @Test("all faults are reported at once, in the order of the file")
    func all() {
        let lines = complaints(
            "[history]\nkeep = 1\n[bluetooth]\nphones = 0\nnam = 1\n[[rule]]\nmatch = 1\n")
        #expect(
            lines.map { $0.split(separator: " ")[0] } == [
                "config.toml:2:8:", "config.toml:4:10:", "config.toml:5:1:", "config.toml:6:1:",
                "config.toml:7:9:",
            ])
    }

    @Test("of many faults the rest is counted")
    func many() throws {
        let text = "[desktop]\n" + (1...250).map { "unknown\($0) = 1\n" }.joined()
        let lines = complaints(text)
        #expect(lines.count == 101)
        #expect(lines.last == "config.toml: 150 more faults")
    }

    @Test(
        "text of a file cannot move the cursor or change the direction of writing when it is printed"
    )
    func hostile() throws {
        let line = try #require(
            complaints("[desktop]\n\"\\u001b[2J\\u202e\" = 1\n").first)
        #expect(line.contains(#"\u{1B}[2J\u{202E}"#))
    }

    // MARK: Files

    @Test("the file is in the user's configuration folder")
    func paths() {
        func path(_ environment: [String: String]) -> String? {
            ServiceConfiguration.userPath(environment: environment)
        }
        #expect(path(["XDG_CONFIG_HOME": "/x", "HOME": "/h"]) == "/x/ancs/config.toml")
        #expect(path(["XDG_CONFIG_HOME": "x", "HOME": "/h"]) == "/h/.config/ancs/config.toml")
        #expect(path(["HOME": "/h"]) == "/h/.config/ancs/config.toml")
        #expect(path([:]) == nil)
    }

    @Test("a missing file is an empty one, unless the user named it")
    func missing() throws {
        let path = "/nonexistent/config.toml"
        #expect(try ServiceConfiguration(file: path) == ServiceConfiguration())
        do throws(ConfigurationFaults) {
            _ = try ServiceConfiguration(file: path, mustExist: true)
            Issue.record("it was read")
        } catch {
            #expect(
                error.lines == [
                    "/nonexistent/config.toml: cannot read the configuration: No such file or "
                        + "directory"
                ])
        }
    }

    @Test("what is right beside a fault is read, for 'ancs doctor'")
    func rest() throws {
        let right = "[bluetooth]\nadapter = \"bluez:hci1\"\n"
        let text = right + "phones = \"many\"\n[desktop]\ncalls = 1\n"
        var configuration = ServiceConfiguration()
        do throws(ConfigurationFaults) {
            try configuration.read(Array(text.utf8), path: "config.toml")
            Issue.record("it has two faults")
        } catch { #expect(error.faults.count == 2) }
        #expect(configuration == (try read(right)))
    }

    @Test("something other than a file is refused, and never waited for")
    func strange() throws {
        #expect(throws: ConfigurationFaults.self) { try ServiceConfiguration(file: "/tmp") }
        #expect(throws: ConfigurationFaults.self) { try ServiceConfiguration(file: "/dev/zero") }
        let path = "/tmp/ancs-fifo-\(getpid())"
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        #expect(throws: ConfigurationFaults.self) { try ServiceConfiguration(file: path) }
    }
}
