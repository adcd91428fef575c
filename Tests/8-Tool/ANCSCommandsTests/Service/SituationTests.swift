import Testing

@testable import ANCSCommands
@testable import ANCSService
@testable import CommandKit
@testable import DaemonCommands

@Suite("'ancs' alone")
struct SituationTests {
    private func phone(_ state: PhoneStatus.State, _ name: String?) -> PhoneStatus {
        PhoneStatus(
            phone: PhoneName(digest: "3f9ac1d20b7e4456", name: name), state: state, isPaired: true)
    }

    private func step(_ phones: PhoneStatus..., isOnAir: Bool = true) -> String {
        let now = Situation(isOnAir: isOnAir, message: "waiting for an adapter", phones)
        return "\(now.text): \(now.step)"
    }

    @Test("it says what is the case, and the one next step")
    func steps() {
        #expect(step() == "no phone is paired: ancs pair")
        #expect(step(isOnAir: false) == "waiting for an adapter: ancs doctor")
        #expect(step(phone(.subscribed, "Ada's")) == "receiving from 'Ada's': ancs list")
        #expect(
            step(phone(.away, nil), phone(.subscribed, "B"), phone(.subscribed, "C"))
                == "receiving from 'B', 'C': ancs list")
        #expect(step(phone(.away, "A")) == "'A' is not connected: ancs doctor")
        #expect(
            step(phone(.unauthorized, "A"))
                == "'A' is connected, but does not share its notifications: ancs status")
    }

    @Test("without the daemon it says how to start it, and without an adapter what works")
    func withoutDaemon() {
        #expect(
            Situation(hasAdapter: true, hasUserUnits: true).step
                == "systemctl --user enable --now ancs")
        #expect(Situation(hasAdapter: true, hasUserUnits: false).step == "ancs serve")
        let bare = Situation(hasAdapter: false, hasUserUnits: false)
        #expect(bare.step == "ancs demo" && bare.text.contains("'ancs doctor'"))
    }

    @Test("the help has four groups with every command, and not the names of version 0.1")
    func groups() throws {
        #expect(
            Tool.groups.map(\.title) == ["Receive", "The daemon", "Test an accessory", "Tools"])
        let names = Tool.commands.map(\.name)
        #expect(Set(names).count == names.count && !names.contains("apps"))
        let help = try Tool.help(about: [])
        for group in Tool.groups { #expect(help.contains("\n\(group.title):\n")) }
        for name in names { #expect(help.contains("\n  \(name) ")) }
        #expect(try Tool.command(named: "apps").name == "apps")
    }

    @Test("a list of apps is no mute")
    func muteList() throws {
        let arguments = try ServiceCommands.mute.parse(["--list", "--json"])
        #expect(arguments.has("--list") && arguments.operands.isEmpty)
    }
}
