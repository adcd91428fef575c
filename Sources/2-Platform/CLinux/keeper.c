// The process that deletes a directory when its owner is gone, however that ended. It is a fork of a process with
// threads, so it may only call functions that need no lock: no memory is allocated.
#define _GNU_SOURCE
#include "CLinux.h"
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

// How deep directories are deleted. Each level is a frame of the stack and a descriptor.
enum { DEEPEST = 64 };

// What getdents64(2) writes.
struct entry {
    uint64_t number;
    int64_t offset;
    unsigned short length;
    unsigned char kind;
    char name[];
};

// Deletes what is in a directory, and closes it. Symbolic links are not followed.
static void empty(int directory, int depth) {
    char part[4096] __attribute__((aligned(8)));
    long length;
    while ((length = syscall(SYS_getdents64, directory, part, sizeof part)) > 0) {
        for (long index = 0; index < length;) {
            struct entry *entry = (struct entry *)(part + index);
            index += entry->length;
            const char *name = entry->name;
            if (name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0))) continue;
            if (unlinkat(directory, name, 0) == 0 || depth == DEEPEST) continue;
            int inner = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (inner < 0) continue;
            empty(inner, depth + 1);
            unlinkat(directory, name, AT_REMOVEDIR);
        }
    }
    close(directory);
}

void clinux_remove_tree(const char *path) {
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory >= 0) empty(directory, 0);
    rmdir(path);
}

// What the process does: creates the directory, reports that, and deletes it when the last writing end of `lease` is
// closed. All signals are blocked, so the owner may have ended before the report.
static _Noreturn void keep(const char *path, int report, int lease) {
    setsid();
    prctl(PR_SET_NAME, "ancs-keeper");
    int reason = mkdir(path, 0700) == 0 ? 0 : errno;
    ssize_t count = write(report, &reason, sizeof reason);
    if (reason != 0) _exit(1);
    // No other descriptor of the owner may stay open: others wait for their ends.
    dup2(lease, 0);
    closefrom(1);
    char octet;
    do count = read(0, &octet, 1);
    while (count > 0 || (count < 0 && errno == EINTR));
    clinux_remove_tree(path);
    _exit(0);
}

int clinux_keep_directory(const char *path, pid_t *keeper) {
    int lease[2], report[2];
    if (pipe2(lease, O_CLOEXEC) < 0) return -1;
    if (pipe2(report, O_CLOEXEC) < 0) {
        int reason = errno;
        close(lease[0]);
        close(lease[1]);
        errno = reason;
        return -1;
    }
    sigset_t all, former;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    *keeper = fork();
    if (*keeper == 0) {
        close(lease[1]);
        close(report[0]);
        keep(path, report[1], lease[0]);
    }
    int reason = *keeper < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    close(lease[0]);
    close(report[1]);
    if (reason == 0) {
        ssize_t count;
        do count = read(report[0], &reason, sizeof reason);
        while (count < 0 && errno == EINTR);
        if (count != sizeof reason) reason = EIO;
    }
    close(report[0]);
    if (reason == 0) return lease[1];
    close(lease[1]);
    if (*keeper > 0) clinux_await(*keeper);
    errno = reason;
    return -1;
}

void clinux_await(pid_t process) {
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {}
}

