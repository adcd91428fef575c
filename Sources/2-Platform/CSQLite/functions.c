#include <lazy_library.h>

#pragma GCC visibility push(hidden)
#include "CSQLite.h"
#pragma GCC visibility pop

#define FUNCTION(result, name, parameters, arguments) \
    LAZY_FUNCTION("libsqlite3.so.0", result, name, parameters, arguments)

FUNCTION(int, sqlite3_bind_blob, (sqlite3_stmt *a, int b, const void *c, int n, void (*e)(void *)), (a, b, c, n, e))
FUNCTION(int, sqlite3_bind_int64, (sqlite3_stmt *a, int b, sqlite3_int64 c), (a, b, c))
FUNCTION(int, sqlite3_bind_null, (sqlite3_stmt *a, int b), (a, b))
FUNCTION(int, sqlite3_bind_text, (sqlite3_stmt *a, int b, const char *c, int d, void (*e)(void *)), (a, b, c, d, e))
FUNCTION(int, sqlite3_busy_timeout, (sqlite3 *a, int ms), (a, ms))
FUNCTION(int, sqlite3_changes, (sqlite3 *a), (a))
FUNCTION(int, sqlite3_clear_bindings, (sqlite3_stmt *a), (a))
FUNCTION(int, sqlite3_close_v2, (sqlite3 *a), (a))
FUNCTION(const void *, sqlite3_column_blob, (sqlite3_stmt *a, int iCol), (a, iCol))
FUNCTION(int, sqlite3_column_bytes, (sqlite3_stmt *a, int iCol), (a, iCol))
FUNCTION(sqlite3_int64, sqlite3_column_int64, (sqlite3_stmt *a, int iCol), (a, iCol))
FUNCTION(const unsigned char *, sqlite3_column_text, (sqlite3_stmt *a, int iCol), (a, iCol))
FUNCTION(int, sqlite3_column_type, (sqlite3_stmt *a, int iCol), (a, iCol))
FUNCTION(const char *, sqlite3_errmsg, (sqlite3 *a), (a))
FUNCTION(const char *, sqlite3_errstr, (int a), (a))
FUNCTION(
    int, sqlite3_exec,
    (sqlite3 *a, const char *sql, int (*callback)(void *, int, char **, char **), void *d, char **errmsg),
    (a, sql, callback, d, errmsg))
FUNCTION(int, sqlite3_finalize, (sqlite3_stmt *pStmt), (pStmt))
FUNCTION(sqlite3_int64, sqlite3_last_insert_rowid, (sqlite3 *a), (a))
FUNCTION(int, sqlite3_open_v2,
    (const char *filename, sqlite3 **ppDb, int flags, const char *zVfs), (filename, ppDb, flags, zVfs))
FUNCTION(
    int, sqlite3_prepare_v2,
    (sqlite3 *db, const char *zSql, int nByte, sqlite3_stmt **ppStmt, const char **pzTail),
    (db, zSql, nByte, ppStmt, pzTail))
FUNCTION(int, sqlite3_reset, (sqlite3_stmt *pStmt), (pStmt))
FUNCTION(int, sqlite3_step, (sqlite3_stmt *a), (a))
FUNCTION(int, sqlite3_total_changes, (sqlite3 *a), (a))
FUNCTION(int, sqlite3_wal_checkpoint_v2,
    (sqlite3 *db, const char *zDb, int eMode, int *pnLog, int *pnCkpt), (db, zDb, eMode, pnLog, pnCkpt))
