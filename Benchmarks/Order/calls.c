// Runs a program and writes down which of its functions are called, in the order of their first calls:
//
//     calls OUTPUT PROGRAM ARGUMENT...
//
// A line is the number of a phase and the name of a function. SIGUSR1 begins the next phase, in which each function
// counts as not yet called. There is a breakpoint on the first octet of every function, which is taken away when it is
// hit. x86-64 only; the program has its symbols and is not stripped.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BREAKPOINT = 0xCC };

struct function {
    uint64_t address;
    const char *name;
    unsigned char first;
    char is_armed;
};

static struct function *functions;
static size_t function_count;
static uint64_t base;
static int memory;
static volatile sig_atomic_t is_next_phase_wanted;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int compare(const void *left, const void *right) {
    const uint64_t a = ((const struct function *)left)->address, b = ((const struct function *)right)->address;
    return a < b ? -1 : a > b;
}

// The functions of a program's symbol table, one for each address.
static void read_functions(const char *path) {
    int file = open(path, O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status) < 0) fail(path);
    const char *image = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (image == MAP_FAILED) fail(path);
    const Elf64_Ehdr *header = (const void *)image;
    const Elf64_Shdr *sections = (const void *)(image + header->e_shoff);
    for (int index = 0; index < header->e_shnum; index++) {
        if (sections[index].sh_type != SHT_SYMTAB) continue;
        const Elf64_Sym *symbols = (const void *)(image + sections[index].sh_offset);
        const size_t count = sections[index].sh_size / sizeof *symbols;
        const char *names = image + sections[sections[index].sh_link].sh_offset;
        functions = calloc(count, sizeof *functions);
        for (size_t number = 0; number < count; number++) {
            const Elf64_Sym *symbol = &symbols[number];
            if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || !symbol->st_shndx || !symbol->st_size) continue;
            functions[function_count++] =
                (struct function){.address = symbol->st_value, .name = names + symbol->st_name};
        }
    }
    qsort(functions, function_count, sizeof *functions, compare);
    size_t kept = 0;
    for (size_t index = 0; index < function_count; index++)
        if (!kept || functions[kept - 1].address != functions[index].address) functions[kept++] = functions[index];
    function_count = kept;
}

static void arm(void) {
    for (struct function *function = functions; function < functions + function_count; function++) {
        if (function->is_armed) continue;
        const off_t place = (off_t)(base + function->address);
        const unsigned char breakpoint = BREAKPOINT;
        if (!function->first && pread(memory, &function->first, 1, place) != 1) fail("read");
        if (pwrite(memory, &breakpoint, 1, place) != 1) fail("write");
        function->is_armed = 1;
    }
}

// Whether a thread stopped at a breakpoint of ours; it then goes on with what stood there.
static int take_breakpoint(pid_t thread, int phase, FILE *output) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, thread, NULL, &registers) < 0) return 0;
    const struct function key = {.address = registers.rip - 1 - base};
    struct function *function = bsearch(&key, functions, function_count, sizeof key, compare);
    if (!function) return 0;
    // Another thread may have taken it meanwhile.
    if (function->is_armed) {
        if (pwrite(memory, &function->first, 1, (off_t)(base + function->address)) != 1) fail("write");
        function->is_armed = 0;
        fprintf(output, "%d %s\n", phase, function->name);
    }
    registers.rip--;
    ptrace(PTRACE_SETREGS, thread, NULL, &registers);
    return 1;
}

static void want_next_phase(int signal) {
    (void)signal;
    is_next_phase_wanted = 1;
}

static pid_t start(char *arguments[]) {
    const pid_t program = fork();
    if (program == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execv(arguments[0], arguments);
        _exit(127);
    }
    int status;
    if (program < 0 || waitpid(program, &status, 0) < 0 || !WIFSTOPPED(status)) fail(arguments[0]);
    ptrace(PTRACE_SETOPTIONS, program, NULL, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", program);
    memory = open(path, O_RDWR);
    snprintf(path, sizeof path, "/proc/%d/maps", program);
    FILE *maps = fopen(path, "r");
    // Its own first mapping is the first of all.
    if (memory < 0 || !maps || fscanf(maps, "%lx", &base) != 1) fail(path);
    fclose(maps);
    return program;
}

int main(int count, char *arguments[]) {
    if (count < 3) return 2;
    FILE *output = fopen(arguments[1], "w");
    if (!output) fail(arguments[1]);
    setvbuf(output, NULL, _IOLBF, 0);
    read_functions(arguments[2]);
    const pid_t program = start(arguments + 2);
    arm();
    struct sigaction action = {.sa_handler = want_next_phase};
    sigaction(SIGUSR1, &action, NULL);
    // Who asks this process to end means the program.
    signal(SIGTERM, SIG_IGN);
    ptrace(PTRACE_CONT, program, NULL, NULL);
    for (int phase = 0;;) {
        int status;
        const pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0 && errno != EINTR) return 0;
        if (is_next_phase_wanted) {
            is_next_phase_wanted = 0;
            phase++;
            kill(program, SIGSTOP);
        }
        if (thread < 0) continue;
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (thread == program) return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
            continue;
        }
        int signal = WSTOPSIG(status);
        if (signal == SIGSTOP || status >> 16) {
            if (signal == SIGSTOP && thread == program) arm();
            signal = 0;
        } else if (signal == SIGTRAP && take_breakpoint(thread, phase, output)) {
            signal = 0;
        }
        ptrace(PTRACE_CONT, thread, NULL, signal);
    }
}
