#include "CLinux.h"
#include <stdatomic.h>

// A handler may only call async-signal-safe functions: write(2) is one, nothing of Swift is.
// Descriptors are stored plus one, so that the zero of static storage means "none".
static atomic_int redirected[NSIG];
static struct sigaction former[NSIG];

static void forward(int signal_number) {
    int reason = errno;
    int descriptor = atomic_load(&redirected[signal_number]) - 1;
    if (descriptor >= 0) {
        uint8_t octet = (uint8_t)signal_number;
        // A full pipe already holds news that nobody has read: nothing is lost by failing.
        ssize_t count = write(descriptor, &octet, 1);
        (void)count;
    }
    errno = reason;
}

int clinux_signal_redirect(int signal_number, int descriptor) {
    if (signal_number <= 0 || signal_number >= NSIG) {
        errno = EINVAL;
        return -1;
    }
    int none = 0;
    if (!atomic_compare_exchange_strong(&redirected[signal_number], &none, descriptor + 1)) {
        errno = EBUSY;
        return -1;
    }
    struct sigaction action = {.sa_handler = forward, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(signal_number, &action, &former[signal_number]) < 0) {
        int reason = errno;
        atomic_store(&redirected[signal_number], 0);
        errno = reason;
        return -1;
    }
    return 0;
}

int clinux_signal_restore(int signal_number) {
    if (signal_number <= 0 || signal_number >= NSIG
        || atomic_load(&redirected[signal_number]) == 0) {
        errno = EINVAL;
        return -1;
    }
    int result = sigaction(signal_number, &former[signal_number], NULL);
    atomic_store(&redirected[signal_number], 0);
    return result;
}
