internal import CSQLite
internal import Glibc

/// A connection to an SQLite file, for one thread at a time.
///
/// Removed data are overwritten (`secure_delete`), and no temporary files are used.
final class SQLiteDatabase {
    /// A parameter of a statement, or a column of its results.
    enum Value: Equatable, Sendable {
        case null
        case integer(Int64)
        case text(String)
        case octets([UInt8])
    }

    typealias Failure = HistoryStore.Failure

    enum Access { case reading, writing }

    private let handle: OpaquePointer
    private let path: String
    /// The compiled statements, by text; there are few.
    private var statements: [String: OpaquePointer] = [:]

    /// Opens an existing file. `patience` is how long a call waits for another connection, in milliseconds.
    init(path: String, for access: Access, patience: Int32) throws(Failure) {
        var handle: OpaquePointer?
        let flags = access == .reading ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        let result = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard let handle, result == SQLITE_OK else {
            sqlite3_close_v2(handle)
            throw Self.failure(result, path)
        }
        (self.handle, self.path) = (handle, path)
        sqlite3_busy_timeout(handle, patience)
        try run("PRAGMA secure_delete = ON")
        try run("PRAGMA temp_store = MEMORY")
        try run("PRAGMA cell_size_check = ON")
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// How many rows all statements have changed.
    var totalChanges: Int { Int(sqlite3_total_changes(handle)) }
    /// How many rows the last statement has changed, without triggers.
    var changes: Int { Int(sqlite3_changes(handle)) }

    // MARK: Statements

    /// Executes a statement, and ignores its rows.
    func run(_ text: String, _ values: Value...) throws(Failure) {
        _ = try rows(text, values) { _ in () }
    }

    /// The rows of a statement.
    func rows<Result>(
        _ text: String, _ values: [Value] = [], _ take: (SQLiteRow) -> Result
    ) throws(Failure) -> [Result] {
        let statement = try compiled(text)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() {
            try check(Self.bind(value, to: statement, Int32(index + 1)))
        }
        var results: [Result] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: results.append(take(SQLiteRow(statement: statement)))
            case SQLITE_DONE: return results
            case let result: throw failure(result)
            }
        }
    }

    /// The first column of the first row, as a number; `nil` if there is no row.
    func number(_ text: String, _ values: Value...) throws(Failure) -> Int64? {
        try rows(text, values) { $0.number(0) }.first ?? nil
    }

    /// Executes several statements without parameters.
    func runAll(_ script: String) throws(Failure) {
        try check(sqlite3_exec(handle, script, nil, nil, nil))
    }

    /// Executes `body` in a transaction.
    func transaction<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try run("BEGIN IMMEDIATE")
        do throws(Failure) {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // Some failures have already done this.
            try? run("ROLLBACK")
            throw error
        }
    }

    /// Writes the write-ahead log into the file, and truncates it; `false` if another connection prevents
    /// that.
    func checkpoint() throws(Failure) -> Bool {
        let result = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        if result & 0xFF == SQLITE_BUSY || result & 0xFF == SQLITE_LOCKED { return false }
        try check(result)
        return true
    }

    private func compiled(_ text: String) throws(Failure) -> OpaquePointer {
        if let statement = statements[text] { return statement }
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(handle, text, -1, &statement, nil))
        guard let statement else { throw failure(SQLITE_MISUSE) }
        statements[text] = statement
        return statement
    }

    private static func bind(_ value: Value, to statement: OpaquePointer, _ index: Int32) -> Int32 {
        switch value {
        case .null: sqlite3_bind_null(statement, index)
        case .integer(let number): sqlite3_bind_int64(statement, index, number)
        // A null pointer would be NULL for SQLite.
        case .text(""): csqlite_bind_text(statement, index, "", 0)
        case .text(var text):
            text.withUTF8 { octets in
                octets.withMemoryRebound(to: CChar.self) {
                    csqlite_bind_text(statement, index, $0.baseAddress, Int32($0.count))
                }
            }
        case .octets(let octets): csqlite_bind_octets(statement, index, octets, Int32(octets.count))
        }
    }

    private func check(_ result: Int32) throws(Failure) {
        guard result == SQLITE_OK else { throw failure(result) }
    }

    private func failure(_ result: Int32) -> Failure { Self.failure(result, path) }

    /// An error of SQLite, see sqlite.org/rescode.html.
    private static func failure(_ result: Int32, _ path: String) -> Failure {
        // Not sqlite3_errmsg, because that may quote a value.
        let message = String(cString: sqlite3_errstr(result))
        switch result & 0xFF {
        case SQLITE_CORRUPT, SQLITE_NOTADB: return damage(message, path)
        case SQLITE_BUSY, SQLITE_LOCKED:
            return Failure(code: .busy, message: "another process writes to the history in \(path)")
        // The codes are open: SQLite may have more.
        default: break
        }
        let isMissing = access(path, F_OK) != 0 && errno == ENOENT
        return Failure(
            code: isMissing ? .missing : .unavailable,
            message: "the history in \(path) cannot be used: \(message)")
    }

    /// It is not a history, or not one of this version.
    func damage(_ message: String) -> Failure { Self.damage(message, path) }

    private static func damage(_ message: String, _ path: String) -> Failure {
        Failure(code: .damaged, message: "the history in \(path) is damaged: \(message)")
    }
}

/// The current row of a statement; valid until the next one.
struct SQLiteRow {
    fileprivate let statement: OpaquePointer

    func number(_ column: Int32) -> Int64? {
        guard sqlite3_column_type(statement, column) != SQLITE_NULL else { return nil }
        return sqlite3_column_int64(statement, column)
    }

    func text(_ column: Int32) -> String? {
        guard let start = sqlite3_column_text(statement, column) else { return nil }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func octets(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(statement, column) else { return [] }
        let count = Int(sqlite3_column_bytes(statement, column))
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}
