import ANCSService
import Testing

@testable import CommandKit
@testable import DaemonCommands
@testable import Printing

@Suite("What ancs doctor prints")
struct DiagnosisLinesTests {
    private let fine = Finding.fine(.adapter, "hci0")
    private let note = Finding.note(
        .phone, "none", why: "it comes from a phone", remedy: "pair one")
    private let unseen = Finding.unseen(.history, because: "Permission denied")
    private let fault = Finding.fault(
        .link, of: "Ada\u{1B}[2J\u{202E}", "gone", why: "it matters", remedy: "come back")

    private func lines(_ findings: Finding..., isColored: Bool = false) -> [String] {
        LinePrinter(isJSON: false, isColored: isColored).output(Diagnosis(findings).lines)
    }

    @Test("The first fault and its remedy come first")
    func faultFirst() {
        #expect(
            lines(fine, fault) == [
                #"✗ link of Ada\u{1B}[2J\u{202E}: gone"#, "  come back", "",
                "✓ adapter  hci0", #"✗ link     Ada\u{1B}[2J\u{202E}: gone"#,
                "           it matters", "           → come back",
            ])
    }

    @Test("Nothing is wrong, but for notes")
    func onlyNotes() {
        #expect(lines(fine, note).first == "✓ no fault; 1 note below")
        #expect(lines(fine).first == "✓ no fault")
    }

    @Test("Color is for terminals")
    func color() {
        #expect(lines(fine, note, unseen, fault).allSatisfy { !$0.contains("\u{1B}") })
        #expect(lines(fault, isColored: true)[0].hasPrefix(TerminalPaint.Style.bad.sequence))
    }

    @Test("The exit status follows from the findings")
    func status() {
        #expect(DoctorCommand.status(of: Diagnosis([fine, note])) == .success)
        #expect(DoctorCommand.status(of: Diagnosis([fine, unseen, fault])) == .failure)
        #expect(DoctorCommand.status(of: Diagnosis([fine, unseen])) == .unavailable)
    }

    @Test("The gateway has other places than a user")
    func places() throws {
        let syntax = DoctorOptions.syntax
        let environment = ["HOME": "/home/ada"]
        let user = try DoctorOptions(syntax.parse([]), environment: environment)
        #expect(user.configuration == "/home/ada/.config/ancs/config.toml")
        #expect(user.stateDirectory == "/home/ada/.local/state/ancs")
        let system = try DoctorOptions(syntax.parse(["--system"]), environment: environment)
        #expect(system.configuration == "/etc/ancs/config.toml")
        #expect(system.stateDirectory == "/var/lib/ancs")
    }
}
