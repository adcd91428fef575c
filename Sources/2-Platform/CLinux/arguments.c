#define _GNU_SOURCE
#include "CLinux.h"

static int count;
static char **values;

// glibc hands the command line to constructors. Swift's CommandLine reads /proc/self/cmdline instead, which a bare
// chroot does not have.
__attribute__((constructor)) static void keep_arguments(int argc, char **argv) {
    count = argc;
    values = argv;
}

int clinux_argument_count(void) { return count; }

const char *clinux_argument(int index) {
    return index >= 0 && index < count ? values[index] : NULL;
}

const char *clinux_environment_entry(int index) { return index >= 0 && environ ? environ[index] : NULL; }
