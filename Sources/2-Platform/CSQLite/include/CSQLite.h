#pragma once

#if !__has_include(<sqlite3.h>)
#error "The headers of SQLite are missing. On Debian and Ubuntu: sudo apt-get install libsqlite3-dev"
#endif
#include <sqlite3.h>

// SQLITE_TRANSIENT, "copy it before you return", casts -1 to a function pointer, which Swift does not import.

/// Binds a text of `length` octets, which is copied.
static inline int csqlite_bind_text(
    sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

/// Binds `length` octets, which are copied.
static inline int csqlite_bind_octets(
    sqlite3_stmt *statement, int index, const void *octets, int length) {
    return sqlite3_bind_blob(statement, index, octets, length, SQLITE_TRANSIENT);
}
