// Functions that the C library only declares for _GNU_SOURCE, which Swift does not define.
#define _GNU_SOURCE
#include "CLinux.h"
#include <string.h>
#include <sys/prctl.h>

void clinux_error_text(int error_number, char *text, size_t capacity) {
    char buffer[128];
    const char *found = strerror_r(error_number, buffer, sizeof buffer);
    strncpy(text, found, capacity - 1);
    text[capacity - 1] = 0;
}

void clinux_name_thread(const char *name) {
    prctl(PR_SET_NAME, name);
}

void clinux_forbid_dumps(void) {
    prctl(PR_SET_DUMPABLE, 0);
}

int clinux_accept(int descriptor) {
    return accept4(descriptor, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

int clinux_pseudo_terminal_open(
    int *controlling_side, int *serial_side, char *path, size_t path_capacity) {
    *controlling_side = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    *serial_side = -1;
    if (*controlling_side < 0) return -1;
    if (grantpt(*controlling_side) < 0 || unlockpt(*controlling_side) < 0) goto failed;
    int result = ptsname_r(*controlling_side, path, path_capacity);
    if (result != 0) {
        errno = result;
        goto failed;
    }
    *serial_side = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (*serial_side < 0) goto failed;
    if (clinux_terminal_make_raw(*serial_side, 1000000, 0) < 0) goto failed;
    return 0;
failed:;
    int reason = errno;
    close(*controlling_side);
    if (*serial_side >= 0) close(*serial_side);
    errno = reason;
    return -1;
}
