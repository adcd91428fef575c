// From reset to the firmware: the vector table, the memory, the clock, the lines; and what becomes of a fault.
#include "board.h"
#include "drivers.h"
#include "registers.h"

extern uint32_t data_image[], data_start[], data_end[], bss_start[], bss_end[], stack_bottom[], stack_top[];

void board_reset(void);
_Noreturn void report_fault(uint32_t counter, uint32_t link);
_Noreturn void report_overflow(void);
void firmware_main(void);

static const uint32_t untouched = 0xC0DEC0DE;

__attribute__((naked)) static void fault(void) {
    // The frame of the exception is on the stack: R0 to R3, R12, LR, PC, PSR. A stack that has overflown has none.
    __asm__ volatile(
        "mrs r2, msp\n ldr r3, =stack_bottom\n cmp r2, r3\n blo 1f\n"
        "ldr r0, [r2, #24]\n ldr r1, [r2, #20]\n"
        "ldr r3, =stack_top\n mov sp, r3\n b report_fault\n"
        "1: ldr r3, =stack_top\n mov sp, r3\n b report_overflow");
}

static void unexpected(void) { board_stop("an interrupt without a handler"); }

__attribute__((section(".vectors"), used)) static void (*const vectors[16 + 4])(void) = {
    [0] = (void (*)(void))stack_top,
    [1] = board_reset,
    [2] = unexpected, // NMI
    [3] = fault,      // hard fault, which the others escalate to
    [4] = fault,      // memory management
    [5] = fault,      // bus
    [6] = fault,      // usage
    [11] = unexpected, [12] = unexpected, [14] = unexpected,
    [15] = clock_tick,
    [16] = hci_received, [17] = hci_sent,
    [18] = console_received, [19] = console_sent,
};

void board_reset(void) {
    // The compiler may keep floating-point values in the registers of the FPU.
    COPROCESSOR_ACCESS |= 0xFu << 20;
    uint32_t *image = data_image;
    for (uint32_t *word = data_start; word < data_end;) *word++ = *image++;
    for (uint32_t *word = bss_start; word < bss_end;) *word++ = 0;
    uint32_t *here = (uint32_t *)__builtin_frame_address(0) - 32;
    for (uint32_t *word = stack_bottom; word < here;) *word++ = untouched;
    heap_start_up();
    clock_start();
    serial_start();
    firmware_main();
    board_stop("the firmware ended");
}

size_t board_stack_size(void) { return (size_t)((char *)stack_top - (char *)stack_bottom); }

size_t board_stack_peak(void) {
    uint32_t *word = stack_bottom;
    while (word < stack_top && *word == untouched) word++;
    return (size_t)((char *)stack_top - (char *)word);
}

// A trap of Swift and an overflow of the stack arrive here, with the stack reset: nothing returns to it.
__attribute__((used)) _Noreturn void report_fault(uint32_t counter, uint32_t link) {
    serial_put_hexadecimal("fault at ", counter);
    serial_put_hexadecimal(", called from ", link);
    serial_put_hexadecimal(", status ", FAULT_STATUS);
    board_stop("");
}

__attribute__((used)) _Noreturn void report_overflow(void) { board_stop("the stack has overflown"); }

_Noreturn void board_stop(const char *reason) {
    serial_put_now(reason);
    serial_put_now("\r\nthe firmware stopped\r\n");
    semihosting_exit(99);
}
