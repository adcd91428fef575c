// What this board lacks and the machine around the emulator has: random numbers, and an end with a status. Arm,
// Semihosting for AArch32 and AArch64.
#include "board.h"
#include "drivers.h"

enum { SYS_OPEN = 0x01, SYS_READ = 0x06, SYS_EXIT_EXTENDED = 0x20, ADP_Stopped_ApplicationExit = 0x20026 };

static int32_t call(uint32_t operation, const void *parameters) {
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = parameters;
    __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return (int32_t)r0;
}

_Noreturn void semihosting_exit(uint32_t code) {
    uint32_t parameters[] = {ADP_Stopped_ApplicationExit, code};
    for (;;) call(SYS_EXIT_EXTENDED, parameters);
}

void board_random(uint8_t *octets, size_t count) {
    static int32_t generator = -1;
    if (generator < 0) {
        static const char path[] = "/dev/urandom";
        uint32_t parameters[] = {(uint32_t)path, 1 /* to read, binary */, sizeof path - 1};
        generator = call(SYS_OPEN, parameters);
        if (generator < 0) board_stop("no random numbers: QEMU needs -semihosting-config enable=on");
    }
    uint32_t parameters[] = {(uint32_t)generator, (uint32_t)octets, count};
    // It returns how many octets are missing.
    if (call(SYS_READ, parameters) != 0) board_stop("random numbers cannot be read");
}
