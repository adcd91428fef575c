// Starts programs, with posix_spawn instead of fork: between fork and exec, a process with threads may call hardly
// any functions, and none of Swift's. A guard is a fork, and keeps to that.
#define _GNU_SOURCE
#include "CLinux.h"
#include "guard.h"
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

// A parent that ignores SIGCHLD gets no status of its children: waitpid(2). This program may have inherited that
// setting.
static void heed_children(void) {
    struct sigaction action;
    if (sigaction(SIGCHLD, NULL, &action) < 0 || action.sa_handler != SIG_IGN) return;
    action.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &action, NULL);
}

// Sets standard input, output and error and the directory, and closes all other descriptors.
static int add_actions(
    posix_spawn_file_actions_t *actions, int standard_input, int output, const char *directory) {
    int result = posix_spawn_file_actions_adddup2(actions, standard_input, 0);
    if (result == 0) {
        result = output < 0 ? posix_spawn_file_actions_addopen(actions, 1, "/dev/null", O_WRONLY, 0)
                            : posix_spawn_file_actions_adddup2(actions, output, 1);
    }
    if (result == 0) result = posix_spawn_file_actions_adddup2(actions, 1, 2);
    if (result == 0) result = posix_spawn_file_actions_addclosefrom_np(actions, 3);
    if (result == 0) result = posix_spawn_file_actions_addchdir_np(actions, directory);
    return result;
}

static int set_attributes(posix_spawnattr_t *attributes) {
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    int result = posix_spawnattr_setsigdefault(attributes, &all);
    if (result == 0) result = posix_spawnattr_setsigmask(attributes, &none);
    if (result == 0) {
        result = posix_spawnattr_setflags(
            attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    }
    return result;
}

// What a process that has been made for it does: starts the program and guards it. Reports an error by the pipe,
// which is closed in any case.
static _Noreturn void spawn_and_guard(
    char *const arguments[], char *const environment[], const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, int report, int lease, pid_t parent) {
    setsid();
    // When the parent is killed, so is the program. It may have been killed before this call.
    prctl(PR_SET_PDEATHSIG, SIGUSR1);
    if (getppid() != parent) _exit(126);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_NAME, "ancs-guard");
    pid_t program = -1;
    int result = posix_spawnp(&program, arguments[0], actions, attributes, arguments, environment);
    if (result != 0) {
        if (write(report, &result, sizeof result) < 0) _exit(126);
        _exit(127);
    }
    // The end of the pipes tells others that this process has ended.
    if (lease >= 0) dup2(lease, 0);
    closefrom(lease >= 0 ? 1 : 0);
    clinux_guard(program);
}

// Waits until a guard reports, but not for one that is stopped: then its program runs, and has done that. Returns whether
// it has reported.
static bool await_report(int report, pid_t guard) {
    struct pollfd wanted = {.fd = report, .events = POLLIN};
    for (;;) {
        int count = poll(&wanted, 1, 20);
        if (count > 0) return true;
        siginfo_t news = {0};
        if (count == 0 && waitid(P_PID, (id_t)guard, &news, WSTOPPED | WNOHANG | WNOWAIT) == 0
            && news.si_pid == guard) return false;
    }
}

// As posix_spawnp, with a guard between; `process` is that of the guard.
static int spawn_guarded(
    char *const arguments[], char *const environment[], const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, int lease, pid_t *process) {
    int report[2];
    if (pipe2(report, O_CLOEXEC) < 0) return errno;
    sigset_t all, former;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    const pid_t parent = getpid();
    *process = fork();
    if (*process == 0) {
        spawn_and_guard(arguments, environment, actions, attributes, report[1], lease, parent);
    }
    int result = *process < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    close(report[1]);
    ssize_t count = 0;
    int reason = 0;
    if (result == 0 && await_report(report[0], *process)) {
        do count = read(report[0], &reason, sizeof reason);
        while (count < 0 && errno == EINTR);
    }
    close(report[0]);
    if (count == sizeof reason) {
        waitpid(*process, NULL, 0);
        return reason;
    }
    return result;
}

// Returns the process ID, or -1 with `errno`.
static pid_t spawn(
    char *const arguments[], char *const environment[], int standard_input, int output,
    const char *directory, int is_guarded, int lease) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int result = posix_spawn_file_actions_init(&actions);
    if (result != 0) goto without_actions;
    result = posix_spawnattr_init(&attributes);
    if (result != 0) goto without_attributes;
    pid_t process = -1;
    result = add_actions(&actions, standard_input, output, directory);
    if (result == 0) result = set_attributes(&attributes);
    if (result == 0) {
        result = is_guarded
            ? spawn_guarded(arguments, environment, &actions, &attributes, lease, &process)
            : posix_spawnp(&process, arguments[0], &actions, &attributes, arguments, environment);
    }
    posix_spawnattr_destroy(&attributes);
without_attributes:
    posix_spawn_file_actions_destroy(&actions);
without_actions:
    if (result == 0) return process;
    errno = result;
    return -1;
}

int clinux_spawn(
    char *const arguments[], char *const environment[], int standard_input, int output,
    const char *directory, int is_guarded, int lease, pid_t *process) {
    heed_children();
    *process = spawn(arguments, environment, standard_input, output, directory, is_guarded, lease);
    if (*process < 0) return -1;
    // The process ID is not reused before its status is collected. The descriptor is always closed on exec.
    int descriptor = (int)syscall(SYS_pidfd_open, *process, 0);
    if (descriptor >= 0) return descriptor;
    int reason = errno;
    kill(is_guarded ? *process : -*process, is_guarded ? SIGUSR1 : SIGKILL);
    waitpid(*process, NULL, 0);
    errno = reason;
    return -1;
}

int clinux_reap(pid_t process, int *signal_number) {
    int status = 0;
    pid_t result;
    do result = waitpid(process, &status, WNOHANG);
    while (result < 0 && errno == EINTR);
    if (result != process) return -1;
    *signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return WIFSIGNALED(status) ? 0 : WEXITSTATUS(status);
}

int clinux_pipe(int ends[2], int is_for_writing) {
    if (pipe2(ends, O_CLOEXEC) < 0) return -1;
    if (fcntl(ends[is_for_writing ? 1 : 0], F_SETFL, O_NONBLOCK) == 0) return 0;
    int reason = errno;
    close(ends[0]);
    close(ends[1]);
    errno = reason;
    return -1;
}

ssize_t clinux_write_to_pipe(int descriptor, const void *octets, size_t count) {
    sigset_t broken_pipe, former, pending;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, &former);
    ssize_t result = write(descriptor, octets, count);
    int reason = errno;
    // A SIGPIPE that was already pending stays pending: it is not from this write.
    if (result < 0 && reason == EPIPE && !sigismember(&pending, SIGPIPE)) {
        struct timespec at_once = {0};
        while (sigtimedwait(&broken_pipe, NULL, &at_once) < 0 && errno == EINTR) {}
    }
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    errno = reason;
    return result;
}
