internal import OpenSSLSecurity
internal import ANCS
internal import Glibc
package import LinuxIO

/// The stored notifications, in an SQLite file.
///
/// Each notification is stored once: if another session announces it again, its entry is changed. It is
/// identified by the record that it refers to or, if the phone says that it is not new, by the digest of its
/// app, date and texts with a key in the file. Two equal new ones are different.
///
/// Removed entries are overwritten, but the index of words and the write-ahead log keep them for a while:
/// they are gone when ``cleanStep()`` has returned ``Cleaning/done``. For one thread at a time.
package final class HistoryStore {
    /// Why the history cannot be read or written.
    package struct Failure: Error, Equatable, Sendable {
        package enum Code: Equatable, Sendable {
            /// The file does not exist.
            case missing
            /// It is damaged, or belongs to another program or version.
            case damaged
            /// Another process is writing.
            case busy
            /// Anything else: a full disk, permissions, disk errors.
            case unavailable
        }

        package var code: Code
        /// What happened, for users; never contains text of a notification.
        package var message: String
    }

    private let database: SQLiteDatabase
    private let toolbox = OpenSSLToolbox()
    private let fingerprintKey: UInt128
    /// Whether a change has to be cleaned up.
    private(set) var needsCleaning = false

    /// Opens an existing history, to read it beside the daemon or to remove entries. `patience` is how long a
    /// call waits for other processes that write, in milliseconds.
    package convenience init(reading files: HistoryFiles, patience: Int32 = 5000) throws(Failure) {
        try self.init(files, .reading, patience: patience)
    }

    /// Opens a history for writing, and creates it if necessary.
    package convenience init(writing files: HistoryFiles, patience: Int32 = 0) throws(Failure) {
        do throws(IOError) { try files.prepare() } catch {
            throw Failure(code: .unavailable, message: error.message)
        }
        try self.init(files, .writing, patience: patience)
    }

    private init(
        _ files: HistoryFiles, _ access: SQLiteDatabase.Access, patience: Int32
    ) throws(Failure) {
        database = try SQLiteDatabase(path: files.path, for: access, patience: patience)
        if access == .writing { try Self.begin(database) }
        fingerprintKey = try Self.check(database)
        // An earlier run may not have finished cleaning up.
        needsCleaning = access == .writing
    }

    /// Creates the tables of an empty file.
    private static func begin(_ database: SQLiteDatabase) throws(Failure) {
        try database.run("PRAGMA cache_size = -1024")
        // With a write-ahead log, a commit does not wait for the disk. A power failure may lose the latest
        // entries, but never damages the file (sqlite.org/pragma.html#pragma_synchronous).
        try database.run("PRAGMA synchronous = NORMAL")
        // A flood must not fill the disk: the limit is 131,072 pages of 4 KiB.
        try database.run("PRAGMA max_page_count = 131072")
        guard try database.number("PRAGMA schema_version") == 0 else { return }
        for beginning in HistorySchema.beginnings { try database.run(beginning) }
        var toolbox = OpenSSLToolbox()
        let key = withUnsafeBytes(of: toolbox.random128()) { Array($0) }
        try database.transaction { () throws(Failure) in
            try database.runAll(HistorySchema.tables)
            try database.run("INSERT INTO about VALUES (?)", .octets(key))
        }
    }

    /// Checks that it is a history of this version; returns its key.
    private static func check(_ database: SQLiteDatabase) throws(Failure) -> UInt128 {
        guard try database.number("PRAGMA application_id") == HistorySchema.application else {
            throw database.damage("it belongs to another program")
        }
        guard try database.number("PRAGMA user_version") == HistorySchema.version else {
            throw database.damage("it belongs to another version of this program")
        }
        let keys = try database.rows("SELECT fingerprints FROM about") { $0.octets(0) }
        guard let key = keys.first, key.count == 16 else {
            throw database.damage("its key is missing")
        }
        return key.reversed().reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// The digests of the phones in a history; none if it cannot be read.
    package static func phones(in files: HistoryFiles) -> Set<String> {
        guard files.exists else { return [] }
        do throws(Failure) {
            let store = try HistoryStore(reading: files, patience: 1000)
            let digests = try store.database.rows("SELECT digest FROM phones") { $0.text(0) }
            return Set(digests.compactMap { $0 })
        } catch { return [] }
    }

    // MARK: Writing

    /// Stores entries in order, until `isOver` returns `true`; returns how many. They are stored together or
    /// not at all.
    package func keep(
        _ entries: some Collection<HistoryEntry>, until isOver: () -> Bool = { false }
    ) throws(Failure) -> Int {
        try database.transaction { () throws(Failure) in
            var count = 0
            for entry in entries {
                try keep(entry)
                count += 1
                if isOver() { break }
            }
            return count
        }
    }

    private func keep(_ entry: HistoryEntry) throws(Failure) {
        let phone = try key(of: entry.phone)
        let app = try entry.app.map { app throws(Failure) in
            try key(ofApp: app, name: entry.appName)
        }
        let number = try number(of: entry, phone)
        let fingerprint = try freeFingerprint(of: entry, phone, besides: number)
        let columns: [SQLiteDatabase.Value] = [
            .integer(Int64(bitPattern: entry.id.rawValue)), .integer(phone), .optional(app),
            .octets(fingerprint), .integer(entry.time.microsecondsSince1970),
            .integer(Int64(entry.category.rawValue)), .integer(Int64(entry.flags.rawValue)),
            .optional(entry.date), .optional(entry.title), .optional(entry.subtitle),
            .optional(entry.message), .text(entry.words),
        ]
        if let number { try update(number, to: columns) } else { try insert(columns) }
    }

    private func insert(_ columns: [SQLiteDatabase.Value]) throws(Failure) {
        _ = try database.rows(
            """
            INSERT INTO notifications (id, phone, app, fingerprint, time, category, flags, date,
                title, subtitle, message, words) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, columns
        ) { _ in () }
    }

    /// Replaces an entry except for its time, which stays that of the first announcement.
    private func update(_ number: Int64, to columns: [SQLiteDatabase.Value]) throws(Failure) {
        var columns = columns
        columns.remove(at: 4)
        _ = try database.rows(
            """
            UPDATE notifications SET id = ?, phone = ?, app = ifnull(?, app), fingerprint = ?,
                category = ?, flags = ?, date = ?, title = ?, subtitle = ?, message = ?, words = ?
            WHERE number = ?
            """, columns + [.integer(number)]
        ) { _ in () }
    }

    /// The entry for the same notification.
    private func number(of entry: HistoryEntry, _ phone: Int64) throws(Failure) -> Int64? {
        for id in [entry.id, entry.sameAs].compactMap({ $0 }) {
            let number = try database.number(
                "SELECT max(number) FROM notifications WHERE id = ? AND phone = ?",
                .integer(Int64(bitPattern: id.rawValue)), .integer(phone))
            if let number { return number }
        }
        guard entry.mayBeKnown, let identity = entry.identity else { return nil }
        return try number(of: fingerprint(identity), phone)
    }

    private func number(of fingerprint: [UInt8], _ phone: Int64) throws(Failure) -> Int64? {
        try database.number(
            "SELECT number FROM notifications WHERE phone = ? AND fingerprint = ?",
            .integer(phone), .octets(fingerprint))
    }

    /// A fingerprint that no other entry has: that of the content or, if the content is unknown or not
    /// unique, that of the record.
    private func freeFingerprint(
        of entry: HistoryEntry, _ phone: Int64, besides number: Int64?
    ) throws(Failure) -> [UInt8] {
        if let identity = entry.identity {
            let fingerprint = fingerprint(identity)
            let owner = try self.number(of: fingerprint, phone)
            if owner == nil || owner == number { return fingerprint }
        }
        return fingerprint(Array("\(entry.id) \(entry.time.microsecondsSince1970)".utf8))
    }

    private func fingerprint(_ octets: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: toolbox.aesCMAC(key: fingerprintKey, message: octets)) { Array($0) }
    }

    private func key(of phone: PhoneName) throws(Failure) -> Int64 {
        try database.run(
            """
            INSERT INTO phones (digest, name) VALUES (?, ?) ON CONFLICT (digest)
                DO UPDATE SET name = excluded.name WHERE excluded.name IS NOT name
            """, .text(phone.digest), .optional(phone.name))
        let number = try database.number(
            "SELECT number FROM phones WHERE digest = ?", .text(phone.digest))
        return number ?? 0
    }

    private func key(ofApp app: String, name: String?) throws(Failure) -> Int64 {
        try database.run(
            """
            INSERT INTO apps (identifier, name) VALUES (?, ?) ON CONFLICT (identifier)
                DO UPDATE SET name = excluded.name
                WHERE excluded.name IS NOT NULL AND excluded.name IS NOT name
            """, .text(app), .optional(name))
        let number = try database.number("SELECT number FROM apps WHERE identifier = ?", .text(app))
        return number ?? 0
    }

    // MARK: Removing

    /// Removes at most `limit` of the entries; returns how many. If fewer than the limit, none remain.
    package func remove(_ removal: HistoryRemoval, limit: Int) throws(Failure) -> Int {
        let (condition, values) = Self.condition(of: removal)
        let count = try database.transaction { () throws(Failure) in
            _ = try database.rows(
                """
                DELETE FROM notifications WHERE number IN
                    (SELECT number FROM notifications WHERE \(condition) LIMIT ?)
                """, values + [.integer(Int64(limit))]
            ) { _ in () }
            let count = database.changes
            if count < limit { try removeUnused() }
            return count
        }
        if count > 0 { needsCleaning = true }
        return count
    }

    /// Removes apps and phones without entries.
    private func removeUnused() throws(Failure) {
        try database.run(
            """
            DELETE FROM apps WHERE NOT EXISTS
                (SELECT 1 FROM notifications WHERE notifications.app = apps.number)
            """)
        try database.run(
            """
            DELETE FROM phones WHERE NOT EXISTS
                (SELECT 1 FROM notifications WHERE notifications.phone = phones.number)
            """)
    }

    private static func condition(of removal: HistoryRemoval) -> (String, [SQLiteDatabase.Value]) {
        switch removal {
        case .all: ("1", [])
        case .before(let time): ("time < ?", [.integer(time.microsecondsSince1970)])
        case .phone(let digest):
            ("phone = (SELECT number FROM phones WHERE digest = ?)", [.text(digest)])
        case .app(let app): ("app = (SELECT number FROM apps WHERE identifier = ?)", [.text(app)])
        case .record(let id): ("id = ?", [.integer(Int64(bitPattern: id.rawValue))])
        case .allBut(let count):
            ("number <= (SELECT max(number) FROM notifications) - ?", [.integer(Int64(count))])
        }
    }

    /// The progress of cleaning.
    package enum Cleaning: Equatable, Sendable {
        /// The files contain nothing of what was removed or replaced.
        case done
        /// The next step may follow at once.
        case unfinished
        /// Another process is reading or writing; try later.
        case blocked
    }

    /// Cleans up for a few milliseconds.
    ///
    /// The index keeps removed words until all its parts are merged into one (FTS5, 6.8 and 6.9), and the log
    /// keeps what was written until it is truncated.
    package func cleanStep() throws(Failure) -> Cleaning {
        guard needsCleaning else { return .done }
        do throws(Failure) {
            guard try mergeStep() else { return .unfinished }
            try database.run("PRAGMA incremental_vacuum(256)")
            guard try database.number("PRAGMA freelist_count") == 0 else { return .unfinished }
            guard try database.checkpoint() else { return .blocked }
        } catch  where error.code == .busy { return .blocked }
        needsCleaning = false
        return .done
    }

    private var isMerging = false

    /// Merges some pages; `true` when there is nothing left to merge.
    private func mergeStep() throws(Failure) -> Bool {
        let before = database.totalChanges
        // A negative number starts with all existing parts.
        try database.run(
            "INSERT INTO search (search, rank) VALUES ('merge', ?)", .integer(isMerging ? 8 : -8))
        isMerging = database.totalChanges - before >= 2
        return !isMerging
    }

    // MARK: Reading

    /// How many entries are read at once.
    private static let portion = 256

    /// The entries that match a query and were posted last, those first; see ``LatestEntries``.
    package func entries(_ query: HistoryQuery) throws(Failure) -> [HistoryEntry] {
        var latest = LatestEntries(limit: query.limit)
        let portion = max(query.limit, Self.portion)
        var end = Int64.max
        while !latest.isComplete {
            let found = try entries(query, before: end, limit: portion)
            latest.take(found)
            guard found.count == portion, let last = found.last else { break }
            end = last.number
        }
        return latest.entries
    }

    /// The entries that match a query and arrived before the one with a number, the latest first.
    private func entries(
        _ query: HistoryQuery, before end: Int64, limit: Int
    ) throws(Failure) -> [(number: Int64, entry: HistoryEntry)] {
        let (conditions, values) = Self.conditions(of: query)
        let text = """
            SELECT n.id, n.time, n.category, n.flags, phones.digest, phones.name,
                apps.identifier, apps.name, n.date, n.title, n.subtitle, n.message, n.number
            FROM notifications AS n JOIN phones ON phones.number = n.phone
                LEFT JOIN apps ON apps.number = n.app
            WHERE \((conditions + ["n.number < ?"]).joined(separator: " AND "))
            ORDER BY n.number DESC LIMIT ?
            """
        return try database.rows(text, values + [.integer(end), .integer(Int64(limit))]) {
            ($0.number(12) ?? 0, HistoryEntry(row: $0))
        }
    }

    private static func conditions(of query: HistoryQuery) -> ([String], [SQLiteDatabase.Value]) {
        var conditions: [String] = []
        var values: [SQLiteDatabase.Value] = []
        if let words = SearchWords.expression(for: query.text) {
            conditions.append("n.number IN (SELECT rowid FROM search WHERE search MATCH ?)")
            values.append(.text(words))
        } else if !query.text.isEmpty {
            // A query without words, such as "?!", searches for the characters themselves.
            conditions.append("(instr(n.message, ?) > 0 OR instr(n.title, ?) > 0)")
            values += [.text(query.text), .text(query.text)]
        }
        if let app = query.app {
            conditions.append("apps.identifier = ?")
            values.append(.text(app))
        }
        if let since = query.since {
            conditions.append("n.time >= ?")
            values.append(.integer(since.microsecondsSince1970))
        }
        if query.isMissedCalls {
            conditions.append("n.category = ?")
            values.append(.integer(Int64(CategoryID.missedCall.rawValue)))
        }
        return (conditions, values)
    }

    /// The apps of the entries.
    package func apps() throws(Failure) -> [(identifier: String, name: String)] {
        try database.rows("SELECT identifier, name FROM apps ORDER BY identifier", []) {
            (identifier: $0.text(0) ?? "", name: $0.text(1) ?? "")
        }
    }

    /// The phones of the entries.
    package func phones() throws(Failure) -> [PhoneName] {
        try database.rows("SELECT digest, name FROM phones", []) {
            PhoneName(digest: $0.text(0) ?? "", name: $0.text(1))
        }
    }

    /// The number of entries.
    package func count() throws(Failure) -> Int {
        Int(try database.number("SELECT count(*) FROM notifications") ?? 0)
    }

    /// When the oldest entry arrived; `nil` if there is none.
    package func oldest() throws(Failure) -> CaptureTime? {
        try database.number("SELECT min(time) FROM notifications").map {
            CaptureTime(microsecondsSince1970: $0)
        }
    }
}

extension SQLiteDatabase.Value {
    fileprivate static func optional(_ text: String?) -> Self { text.map { .text($0) } ?? .null }
    fileprivate static func optional(_ number: Int64?) -> Self {
        number.map { .integer($0) } ?? .null
    }
}
