-- The tables of a history. `words` is the searched text, see SearchWords. The index stores no text, and triggers keep it up
-- to date (FTS5, 4.4.3). It has no column sizes (4.5), because results are not ranked. The last two lines say what the
-- file is, as HistorySchema does.
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
PRAGMA application_id = 1095648083;
PRAGMA user_version = 1;
