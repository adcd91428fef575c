#define _GNU_SOURCE
#include "lazy_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

void *lazy_function(const char *library, const char *name) {
    // RTLD_NOW, as for the tool itself: a missing symbol is reported at once, and the table can be read-only.
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void *function = handle ? dlsym(handle, name) : NULL;
    if (!function) {
        dprintf(
            STDERR_FILENO, "%s: error while loading shared libraries: %s\n",
            program_invocation_short_name, dlerror());
        _exit(127);
    }
    return function;
}
