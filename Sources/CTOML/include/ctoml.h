#ifndef CTOML_H
#define CTOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parsed TOML document, or the reason why it is none.
typedef struct ctoml_document ctoml_document;

/// A place in a document. Both count from 1; a column is a character (a Unicode scalar), not an octet.
typedef struct {
    uint32_t line;
    uint32_t column;
} ctoml_place;

/// What a value is.
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

/// Text in UTF-8, which may hold NUL and does not end with it.
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
    /// Of a table or an array: how many values are directly in it.
    size_t children;
    ctoml_text string;
    int64_t integer;
    double real;
    bool boolean;
} ctoml_value;

/// Parses a document of `count` octets of UTF-8. `NULL` where memory is lacking.
///
/// Deeper nesting of arrays and inline tables than 32 is an error of the document. The number of dots in a key
/// is for the caller to limit: tables are freed recursively.
ctoml_document *ctoml_parse(const char *text, size_t count);
/// Why the text is no document, and where; `NULL` where it is one.
const char *ctoml_error(const ctoml_document *document, ctoml_place *place);
/// The values of the document, the document itself first, each followed by what is in it. None where it is no
/// document.
const ctoml_value *ctoml_values(const ctoml_document *document, size_t *count);
/// Frees a document and everything that was read from it.
void ctoml_free(ctoml_document *document);

#ifdef __cplusplus
}
#endif

#endif
