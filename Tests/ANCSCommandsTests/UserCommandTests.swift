import ANCS
@testable import ANCSKit
import Testing

@testable import ANCSCommands

/// What the user may type while `ancs receive` runs, and what the marks of a notification look like.
@Suite struct UserCommandTests {
    private func command(_ line: String) -> UserCommand? {
        UserCommand(line.split(separator: " ").map(String.init))
    }

    @Test("an action names its notification, and its phone where there are several")
    func perform() {
        #expect(command("perform 7 positive")?.kind == .perform(.positive))
        #expect(command("perform 7 2 negative")?.phone == 2)
        #expect(command("perform 7 2 negative")?.kind == .perform(.negative))
        #expect(command("fetch 7")?.kind == .fetch)
        #expect(command("fetch 4294967295 1")?.uid == NotificationUID(rawValue: .max))
    }

    @Test(
        "what is not understood does nothing: an action is never guessed",
        arguments: [
            "perform", "perform 7", "perform 7 maybe", "perform 4294967296 positive",
            "perform -1 positive", "perform 7 negative now", "fetch", "fetch 7 positive",
            "fetch 7 1 2", "7 positive",
        ])
    func refused(_ line: String) {
        #expect(command(line) == nil)
    }

    @Test("a completion is a modification that says so, and what is doubtful is marked")
    func marks() throws {
        var delivery = ReceiveReportTests.bare(.modified)
        delivery.isCompletion = true
        delivery.isPreExisting = true
        delivery.wasSeen = false
        delivery.truncatedTexts = [.message]
        delivery.attributes = [AttributeValue(.message, octets: [0x61, 0xE2, 0x80])]
        let json = try ReceiveReportTests.report("--json")
            .report(of: .notification(ReceiveReportTests.phone, delivery)).output
        #expect(
            json.first?.hasSuffix(
                #""message":"a\#u{FFFD}","completes":true,"preExisting":true,"seen":false,"#
                    + #""truncated":["message"],"repaired":["message"]}"#) == true)
    }

    @Test("with several phones each line says which one it is about")
    func severalPhones() throws {
        let event = ConsumerEvent.notification(
            ProviderID(rawValue: 2), ReceiveReportTests.bare(.removed))
        let json = try ReceiveReportTests.report("--json", "--phones", "2").report(of: event)
        #expect(json.output.first?.hasSuffix(#""phone":2}"#) == true)
        let text = try ReceiveReportTests.report("--phones", "2").report(of: event)
        #expect(text.output.first?.hasPrefix("[2] ") == true)
        let single = try ReceiveReportTests.report("--json").report(of: event)
        #expect(single.output.first?.contains("phone") == false)
    }

    @Test("a phone that is stuck is not one that refuses, and each has its remedy")
    func wedged() throws {
        let report = try ReceiveReportTests.report()
        let wedged = report.report(of: .livenessChanged(ReceiveReportTests.phone, .wedged)).output
        #expect(wedged.joined().contains("Bluetooth on the iPhone off and on"))
        #expect(!wedged.joined().contains("Share System Notifications"))
        let refused = report.report(
            of: .authorizationChanged(
                ReceiveReportTests.phone, .unauthorized(.writeNotPermitted))
        ).output
        #expect(refused.joined().contains("Share System Notifications"))
        let json = try ReceiveReportTests.report("--json")
        #expect(
            json.report(of: .livenessChanged(ReceiveReportTests.phone, .wedged)).output
                == [#"{"event":"session","state":"wedged"}"#])
    }
}
