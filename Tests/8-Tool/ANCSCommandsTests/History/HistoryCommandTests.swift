import ANCS
import Glibc
import LinuxIO
import Testing

@testable import ANCSReceiver
@testable import ANCSService
@testable import CommandKit
@testable import DaemonCommands
@testable import Printing

@Suite struct HistoryCommandTests {
    private static let now = CaptureTime(microsecondsSince1970: 1_795_348_800_000_000)

    private func options(_ words: String...) throws -> HistoryOptions {
        try HistoryOptions(
            try HistoryOptions.syntax.parse(words), environment: ["HOME": "/h"], now: Self.now)
    }

    private func query(_ words: String...) throws -> HistoryQuery? {
        let arguments = try HistoryOptions.syntax.parse(words)
        let options = try HistoryOptions(arguments, environment: ["HOME": "/h"], now: Self.now)
        guard case .list(let query) = options.action else { return nil }
        return query
    }

    // MARK: Options

    @Test("all words must match, and options narrow the result")
    func lists() throws {
        let query = try #require(try query("mum", "home", "--app", "a.b", "--missed", "--limit=5"))
        #expect(query.text == "mum home")
        #expect(query.app == "a.b")
        #expect(query.isMissedCalls)
        #expect(query.limit == 5)
        #expect(query.since == nil)
        #expect(try self.query()?.limit == 50)
        #expect(try options("--json").isJSON)
        #expect(try options().stateDirectory == "/h/.local/state/ancs")
        #expect(try self.query("--since", "2d")?.since == Self.now + .seconds(-172_800))
        #expect(try self.query("--since", "3w")?.since == Self.now + .seconds(-1_814_400))
        let day = try #require(try self.query("--since", "2026-11-20")?.since)
        #expect(LocalClock.text(of: day) == "2026-11-20 00:00")
        let hour = try #require(try self.query("--since", "2026-11-20T15:30")?.since)
        #expect(LocalClock.text(of: hour) == "2026-11-20 15:30")
    }

    @Test("only one way to select entries to forget is allowed")
    func forgets() throws {
        #expect(try options("--forget", "--all").action == .forget([.all]))
        #expect(try options("--forget", "--app", "a.b").action == .forget([.app("a.b")]))
        let ids = ["z", "10"].compactMap { RecordID($0) }
        #expect(try options("--forget", "z", "10").action == .forget(ids.map { .record($0) }))
    }

    @Test(
        "a misunderstood command has no effect",
        arguments: [
            ["--forget"], ["--forget", "--all", "z"], ["--forget", "--all", "--app", "a"],
            ["--forget", "mum!"], ["--forget", "--all", "--since", "2d"], ["--all"],
            ["--forget", "--all", "--limit", "3"], ["--forget", "--all", "--missed"],
            ["--since", "yesterday"], ["--since", "2026-13-01"], ["--since", "2026-02-30"],
            ["--since", "2026-11-20T25:00"], ["--since", "2026-11"], ["--since", ""],
            ["--since", "-2d"], ["--limit", "0"], ["--state", ""],
        ])
    func refused(words: [String]) {
        #expect(throws: CommandSyntax.UsageError.self) {
            try HistoryOptions(
                try HistoryOptions.syntax.parse(words), environment: ["HOME": "/h"], now: Self.now)
        }
    }

    // MARK: Lines

    private static func entry(_ delivery: NotificationFeed.Delivery, withTexts: Bool)
        -> HistoryEntry
    {
        let notification = ReceivedNotification(delivery, session: ReceiveReportTests.session)
        let record = Record(
            id: RecordID(rawValue: 31), phone: PhoneName(digest: "0123456789abcdef"),
            notification: notification, time: now)
        return HistoryEntry(record, withTexts: withTexts)
    }

    private static func lines(
        _ delivery: NotificationFeed.Delivery, withTexts: Bool, isColored: Bool = false
    ) -> [String] {
        let entry = entry(delivery, withTexts: withTexts)
        let line = Line(stored: entry.json, at: LocalClock.text(of: entry.posted))
        return LinePrinter(isJSON: false, isColored: isColored).text(line)
    }

    @Test("a line shows time, app, texts and ID, safe for a terminal")
    func lines() {
        var call = ReceiveReportTests.call
        // The date, which has no offset, as it is; without it, when it arrived.
        let time = LocalClock.text(of: Self.now)
        let lines = Self.lines(call, withTexts: true)
        #expect(
            lines == [
                "2026-11-21 09:30  Phone · Ada", "    mobile", "    Incoming Call",
                "    z · incomingCall",
            ])
        let bare = Self.lines(call, withTexts: false)
        #expect(bare == ["\(time)  Phone", "    z · incomingCall · its text was not kept"])
        call.attributes = [AttributeValue(.message, "a\u{1B}[2J\nb\u{202E}c")]
        call.displayName = nil
        let odd = Self.lines(call, withTexts: true, isColored: true)
        #expect(odd[1] == #"    a\u{1B}[2J\nb\u{202E}c"#)
    }

    // MARK: The command

    @Test("it removes entries while a daemon has the file open, and leaves nothing of them")
    func command() throws {
        let directory = try TemporaryDirectory()
        let files = HistoryFiles(directory: directory.path)
        func run(_ words: String...) throws -> CommandKit.ExitStatus {
            let arguments = try HistoryOptions.syntax.parse(words + ["--state", directory.path])
            return HistoryCommand.run(try HistoryOptions(arguments, environment: [:]))
        }
        #expect(try run() == .failure)
        #expect(!files.exists)
        let daemon = try HistoryStore(writing: files)
        _ = try daemon.keep([Self.entry(ReceiveReportTests.call, withTexts: true)])
        #expect(try run("ada") == .success)
        #expect(try run("--forget", "10") == .success)
        #expect(try daemon.count() == 1)
        // Not in the history, by a name that nothing has: nothing is removed.
        #expect(try run("--forget", "--app", "Telephone") == .usage)
        #expect(try run("--app", "Telephone") == .usage)
        #expect(try run("--forget", "--app", "com.example.none") == .success)
        #expect(try daemon.count() == 1)
        #expect(try run("--app", "phone") == .success)
        #expect(try run("--forget", "--app", "PHONE") == .success)
        #expect(try daemon.count() == 0)
        _ = try daemon.keep([Self.entry(ReceiveReportTests.call, withTexts: true)])
        #expect(try run("--forget", "z") == .success)
        #expect(try daemon.count() == 0)
        for name in directory.names {
            let octets = try #require(try PrivateFile.read(path: "\(directory.path)/\(name)"))
            #expect(!String(decoding: octets, as: UTF8.self).contains("Incoming Call"), "\(name)")
        }
    }
}
