/// The tables of a history, and their version.
enum HistorySchema {
    /// "ANCS", which identifies the file: `PRAGMA application_id`.
    static let application: Int64 = 0x414E_4353
    /// `PRAGMA user_version`. A file with another one is set aside.
    static let version: Int64 = 1

    /// The settings that must precede the first table: free pages can be returned to the file system, and
    /// other processes can read during a write.
    static let beginnings = ["PRAGMA auto_vacuum = INCREMENTAL", "PRAGMA journal_mode = WAL"]

    /// `words` is the searched text, see ``SearchWords``. The index stores no text, and triggers keep it up
    /// to date (FTS5, 4.4.3). It has no column sizes (4.5), because results are not ranked.
    static let tables = """
        CREATE TABLE about (fingerprints BLOB NOT NULL) STRICT;
        CREATE TABLE phones (
            number INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, name TEXT) STRICT;
        CREATE TABLE apps (
            number INTEGER PRIMARY KEY, identifier TEXT NOT NULL UNIQUE, name TEXT) STRICT;
        CREATE TABLE notifications (
            number INTEGER PRIMARY KEY, id INTEGER NOT NULL,
            phone INTEGER NOT NULL REFERENCES phones, app INTEGER REFERENCES apps,
            fingerprint BLOB NOT NULL, time INTEGER NOT NULL,
            category INTEGER NOT NULL, flags INTEGER NOT NULL,
            date TEXT, title TEXT, subtitle TEXT, message TEXT, words TEXT NOT NULL,
            UNIQUE (phone, fingerprint)) STRICT;
        CREATE INDEX ids ON notifications (id);
        CREATE INDEX times ON notifications (time);
        CREATE INDEX apps_of_notifications ON notifications (app);
        CREATE VIRTUAL TABLE search USING fts5 (
            words, content = 'notifications', content_rowid = 'number', columnsize = 0,
            tokenize = "unicode61 remove_diacritics 2 categories 'L* N* M* Co'");
        CREATE TRIGGER added AFTER INSERT ON notifications BEGIN
            INSERT INTO search (rowid, words) VALUES (new.number, new.words);
        END;
        CREATE TRIGGER removed AFTER DELETE ON notifications BEGIN
            INSERT INTO search (search, rowid, words) VALUES ('delete', old.number, old.words);
        END;
        CREATE TRIGGER modified AFTER UPDATE OF words ON notifications BEGIN
            INSERT INTO search (search, rowid, words) VALUES ('delete', old.number, old.words);
            INSERT INTO search (rowid, words) VALUES (new.number, new.words);
        END;
        PRAGMA application_id = \(application);
        PRAGMA user_version = \(version);
        """
}
