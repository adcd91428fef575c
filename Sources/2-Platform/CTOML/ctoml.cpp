// toml++ behind a C interface: Debian 12 has no TOML library in C.

#if !__has_include(<toml++/toml.h>)
#error "The headers of toml++ are missing. On Debian and Ubuntu: sudo apt-get install libtomlplusplus-dev"
#endif

#include "ctoml.h"

#include <new>
#include <string_view>
#include <vector>

// toml++ 3.3 asserts, and in release builds assumes, that a key follows "[[", which is not true of `[[=`; only
// then does it check this and report the error. Without the assertion and the assumption, the check remains.
#undef NDEBUG
#define TOML_ASSERT(condition) static_cast<void>(0)
#define TOML_EXCEPTIONS 0
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/toml.h>

struct ctoml_document {
    toml::parse_result result;
    std::vector<ctoml_value> values;
};

namespace {

ctoml_place place(const toml::source_position &position) {
    return {static_cast<uint32_t>(position.line), static_cast<uint32_t>(position.column)};
}

ctoml_text text(std::string_view view) { return {view.data(), view.size()}; }

ctoml_kind kind(const toml::node &node) {
    switch (node.type()) {
    case toml::node_type::table: return ctoml_table;
    case toml::node_type::array: return ctoml_array;
    case toml::node_type::string: return ctoml_string;
    case toml::node_type::integer: return ctoml_integer;
    case toml::node_type::floating_point: return ctoml_float;
    case toml::node_type::boolean: return ctoml_boolean;
    case toml::node_type::date:
    case toml::node_type::time:
    case toml::node_type::date_time:
    case toml::node_type::none: return ctoml_date;
    }
    return ctoml_date;
}

// A valid document is not nested more deeply than the limits allow, so recursion is safe.
void append(std::vector<ctoml_value> &values, const toml::key *key, const toml::node &node) {
    ctoml_value value = {};
    value.kind = kind(node);
    value.place = place(node.source().begin);
    if (key != nullptr) {
        value.has_key = true;
        value.key = text(key->str());
        value.key_place = place(key->source().begin);
    }
    if (const auto *string = node.as_string()) value.string = text(string->get());
    if (const auto *integer = node.as_integer()) value.integer = integer->get();
    if (const auto *real = node.as_floating_point()) value.real = real->get();
    if (const auto *boolean = node.as_boolean()) value.boolean = boolean->get();
    const auto *table = node.as_table();
    const auto *array = node.as_array();
    if (table != nullptr) value.children = table->size();
    if (array != nullptr) value.children = array->size();
    values.push_back(value);
    if (table != nullptr) {
        for (auto &&[name, child] : *table) append(values, &name, child);
    }
    if (array != nullptr) {
        for (auto &&child : *array) append(values, nullptr, child);
    }
}

}  // namespace

ctoml_document *ctoml_parse(const char *text, size_t count) {
    auto *document =
        new (std::nothrow) ctoml_document{toml::parse(std::string_view(text, count)), {}};
    if (document != nullptr && document->result) {
        append(document->values, nullptr, document->result.table());
    }
    return document;
}

const char *ctoml_error(const ctoml_document *document, ctoml_place *where) {
    if (document->result) return nullptr;
    const toml::parse_error &error = document->result.error();
    *where = place(error.source().begin);
    // toml++ terminates it with NUL.
    return error.description().data();
}

const ctoml_value *ctoml_values(const ctoml_document *document, size_t *count) {
    *count = document->values.size();
    return document->values.data();
}

void ctoml_free(ctoml_document *document) { delete document; }
