import AMS
import ANCS
import BluetoothTypes
import Testing

@testable import ANCSCommands
@testable import ANCSEvents
@testable import ANCSReceiver
@testable import Printing

/// What the user may type while `ancs receive` runs, and what the marks of a notification look like.
@Suite struct UserCommandTests {
    private func command(_ line: String) -> UserCommand? {
        UserCommand(line.split(separator: " ").map(String.init))
    }

    @Test("the keys of a player are words and signs, with the session where there are several")
    func media() {
        func command(_ line: String) -> MediaCommand? {
            MediaCommand(line.split(separator: " ").map(String.init))
        }
        #expect(command("play")?.command == .play && command("+")?.command == .volumeUp)
        #expect(command("- 2")?.command == .volumeDown && command("- 2")?.session == 2)
        for line in ["", "play 0", "play x", "play 1 2", "Play", "++", "stop"] {
            #expect(command(line) == nil, "\(line)")
        }
    }

    @Test("an action names its notification, and its phone where there are several")
    func perform() {
        #expect(command("perform 7 positive")?.kind == .perform(.positive))
        #expect(command("perform 7 2 negative")?.session == 2)
        #expect(command("perform 7 2 negative")?.kind == .perform(.negative))
        #expect(command("fetch 7")?.kind == .fetch)
        #expect(command("fetch 4294967295 1")?.uid == NotificationUID(rawValue: .max))
    }

    @Test(
        "an unknown word has no effect: an action is never guessed",
        arguments: [
            "perform", "perform 7", "perform 7 maybe", "perform 4294967296 positive",
            "perform -1 positive", "perform 7 negative now", "fetch", "fetch 7 positive",
            "fetch 7 1 2", "7 positive",
        ])
    func refused(_ line: String) {
        #expect(command(line) == nil)
    }

    @Test("a completion is a modification marked as such, and doubtful attributes are marked")
    func marks() throws {
        var delivery = ReceiveReportTests.bare(.modified)
        delivery.isCompletion = true
        delivery.isPreExisting = true
        delivery.wasSeen = false
        delivery.truncatedTexts = [.message]
        delivery.attributes = [AttributeValue(.message, octets: [0x61, 0xE2, 0x80])]
        let json = try ReceiveReportTests.report("--json")
            .told(.notification(ReceiveReportTests.session, delivery)).output
        #expect(
            json.first.map(ReceiveReportTests.core)?.hasSuffix(
                #""message":"a\#u{FFFD}","completes":true,"preExisting":true,"seen":false,"#
                    + #""truncated":["message"],"repaired":["message"]}"#) == true)
    }

    @Test("each line has the phone and the session")
    func phonesAndSessions() throws {
        let other = PhoneID(rawValue: 2)
        var json = try ReceiveReportTests.report("--json")
        var text = try ReceiveReportTests.report("--phones", "2")
        func report(_ event: ConsumerEvent) -> (json: String?, text: String?) {
            (json.report(of: event).output.first, text.report(of: event).output.first)
        }
        let description = PeerDescription(address: "A", identity: nil, digest: "aaaabbbb")
        let connected = report(.peer(other, .connected(description)))
        #expect(
            connected.json?.hasSuffix(#","time":"1970-01-01T00:00:00.000Z","phone":"aaaabbbb"}"#)
                == true)
        #expect(connected.text?.hasPrefix("[aaaa] ") == true)
        _ = report(
            .peer(
                other,
                .paired(
                    PeerDescription(address: "A", identity: "B", digest: "ccccdddd"),
                    isBonded: true, replacing: nil)))
        for number in UInt64(1)...2 {
            let session = SessionID(provider: other, number: number)
            let end =
                #","time":"1970-01-01T00:00:00.000Z","phone":"ccccdddd","session":\#(number)}"#
            #expect(
                report(.session(session.provider, .started(session))).json?.hasSuffix(end) == true)
            #expect(json.phones[other]?.session == number)
            let bare = ReceiveReportTests.bare(.removed)
            #expect(report(.notification(session, bare)).text?.hasPrefix("[\(number)] - ") == true)
            #expect(
                report(.session(session.provider, .ended(session, .serviceGone))).json?.hasSuffix(
                    end) == true)
            #expect(json.phones[other]?.session == nil)
        }
        let last = SessionID(provider: other, number: 3)
        _ = report(.session(last.provider, .started(last)))
        _ = report(.session(last.provider, .ended(last, .linkEnded)))
        #expect(
            report(.peer(other, .disconnected(.link(.connectionTimeout)))).json?.hasSuffix(
                #""session":3}"#)
                == true)
        #expect(
            report(.device(.missed(3))).json
                == #"{"event":"missed","count":3,"time":"1970-01-01T00:00:00.000Z"}"#)
    }

    @Test("a removal names the app and the title that were shown")
    func removal() throws {
        let (phone, session) = (ReceiveReportTests.phone, ReceiveReportTests.session)
        var call = ReceiveReportTests.call
        for option in ["--json", "--verbose"] {
            var report = try ReceiveReportTests.report(option)
            _ = report.report(
                of: .peer(phone, .connected(.init(address: "A", identity: nil, digest: "D"))))
            _ = report.report(of: .session(session.provider, .started(session)))
            call.source.eventID = .added
            _ = report.report(of: .notification(session, call))
            var removal = NotificationFeed.Delivery(source: call.source)
            removal.source.eventID = .removed
            let line = report.report(of: .notification(session, removal)).output.first
            #expect(
                line
                    == (option == "--json"
                        ? #"{"event":"removed","uid":7,"flags":["important","positiveAction","#
                            + #""negativeAction"],"category":"incomingCall","categoryID":1,"#
                            + #""categoryCount":1,"app":{"identifier":"com.apple.mobilephone","#
                            + #""displayName":"Phone"},"title":"Ada","#
                            + #""time":"1970-01-01T00:00:00.000Z","phone":"D","session":1}"#
                        : "- Phone · Ada · uid 7"))
            // The UID means nothing in the next session.
            _ = report.report(of: .session(session.provider, .ended(session, .serviceGone)))
            _ = report.report(of: .session(session.provider, .started(session)))
            let bare = report.report(of: .notification(session, removal)).output.first
            #expect(bare?.contains("Ada") == false)
        }
    }

    @Test("a phone that is stuck is not one that refuses, and each has its remedy")
    func wedged() throws {
        let report = try ReceiveReportTests.report()
        let wedged = report.told(.session(ReceiveReportTests.phone, .livenessChanged(.wedged)))
            .output
        #expect(wedged.joined().contains("Bluetooth on the iPhone off and on"))
        #expect(!wedged.joined().contains("Share System Notifications"))
        let refused = report.told(
            .session(
                ReceiveReportTests.phone, .authorizationChanged(.unauthorized(.writeNotPermitted)))
        ).output
        #expect(refused.joined().contains("Share System Notifications"))
        let json = try ReceiveReportTests.report("--json")
        #expect(
            json.told(.session(ReceiveReportTests.phone, .livenessChanged(.wedged))).output
                == [#"{"event":"session","state":"wedged","time":"1970-01-01T00:00:00.000Z"}"#])
    }
}
