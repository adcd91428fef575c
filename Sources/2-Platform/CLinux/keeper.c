// The process that deletes a directory when its owner is gone, however that ended. It is a fork of a process with
// threads, so it may only call functions that need no lock: no memory is allocated.
#define _GNU_SOURCE
#include "CLinux.h"
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>

// How deep directories are deleted in place. Each level is a frame of the stack and a descriptor. What is deeper is
// moved to the top first.
enum { DEEPEST = 32 };

// What getdents64(2) writes.
struct entry {
    uint64_t number;
    int64_t offset;
    unsigned short length;
    unsigned char kind;
    char name[];
};

// Opens a directory in another. Symbolic links are not followed. Its owner may have forbidden himself to list it.
static int open_inner(int directory, const char *name) {
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int inner = openat(directory, name, flags);
    if (inner >= 0 || errno != EACCES || fchmodat(directory, name, 0700, 0) < 0) return inner;
    return openat(directory, name, flags);
}

// Moves a directory to the top of the tree. Returns whether that worked.
static bool move_up(int directory, const char *name, int top) {
    uint64_t number = 0;
    char place[32];
    if (getrandom(&number, sizeof number, 0) < 0) return false;
    snprintf(place, sizeof place, "deep-%016llx", (unsigned long long)number);
    if (renameat(directory, name, top, place) == 0) return true;
    // To move a directory is to write to it.
    return errno == EACCES && fchmodat(directory, name, 0700, 0) == 0
        && renameat(directory, name, top, place) == 0;
}

// Deletes what is in a directory. Returns whether something of it was moved to the top.
static bool empty(int directory, int depth, int top) {
    char part[4096] __attribute__((aligned(8)));
    long length;
    bool has_moved = false;
    // What this user may not write to cannot be emptied.
    fchmod(directory, 0700);
    while ((length = syscall(SYS_getdents64, directory, part, sizeof part)) > 0) {
        for (long index = 0; index < length;) {
            struct entry *entry = (struct entry *)(part + index);
            index += entry->length;
            const char *name = entry->name;
            if (name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0))) continue;
            if (unlinkat(directory, name, 0) == 0 || unlinkat(directory, name, AT_REMOVEDIR) == 0) continue;
            int inner = open_inner(directory, name);
            if (inner < 0) continue;
            if (depth < DEEPEST) {
                if (empty(inner, depth + 1, top)) has_moved = true;
                unlinkat(directory, name, AT_REMOVEDIR);
            } else if (move_up(directory, name, top)) {
                has_moved = true;
            }
            close(inner);
        }
    }
    return has_moved;
}

// Deletes an open directory with its contents, wherever it is by now; `path` is where it was created.
static int remove_open_tree(int directory, const char *path) {
    while (empty(directory, 0, directory)) lseek(directory, 0, SEEK_SET);
    char link[32], place[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    ssize_t length = readlink(link, place, sizeof place - 1);
    if (length > 0) place[length] = 0;
    return rmdir(length > 0 ? place : path);
}

int clinux_remove_tree(const char *path) {
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0) return -1;
    int result = remove_open_tree(directory, path), reason = errno;
    close(directory);
    errno = reason;
    return result;
}

// What the process does: creates the directory, reports that, and deletes it when the last writing end of `lease` is
// closed. All signals are blocked, so the owner may have ended before the report.
static _Noreturn void keep(const char *path, int report, int lease) {
    setsid();
    prctl(PR_SET_NAME, "ancs-keeper");
    int directory = mkdir(path, 0700) == 0 ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) : -1;
    int reason = directory >= 0 ? 0 : errno;
    ssize_t count = write(report, &reason, sizeof reason);
    if (reason != 0) _exit(1);
    // No other descriptor of the owner may stay open: others wait for their ends. The two may have each other's number.
    lease = fcntl(lease, F_DUPFD, 3);
    directory = fcntl(directory, F_DUPFD, 3);
    dup2(lease, 0);
    dup2(directory, 1);
    closefrom(2);
    char octet;
    do count = read(0, &octet, 1);
    while (count > 0 || (count < 0 && errno == EINTR));
    _exit(remove_open_tree(1, path) == 0 ? 0 : 1);
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

int clinux_await(pid_t process) {
    int status = -1;
    // A program of the same user may have stopped it.
    kill(process, SIGCONT);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {}
    return status;
}

