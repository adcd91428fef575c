@testable import AccessoryConformance
import CommandKit
import EventLines
import Octets
import Printing

@testable import ANCS
@testable import ANCSCommands
@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSProvider
@testable import ANCSReceiver

/// Runs for reports, without a phone.
enum ReportSamples {
    static let watch = AccessoryID(rawValue: 1)
    /// What an attacker would put into a name: markup, entities, quotes, controls, directions, and heaps of marks.
    static let hostile =
        "</title></svg><script>alert(1)</script><img src=x onerror=alert(1)>&amp;\"' "
        + "\u{0}\u{1B}[31m\u{7F}\u{85}\u{202E}\u{2066}\u{FFFE}\u{1FFFF}\r\n]]>--><!--"
        + String(repeating: "e\u{301}\u{301}\u{301}\u{301}\u{301}", count: 9)

    static func scenario(_ title: String = "T", steps: String = #"{"wait":"connected"}"#) throws
        -> Scenario
    {
        var scenario = try Scenario(
            parsing: Array(#"{"title":"T","grade":true,"steps":[\#(steps)]}"#.utf8))
        scenario.title = title
        return scenario
    }

    static func add(
        _ event: ProviderEvent, to recording: inout RecordedRun, posted: PostedNotification? = nil,
        content: Bool = false, at time: Duration
    ) {
        let line = event.line(
            for: Reporter(side: .phone, name: "iPhone"), content ? posted : nil)
        recording.add(event, line, posted, at: .zero + time)
    }

    /// A run of so many events of each kind, with a link that is lost now and then.
    static func recording(
        title: String = "T", name: String = "Watch", events: Int = 10, content: Bool = false,
        output: [String]? = ["hello"]
    ) throws -> RecordedRun {
        var recording = RecordedRun(try scenario(title), hasContent: content, at: .zero)
        let peer = PeerDescription(
            name: name, address: Samples.address, digest: "D",
            link: LinkParameters(
                interval: .milliseconds(30), supervisionTimeout: .milliseconds(720)))
        var posted = Samples.posted
        posted.notification.title = Array("A secret of \(name)".utf8)
        for number in 0..<events {
            let time = Duration.milliseconds(number * 20)
            switch number % 5 {
            case 0: add(.peer(watch, .connected(peer)), to: &recording, at: time)
            case 1:
                let protection = LinkProtection(
                    isEncrypted: true, isAuthenticated: false, usesSecureConnections: true)
                add(.peer(watch, .secured(protection)), to: &recording, at: time)
            case 2:
                add(
                    .notification(.added, NotificationID(rawValue: UInt64(number))),
                    to: &recording, posted: posted, content: content, at: time)
            case 3:
                add(
                    .session(watch, .subscriptionChanged(.dataSource, true)), to: &recording,
                    at: time)
            default:
                add(
                    .peer(watch, .disconnected(.link(.connectionTimeout))), to: &recording,
                    at: time)
            }
        }
        recording.end(try result(title, name: name, events: events), output: output)
        return recording
    }

    /// What came of it: a step that failed, and requirements that were broken.
    static func result(_ title: String, name: String, events: Int) throws -> ScenarioResult {
        let end = Duration.milliseconds(events * 20)
        let bench = try ScenarioBench(
            steps: #"{"wait":"connected"},{"wait":"paired","within":2},{"pause":1}"#,
            head: #""grade":true,"#)
        bench.connect(name: name)
        bench.hear(.session(ScenarioBench.watch, .commandWithoutResponse([0, 1])))
        bench.wait(.seconds(2))
        var result = try bench.result ?? ScenarioResult(notStarted: scenario(), because: "")
        result.title = title
        result.duration = max(end, result.duration)
        return result
    }

    static func page(_ recordings: [RecordedRun]) -> String {
        var page = ReportPage(expected: recordings.count, facts: [("Program", hostile)])
        for recording in recordings { page.add(recording) }
        return page.html
    }
}
