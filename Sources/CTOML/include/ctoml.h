#ifndef CTOML_H
#define CTOML_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parsed TOML document, or the reason why it is none.
typedef struct ctoml_document ctoml_document;

/// Parses a document of `count` octets of UTF-8. Never `NULL` but where memory is lacking.
ctoml_document *ctoml_parse(const char *text, size_t count);
/// Frees a document and everything that was read from it.
void ctoml_free(ctoml_document *document);

#ifdef __cplusplus
}
#endif

#endif
