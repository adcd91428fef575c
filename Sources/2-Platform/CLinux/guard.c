// The process between this one and a program. It is a fork of a process with threads, so it may only call functions
// that need no lock: no memory is allocated.
#define _GNU_SOURCE
#include "CLinux.h"
#include "guard.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// Sends a signal to every child of a process with one thread, but one; returns how many received it. Orphans are
// children of a guard. Without CONFIG_PROC_CHILDREN in the kernel, none is found.
static int signal_children(pid_t parent, int number, pid_t exception) {
    char path[64], part[256];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    int count = 0;
    pid_t child = 0;
    ssize_t length;
    while ((length = read(file, part, sizeof part)) > 0) {
        for (ssize_t index = 0; index < length; index += 1) {
            if (part[index] >= '0' && part[index] <= '9') {
                child = child * 10 + (part[index] - '0');
            } else {
                if (child > 0 && child != exception && kill(child, number) == 0) count += 1;
                child = 0;
            }
        }
    }
    close(file);
    return count;
}

// Collects orphans that have ended. Returns whether the program has ended, whose status remains to be collected, so
// that its number and that of its group are not reused.
static bool collect(pid_t program) {
    for (;;) {
        siginfo_t news = {0};
        if (waitid(P_PID, (id_t)program, &news, WEXITED | WNOHANG | WNOWAIT) < 0 && errno != EINTR) return true;
        if (news.si_pid == program) return true;
        news = (siginfo_t){0};
        if (waitid(P_ALL, 0, &news, WEXITED | WNOHANG | WNOWAIT) < 0 || news.si_pid == 0) return false;
        if (news.si_pid != program) waitpid(news.si_pid, NULL, 0);
    }
}

// Kills what the program has left behind, and what that leaves behind, until nothing is left. What this user may not
// kill stays.
static void end_remainder(void) {
    while (signal_children(getpid(), SIGKILL, 0) > 0) {
        if (waitpid(-1, NULL, 0) < 0 && errno != EINTR) return;
        while (waitpid(-1, NULL, WNOHANG) > 0) {}
    }
}

static _Noreturn void end_with(int status) {
    if (WIFSIGNALED(status)) {
        // The memory of this process is that of its parent.
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        sigset_t signals;
        sigemptyset(&signals);
        sigaddset(&signals, WTERMSIG(status));
        signal(WTERMSIG(status), SIG_DFL);
        sigprocmask(SIG_UNBLOCK, &signals, NULL);
        kill(getpid(), WTERMSIG(status));
        _exit(128 + WTERMSIG(status));
    }
    _exit(WEXITSTATUS(status));
}

_Noreturn void clinux_guard(pid_t program) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGUSR1);
    // An ended child of a process that ignores SIGCHLD has no status.
    signal(SIGCHLD, SIG_DFL);
    // They are blocked, so none is missed between the two.
    while (!collect(program)) {
        switch (sigwaitinfo(&signals, NULL)) {
        case SIGTERM:
            kill(-program, SIGTERM);
            signal_children(getpid(), SIGTERM, program);
            // What is stopped hears of it only when it goes on.
            kill(-program, SIGCONT);
            signal_children(getpid(), SIGCONT, program);
            break;
        case SIGUSR1:
            kill(-program, SIGKILL);
            signal_children(getpid(), SIGKILL, program);
            break;
        default: break;
        }
    }
    kill(-program, SIGKILL);
    int status = 0;
    while (waitpid(program, &status, 0) < 0 && errno == EINTR) {}
    end_remainder();
    end_with(status);
}

void clinux_kill_children(pid_t guard) {
    // A guard that is stopped collects none, so no number is reused between finding and killing.
    kill(guard, SIGSTOP);
    signal_children(guard, SIGKILL, 0);
}
