// toml++ behind a C interface: Debian 12 has no TOML library in C.

#include "ctoml.h"

#include <new>
#include <string>
#include <string_view>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

struct ctoml_document {
    toml::parse_result result;
};

ctoml_document *ctoml_parse(const char *text, size_t count) {
    return new (std::nothrow) ctoml_document{toml::parse(std::string_view(text, count))};
}

void ctoml_free(ctoml_document *document) { delete document; }
