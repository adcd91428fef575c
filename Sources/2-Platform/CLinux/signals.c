#include "CLinux.h"
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

// A handler may only call async-signal-safe functions (signal-safety(7)), and no Swift function is one.
// Descriptors are stored plus one, so that the zero of static storage means "none".
static atomic_int redirected[NSIG];
static struct sigaction former[NSIG];

// Signals that ask a process to end. The first one is forwarded, like any other signal; the second one ends
// the process, even if all its threads are blocked.
static const int requests[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
enum { REQUEST_COUNT = sizeof requests / sizeof *requests };
static atomic_bool was_requested;

// The state that a terminal is restored to before the process ends. Valid only while its descriptor is set.
static atomic_int terminal;
static struct {
    int has_settings;
    struct termios settings;
    size_t text_length;
    char text[64];
} kept;

static int is_request(int signal_number) {
    for (int index = 0; index < REQUEST_COUNT; index++) {
        if (requests[index] == signal_number) return 1;
    }
    return 0;
}

static void give_terminal_back(void) {
    int descriptor = atomic_load(&terminal) - 1;
    if (descriptor < 0) return;
    if (kept.has_settings) tcsetattr(descriptor, TCSANOW, &kept.settings);
    // A terminal that accepts no output must not block the process.
    struct pollfd event = {.fd = descriptor, .events = POLLOUT};
    if (kept.text_length > 0 && poll(&event, 1, 0) == 1 && (event.revents & POLLOUT) != 0) {
        ssize_t count = write(descriptor, kept.text, kept.text_length);
        (void)count;
    }
}

// Does not return.
static void end_by(int signal_number) {
    give_terminal_back();
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
    // A signal is blocked while its handler runs.
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, signal_number);
    pthread_sigmask(SIG_UNBLOCK, &blocked, NULL);
    raise(signal_number);
}

static void forward(int signal_number) {
    int reason = errno;
    if (is_request(signal_number) && atomic_exchange(&was_requested, true)) {
        end_by(signal_number);
    } else {
        int descriptor = atomic_load(&redirected[signal_number]) - 1;
        if (descriptor >= 0) {
            uint8_t octet = (uint8_t)signal_number;
            // This fails only if hundreds of signals have not been read yet; the next one is then dropped.
            ssize_t count = write(descriptor, &octet, 1);
            (void)count;
        }
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
    // Otherwise restoring a terminal from the background would stop the process: tcsetattr(3).
    sigaddset(&action.sa_mask, SIGTTOU);
    if (sigaction(signal_number, &action, &former[signal_number]) < 0) {
        int reason = errno;
        atomic_store(&redirected[signal_number], 0);
        errno = reason;
        return -1;
    }
    return 0;
}

static void forget_request_without_handlers(void) {
    for (int index = 0; index < REQUEST_COUNT; index++) {
        if (atomic_load(&redirected[requests[index]]) != 0) return;
    }
    atomic_store(&was_requested, false);
}

int clinux_signal_restore(int signal_number) {
    if (signal_number <= 0 || signal_number >= NSIG
        || atomic_load(&redirected[signal_number]) == 0) {
        errno = EINVAL;
        return -1;
    }
    struct sigaction action = former[signal_number];
    // A shell starts background processes with SIGINT ignored. A process that was asked to end, and has not
    // ended yet, does not ignore the second request.
    if (is_request(signal_number) && atomic_load(&was_requested)
        && action.sa_handler == SIG_IGN) {
        action.sa_handler = SIG_DFL;
    }
    int result = sigaction(signal_number, &action, NULL);
    atomic_store(&redirected[signal_number], 0);
    forget_request_without_handlers();
    return result;
}

void clinux_signal_forget_request(void) {
    atomic_store(&was_requested, false);
}

void clinux_terminal_keep(int descriptor, const struct termios *settings, const char *text) {
    clinux_terminal_release();
    kept.has_settings = settings != NULL;
    if (settings != NULL) kept.settings = *settings;
    kept.text_length = strnlen(text, sizeof kept.text);
    memcpy(kept.text, text, kept.text_length);
    atomic_store(&terminal, descriptor + 1);
}

void clinux_terminal_release(void) {
    atomic_store(&terminal, 0);
}
