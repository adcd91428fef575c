internal import CTables

/// The tables of a history, and their version.
enum HistorySchema {
    /// "ANCS", which identifies the file: `PRAGMA application_id`.
    static let application: Int64 = 0x414E_4353
    /// `PRAGMA user_version`. A file with another one is set aside.
    static let version: Int64 = 1

    /// The settings that must precede the first table: free pages can be returned to the file system, and
    /// other processes can read during a write.
    static let beginnings = ["PRAGMA auto_vacuum = INCREMENTAL", "PRAGMA journal_mode = WAL"]

    /// history.sql, which ends with ``application`` and ``version``.
    static let tables = String(cString: ctables_history())
}
