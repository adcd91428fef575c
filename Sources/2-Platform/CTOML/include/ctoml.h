#ifndef CTOML_H
#define CTOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parsed TOML document, or the error that parsing ended with.
typedef struct ctoml_document ctoml_document;

/// A place in a document. Both count from 1; a column is a character (a Unicode scalar), not an octet.
typedef struct {
    uint32_t line;
    uint32_t column;
} ctoml_place;

/// The type of a value.
typedef enum {
    ctoml_table,
    ctoml_array,
    ctoml_string,
    ctoml_integer,
    ctoml_float,
    ctoml_boolean,
    /// A date, a time, or both.
    ctoml_date,
} ctoml_kind;

/// Text in UTF-8; it may contain NUL and is not terminated by one.
typedef struct {
    const char *octets;
    size_t count;
} ctoml_text;

/// A value of a document.
typedef struct {
    ctoml_kind kind;
    /// Where the value begins.
    ctoml_place place;
    /// Whether it has a key: elements of arrays and the document itself have none.
    bool has_key;
    ctoml_text key;
    ctoml_place key_place;
    /// For a table or an array: the number of values directly in it.
    size_t children;
    ctoml_text string;
    int64_t integer;
    double real;
    bool boolean;
} ctoml_value;

/// Parses a document of `count` octets of UTF-8. Returns `NULL` if memory runs out.
///
/// Arrays and inline tables may nest 32 levels deep; more is an error of the document. The caller must limit
/// the number of dots in a key: tables are freed recursively.
ctoml_document *ctoml_parse(const char *text, size_t count);
/// The error that parsing ended with, and its place; `NULL` if the document is valid.
const char *ctoml_error(const ctoml_document *document, ctoml_place *place);
/// The values of a valid document, starting with the document itself; each is followed by the values in it.
/// None if the document is not valid.
const ctoml_value *ctoml_values(const ctoml_document *document, size_t *count);
/// Frees a document and every value that was read from it.
void ctoml_free(ctoml_document *document);

#ifdef __cplusplus
}
#endif

#endif
