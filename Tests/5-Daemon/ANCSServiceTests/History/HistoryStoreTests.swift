import ANCS
import Glibc
import JSONText
import HCITransports
import LinuxIO
import Octets
import Testing

@testable import ANCSService

@Suite("The store of the history")
struct HistoryStoreTests {
    let folder: TemporaryDirectory
    let files: HistoryFiles

    init() throws {
        folder = try TemporaryDirectory()
        files = HistoryFiles(directory: "\(folder.path)/state")
    }

    private func store() throws -> HistoryStore { try HistoryStore(writing: files) }

    private func search(_ text: String, in store: HistoryStore) throws -> [UInt64] {
        var query = HistoryQuery()
        query.text = text
        return try store.entries(query).map(\.id.rawValue)
    }

    // MARK: Keeping

    @Test("a date is stored with the phone's offset from UTC, if it was known")
    func offset() throws {
        let store = try store()
        let record = SampleRecord.make(id: 1, utcOffset: UTCOffset(minutes: 540))
        #expect(try store.keep([.full(record), .full(SampleRecord.make(id: 2, uid: 8))]) == 2)
        #expect(
            try Set(store.entries(HistoryQuery()).map { $0.json["date"]?.string }) == [
                "2026-11-22T12:00:00", "2026-11-22T12:00:00+09:00",
            ])
    }

    @Test("stored records are read latest first, while another process writes")
    func roundTrip() throws {
        let store = try store()
        let call = SampleRecord.make(
            id: 2, uid: 8, category: .missedCall, flags: [.important, .negativeAction],
            attributes: SampleRecord.attributes(app: "com.apple.mobilephone", title: "Ada"),
            name: "Phone", time: SampleRecord.noon + 1_000_000)
        #expect(try store.keep([.full(SampleRecord.make(id: 1)), .full(call)]) == 2)
        let entries = try HistoryStore(reading: files).entries(HistoryQuery())
        #expect(entries.map(\.id.rawValue) == [2, 1])
        #expect(
            entries[0].json.text == """
                {"id":"2","time":"2026-11-22T12:00:01.000Z","phone":"0123456789abcdef",\
                "phoneName":"iPhone of Ada","flags":["important","negativeAction"],\
                "category":"missedCall","categoryID":2,"app":{"identifier":"com.apple.mobilephone",\
                "displayName":"Phone"},"title":"Ada","subtitle":"","message":"Come home",\
                "date":"2026-11-22T12:00:00"}
                """)
        var missed = HistoryQuery()
        missed.isMissedCalls = true
        #expect(try store.entries(missed).map(\.id.rawValue) == [2])
        var app = HistoryQuery()
        app.app = "com.apple.MobileSMS"
        #expect(try store.entries(app).map(\.id.rawValue) == [1])
        var since = HistoryQuery()
        since.since = CaptureTime(microsecondsSince1970: SampleRecord.noon + 1)
        #expect(try store.entries(since).map(\.id.rawValue) == [2])
        var one = HistoryQuery()
        one.limit = 1
        #expect(try store.entries(one).map(\.id.rawValue) == [2])
    }

    @Test(
        "files and their folder are private to the owner, for any mask and former mode"
    )
    func privacy() throws {
        try PrivateFile.write(path: files.path, contents: [])
        chmod(files.path, 0o666)
        let store = try store()
        _ = try store.keep([.full(SampleRecord.make())])
        let names = SystemFile.names(in: "\(folder.path)/state")
        #expect(names == ["history.sqlite", "history.sqlite-shm", "history.sqlite-wal"])
        var status = stat()
        for name in names {
            #expect(lstat("\(folder.path)/state/\(name)", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(name)")
        }
        #expect(lstat("\(folder.path)/state", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
    }

    @Test("a link in the place of the file is not followed")
    func link() throws {
        try PrivateFile.write(path: files.path, contents: [])
        try folder.write("victim", [1])
        unlink(files.path)
        symlink("\(folder.path)/victim", files.path)
        #expect(throws: HistoryStore.Failure.self) { try store() }
        #expect(folder.contents(of: "victim") == [1])
    }

    @Test("a notification is stored once, when it is modified or repeated too")
    func once() throws {
        let store = try store()
        func keep(_ record: Record) throws { _ = try store.keep([.full(record)]) }
        try keep(SampleRecord.make(id: 1, category: .incomingCall, attributes: [], name: nil))
        try keep(SampleRecord.make(id: 1, category: .incomingCall))
        #expect(try store.count() == 1)
        #expect(try search("home", in: store) == [1])
        // The same again: by its content, or because the record says so.
        try keep(SampleRecord.make(id: 2, flags: .preExisting, time: SampleRecord.noon + 5))
        #expect(try store.count() == 1)
        let please = SampleRecord.attributes(message: "Come, please")
        var third = SampleRecord.make(id: 3, attributes: please)
        third.sameAs = RecordID(rawValue: 2)
        try keep(third)
        #expect(try store.count() == 1)
        #expect(try search("please", in: store) == [3])
        #expect(try search("home", in: store) == [])
        #expect(try store.oldest()?.microsecondsSince1970 == SampleRecord.noon)
    }

    @Test("the phones of all entries are known, whatever is searched for")
    func phones() throws {
        let store = try store()
        let other = SampleRecord.make(id: 2, phone: "fedcba9876543210")
        #expect(try store.keep([.full(SampleRecord.make(id: 1)), .full(other)]) == 2)
        let digests = try HistoryStore(reading: files).phones().map(\.digest)
        #expect(Set(digests) == ["0123456789abcdef", "fedcba9876543210"])
    }

    @Test("an equal but new notification is another entry, and so is another phone's")
    func alike() throws {
        let store = try store()
        func keep(_ record: Record) throws { _ = try store.keep([.full(record)]) }
        try keep(SampleRecord.make(id: 1))
        try keep(SampleRecord.make(id: 2))
        try keep(SampleRecord.make(id: 3, flags: .preExisting, phone: "fedcba9876543210"))
        try keep(SampleRecord.make(id: 4, attributes: SampleRecord.attributes(message: "Stay")))
        try keep(SampleRecord.make(id: 4))
        #expect(try search("home", in: store) == [4, 3, 2, 1])
        // Calls of older systems have no date (S12).
        let call = [AttributeValue(.title, "Ada"), AttributeValue(.date, "")]
        try keep(SampleRecord.make(id: 5, category: .incomingCall, attributes: call))
        try keep(
            SampleRecord.make(
                id: 6, category: .incomingCall, flags: .preExisting, attributes: call))
        #expect(try search("ada", in: store) == [6, 5])
        try keep(SampleRecord.make(id: 7, flags: .preExisting))
        #expect(try search("home", in: store).count == 4)
    }

    @Test("without texts no text is stored, nor anything from which it could be guessed")
    func headers() throws {
        let store = try store()
        let record = SampleRecord.make(id: 1)
        _ = try store.keep([HistoryEntry(record, withTexts: false)])
        _ = try store.keep([HistoryEntry(SampleRecord.make(id: 2), withTexts: false)])
        #expect(try store.count() == 2)
        #expect(try search("home", in: store) == [])
        let entry = try #require(try store.entries(HistoryQuery()).first)
        #expect(entry.title == nil && entry.message == nil && entry.date == nil)
        #expect(entry.app == "com.apple.MobileSMS")
        #expect(try search("mess", in: store) == [2, 1], "the name of the app")
        // What becomes muted later loses its texts.
        _ = try store.keep([
            .full(SampleRecord.make(id: 3)),
            HistoryEntry(SampleRecord.make(id: 3), withTexts: false),
        ])
        #expect(try search("home", in: store) == [])
    }

    // MARK: Search

    static let texts: [(String, [String], [String])] = [
        ("会議は三時からです", ["会議", "三時", "です", "議は三"], ["議会", "四時"]),
        ("お母さんから電話", ["電話", "母さん"], ["父さん"]),
        ("明天下午开会，请准时", ["下午", "开会", "请准时"], ["上午"]),
        ("회의는 세 시입니다", ["회의", "시입니다", "의는"], ["의회"]),
        ("ประชุมบ่ายสาม", ["ประชุม", "บ่าย", "สาม"], ["เช้า"]),
        ("مَرْحَبًا كيف الحال", ["مرحبا", "كيف", "مَرْحَبًا", "الح"], ["سلام"]),
        ("שָׁלוֹם לכולם", ["שלום", "שָׁלוֹם", "לכול"], ["תודה"]),
        ("Un café très crémeux", ["cafe", "café", "CAFÉ", "crem", "cafe\u{301}"], ["the"]),
        ("Tiếng Việt rất đẹp", ["tieng", "việt", "rat"], ["nam"]),
        ("ΑΘΗΝΑ και Πάτρα", ["αθηνα", "πατρα"], ["κρητη"]),
        ("Встреча в полдень", ["встреча", "ВСТРЕЧА", "полд"], ["ночь"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनि"], ["अलविदा"]),
        ("Party 🎉 at 8 👍🏽", ["🎉", "👍", "party 🎉", "8"], ["🎂"]),
        ("100% \"sure\" it's a_b", ["100%", "\"sure\"", "it's", "a_b", "100 sure"], ["200%"]),
        ("?! ***", ["?!", "***"], ["!?", "%", "_"]),
        ("'; DROP TABLE notifications; --", ["DROP TABLE", "'; drop"], ["' OR 1=1 --"]),
        ("NEAR(a, b) OR title:x", ["NEAR(a,", "or title:x", "title:x"], ["NOT z", "AND", "c"]),
    ]

    @Test("a search finds words by their first letters, in every script", arguments: texts)
    func scripts(text: String, found: [String], notFound: [String]) throws {
        let store = try store()
        let other = SampleRecord.attributes(title: "x", message: "Lorem ipsum")
        let attributes = SampleRecord.attributes(title: "y", message: text)
        _ = try store.keep([
            .full(SampleRecord.make(id: 1, attributes: other)),
            .full(SampleRecord.make(id: 2, attributes: attributes)),
        ])
        for query in found { #expect(try search(query, in: store) == [2], "\(query)") }
        for query in notFound { #expect(try search(query, in: store) == [], "\(query)") }
    }

    @Test("any text can be stored and searched for")
    func anything() throws {
        let store = try store()
        let long = String(repeating: "wörd 会 ", count: 6_500)
        let odd: [[UInt8]] = [
            [0xFF, 0xFE, 0x41], [0x41, 0, 0x42], Array("a\"b'c".utf8), [0xED, 0xA0, 0x80],
            Array(long.utf8), Array(repeating: 0x22, count: 65_535), [],
        ]
        for (index, octets) in odd.enumerated() {
            let attributes = [
                AttributeValue(.title, octets: octets), AttributeValue(.message, octets: octets),
            ]
            _ = try store.keep([
                .full(SampleRecord.make(id: UInt64(index), attributes: attributes))
            ])
        }
        #expect(try store.count() == odd.count)
        let titles = try store.entries(HistoryQuery()).reversed().map(\.title)
        #expect(titles[0] == "\u{FFFD}\u{FFFD}A")
        #expect(titles[1] == "A\u{FFFD}B")
        #expect(titles[4]?.utf8.count == long.utf8.count)
        #expect(try search("wor", in: store) == [4])
        for query in ["\0", "a\0b", long, String(repeating: "\"", count: 9999), "\u{FFFD}"] {
            _ = try search(query, in: store)
        }
    }

    @Test("a text is found by each of its words, in any script")
    func everything() throws {
        let store = try store()
        var generator = SeededGenerator(seed: 20)
        let ranges: [ClosedRange<UInt32>] = [
            0x20...0x7E, 0xA0...0x24F, 0x300...0x52F, 0x590...0x6FF, 0x900...0xD7F, 0xE00...0xFFF,
            0x1E00...0x1FFF, 0x2000...0x2BFF, 0x3000...0x30FF, 0x4E00...0x9FFF, 0xA000...0xABFF,
            0xAC00...0xD7FF, 0xE000...0xFFFF, 0x1F300...0x1FAFF, 0x20000...0x20FFF, 0...0x10FFFF,
        ]
        for number in 0..<180 {
            let text = String.randomText(of: ranges, using: &generator)
            let attributes = SampleRecord.attributes(title: "", message: text)
            let record = SampleRecord.make(id: UInt64(number), attributes: attributes, name: nil)
            _ = try store.keep([.full(record)])
            let parts = text.unicodeScalars.split { $0.properties.isWhitespace }
            for part in parts where !part.contains("\0") {
                let found = try search(String(part), in: store)
                #expect(found.contains(UInt64(number)), "\(number): \(part.map(\.value))")
            }
        }
    }

    // MARK: Removing

    static let removals: [(HistoryRemoval, Int)] = [
        (.all, 60), (.before(CaptureTime(microsecondsSince1970: SampleRecord.noon + 30)), 30),
        (.phone("0123456789abcdef"), 60), (.app("canaryapp"), 60), (.allBut(20), 40),
        (.record(RecordID(rawValue: 7)), 1),
    ]

    @Test("nothing of a removed entry is left in any file", arguments: removals)
    func canaries(removal: HistoryRemoval, count: Int) throws {
        let store = try store()
        let entries = (0..<60).map { number in
            HistoryEntry.full(
                SampleRecord.make(
                    id: UInt64(number),
                    attributes: SampleRecord.attributes(
                        app: "canaryapp", title: "canary\(number)x",
                        message: "a canary\(number)x "
                            + String(repeating: "z\(number) ", count: 200)),
                    name: "Canary", time: SampleRecord.noon + Int64(number)))
        }
        for start in stride(from: 0, to: 60, by: 7) {
            _ = try store.keep(entries[start..<min(start + 7, 60)])
        }
        // One that had another text before.
        let changed = SampleRecord.make(
            id: 7, attributes: SampleRecord.attributes(app: "canaryapp", title: "canary7x new"))
        _ = try store.keep([.full(changed)])
        #expect(folder.canaries("canary7x") > 0)
        #expect(try store.clean(removal) == count)
        #expect(try store.count() == 60 - count)
        for number in 0..<60 {
            let isLeft = try !search("canary\(number)x", in: store).isEmpty
            #expect((folder.canaries("canary\(number)x") > 0) == isLeft, "\(number)")
        }
        if count == 60 { #expect(folder.canaries("anary") == 0) }
        #expect(try store.cleanStep() == .done)
    }

    @Test("one process removes while another writes and a third reads")
    func together() throws {
        let writer = try store()
        _ = try writer.keep([
            .full(SampleRecord.make(id: 1)), .full(SampleRecord.make(id: 2, phone: "1")),
        ])
        let reader = try HistoryStore(reading: files)
        #expect(try reader.count() == 2)
        let remover = try HistoryStore(writing: files, patience: 5000)
        #expect(try remover.clean(.phone("1")) == 1)
        #expect(try reader.count() == 1)
        _ = try writer.keep([.full(SampleRecord.make(id: 3, phone: "2"))])
        #expect(try reader.count() == 2)
    }

    // MARK: Damage

    @Test(
        "another file is reported as damaged, without any of its contents",
        arguments: ["canary text in a file that is no database at all", "SQLite format 3\0canary"])
    func strange(contents: String) throws {
        let octets = Array(contents.utf8) + [UInt8](repeating: 7, count: 5000)
        try PrivateFile.write(path: files.path, contents: octets)
        let failure = #expect(throws: HistoryStore.Failure.self) { try store() }
        #expect(failure?.code == .damaged)
        #expect(failure?.message.contains("canary") == false)
    }

    @Test("a database of another program or version is not changed")
    func foreign() throws {
        try PrivateFile.write(path: files.path, contents: [])
        let database = try SQLiteDatabase(path: files.path, for: .writing, patience: 0)
        try database.runAll("CREATE TABLE own (x); PRAGMA application_id = 7")
        #expect(throws: HistoryStore.Failure.self) { try store() }
        try database.runAll("PRAGMA application_id = \(HistorySchema.application)")
        try database.runAll("PRAGMA user_version = 99")
        let failure = #expect(throws: HistoryStore.Failure.self) { try store() }
        #expect(failure?.message.contains("another version") == true)
    }

    @Test("a missing history is an error, and reading does not create one")
    func missing() throws {
        let failure = #expect(throws: HistoryStore.Failure.self) {
            try HistoryStore(reading: files)
        }
        #expect(failure?.code == .missing)
        #expect(folder.names == [])
    }

    // MARK: Speed

    @Test("fifty thousand records are searched")
    func speed() throws {
        let store = try store()
        let words = [
            "meeting", "会議", "tomorrow", "café", "invoice", "train", "delayed", "Mum", "lunch", "🎉",
        ]
        let entries = (0..<500).map { number in
            let message = (0..<12).map { words[(number / (1 + $0) + $0) % 10] }
            let attributes = SampleRecord.attributes(
                app: "com.example.app\(number % 40)", title: "person\(number % 99)",
                message: message.joined(separator: " ") + " number\(number)")
            return HistoryEntry.full(SampleRecord.make(id: UInt64(number), attributes: attributes))
        }
        let clock = ContinuousClock()
        let writing = try clock.measure {
            for entry in entries.indices { _ = try store.keep(entries[entry...entry]) }
        }
        print("500 records written one by one in \(writing)")
        // A hundred of each, and then all of the index at once, which is quicker.
        let database = try SQLiteDatabase(path: files.path, for: .writing, patience: 5000)
        try database.runAll(
            """
            BEGIN;
            DROP TRIGGER added;
            WITH copies (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM copies LIMIT 99)
            INSERT INTO notifications (id, phone, app, fingerprint, time, category, flags, title,
                message, words)
            SELECT id + 1000 * copies.number, phone, app, randomblob(16), time, category, flags,
                title, message, words || ' copy' || copies.number
            FROM notifications, copies;
            INSERT INTO search (search) VALUES ('rebuild');
            COMMIT;
            """)
        #expect(try store.count() == 50_000)
        for text in ["number49", "m", "会議 lunch", "person77 caf", "nothinglikethis", "?!"] {
            var query = HistoryQuery()
            query.text = text
            var found = 0
            let time = try clock.measure { found = try store.entries(query).count }
            print("searched 50,000 records for '\(text)' in \(time): \(found)")
        }
    }
}

extension String {
    /// Up to 24 characters of some ranges.
    static func randomText(
        of ranges: [ClosedRange<UInt32>], using generator: inout SeededGenerator
    ) -> String {
        var text = UnicodeScalarView()
        for _ in 0..<Int.random(in: 1...24, using: &generator) {
            let range = ranges[Int.random(in: 0..<ranges.count, using: &generator)]
            let number = UInt32.random(in: range, using: &generator)
            text.append(Unicode.Scalar(number) ?? " ")
            if Int.random(in: 0..<6, using: &generator) == 0 { text.append(" ") }
        }
        return String(text)
    }
}

extension HistoryEntry {
    static func full(_ record: Record) -> Self { Self(record, withTexts: true) }
}

extension HistoryStore {
    /// Removes and cleans to the end; how many were removed.
    func clean(_ removal: HistoryRemoval) throws -> Int {
        var removed = 0
        while true {
            let count = try remove(removal, limit: 8)
            removed += count
            if count < 8 { break }
        }
        while try cleanStep() != .done {}
        return removed
    }
}

extension TemporaryDirectory {
    /// How often some octets stand in the files of it and of its folders.
    func canaries(_ text: String) -> Int { Self.canaries(Array(text.utf8), in: path) }

    private static func canaries(_ text: [UInt8], in path: String) -> Int {
        SystemFile.names(in: path).reduce(0) { count, name in
            let child = "\(path)/\(name)"
            guard let octets = FileContents.read(child) else {
                return count + canaries(text, in: child)
            }
            return count + occurrences(of: text, in: octets)
        }
    }

    private static func occurrences(of text: [UInt8], in octets: [UInt8]) -> Int {
        (0..<max(0, octets.count - text.count + 1)).count { start in
            octets[start] == text[0] && octets[start..<start + text.count].elementsEqual(text)
        }
    }
}
