#define _GNU_SOURCE
#include "CLinux.h"
#include <link.h>
#include <string.h>
#include <sys/mman.h>

// Whether a debugger is attached, or may be: proc_pid_status(5).
static int is_traced(void) {
    char status[4096];
    const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    const ssize_t count = file < 0 ? -1 : read(file, status, sizeof status - 1);
    if (file >= 0) close(file);
    status[count < 0 ? 0 : count] = 0;
    static const char name[] = "TracerPid:";
    const char *tracer = strstr(status, name);
    return !tracer || atoi(tracer + strlen(name)) != 0;
}

// Releases the read-only and executable segments of one program or library.
static int release_pages(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    (void)context;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (size_t index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
        const uintptr_t start = object->dlpi_addr + segment->p_vaddr;
        const uintptr_t first = start & -page;
        madvise((void *)first, start + segment->p_memsz - first, MADV_DONTNEED);
    }
    return 0;
}

void clinux_release_program_pages(void) {
    // Breakpoints are written to these pages, and would be lost.
    if (!is_traced()) dl_iterate_phdr(release_pages, NULL);
}
