#include <lazy_library.h>

#pragma GCC visibility push(hidden)
#include "CZlib.h"
#pragma GCC visibility pop

#define FUNCTION(result, name, parameters, arguments) \
    LAZY_FUNCTION("libz.so.1", result, name, parameters, arguments)

FUNCTION(int, gzclose, (gzFile a), (a))
FUNCTION(gzFile, gzdopen, (int a, const char *b), (a, b))
FUNCTION(int, gzwrite, (gzFile a, voidpc b, unsigned c), (a, b, c))
