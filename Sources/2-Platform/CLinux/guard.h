// Private to this module.
#pragma once
#include <sys/types.h>

// Watches over a program that this process has started, until it has ended, and ends with its status. Everything
// that the program leaves behind is killed: what has left its process group, too. Call this in a process made for
// it, with one thread, all signals blocked, and as the one to which orphans are given (PR_SET_CHILD_SUBREAPER).
//
// SIGTERM is passed on to the program and its group. SIGUSR1 kills them, and every other descendant.
_Noreturn void clinux_guard(pid_t program);
