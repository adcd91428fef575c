#include <lazy_library.h>

#pragma GCC visibility push(hidden)
#include "CPCRE2.h"
#pragma GCC visibility pop

#define FUNCTION(result, name, parameters, arguments) \
    LAZY_FUNCTION("libpcre2-8.so.0", result, name, parameters, arguments)

FUNCTION(void, pcre2_code_free_8, (pcre2_code_8 *a), (a))
FUNCTION(pcre2_code_8 *, pcre2_compile_8,
    (PCRE2_SPTR8 a, size_t b, uint32_t c, int *d, size_t *e, pcre2_compile_context_8 *f), (a, b, c, d, e, f))
FUNCTION(int, pcre2_get_error_message_8, (int a, PCRE2_UCHAR8 *b, size_t c), (a, b, c))
FUNCTION(
    int, pcre2_match_8,
    (const pcre2_code_8 *a, PCRE2_SPTR8 b, size_t c, size_t d, uint32_t e, pcre2_match_data_8 *f, pcre2_match_context_8 *g),
    (a, b, c, d, e, f, g))
FUNCTION(pcre2_match_context_8 *, pcre2_match_context_create_8, (pcre2_general_context_8 *a), (a))
FUNCTION(void, pcre2_match_context_free_8, (pcre2_match_context_8 *a), (a))
FUNCTION(pcre2_match_data_8 *, pcre2_match_data_create_8, (uint32_t a, pcre2_general_context_8 *b), (a, b))
FUNCTION(void, pcre2_match_data_free_8, (pcre2_match_data_8 *a), (a))
FUNCTION(int, pcre2_set_depth_limit_8, (pcre2_match_context_8 *a, uint32_t b), (a, b))
FUNCTION(int, pcre2_set_heap_limit_8, (pcre2_match_context_8 *a, uint32_t b), (a, b))
FUNCTION(int, pcre2_set_match_limit_8, (pcre2_match_context_8 *a, uint32_t b), (a, b))
