// From reset to the program, and the serial line: an nRF51822. nRF51 Series Reference Manual, 29 (UART).
#include "board.h"
#include "drivers.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define UART_START_TRANSMITTING REGISTER(0x40002008)
#define UART_TRANSMITTED REGISTER(0x4000211C)
#define UART_ENABLE REGISTER(0x40002500)
#define UART_TRANSMIT REGISTER(0x4000251C)

extern uint32_t data_image[], data_start[], data_end[], bss_start[], bss_end[], stack_bottom[], stack_top[];

void board_reset(void);
void microbit_main(void);

static const uint32_t untouched = 0xC0DEC0DE;

static void fault(void) { board_stop("a fault"); }

__attribute__((section(".vectors"), used)) static void (*const vectors[16])(void) = {
    [0] = (void (*)(void))stack_top,
    [1] = board_reset,
    [2] = fault, // NMI
    [3] = fault, // hard fault, the only other that there is
};

void board_reset(void) {
    uint32_t *image = data_image;
    for (uint32_t *word = data_start; word < data_end;) *word++ = *image++;
    for (uint32_t *word = bss_start; word < bss_end;) *word++ = 0;
    uint32_t *here = (uint32_t *)__builtin_frame_address(0) - 32;
    for (uint32_t *word = stack_bottom; word < here;) *word++ = untouched;
    heap_start_up();
    UART_ENABLE = 4;
    UART_START_TRANSMITTING = 1;
    microbit_main();
    semihosting_exit(0);
}

void board_console_write(const uint8_t *octets, size_t count) {
    while (count--) {
        UART_TRANSMITTED = 0;
        UART_TRANSMIT = *octets++;
        while (!UART_TRANSMITTED) {}
    }
}

size_t board_stack_size(void) { return (size_t)((char *)stack_top - (char *)stack_bottom); }

size_t board_stack_peak(void) {
    uint32_t *word = stack_bottom;
    while (word < stack_top && *word == untouched) word++;
    return (size_t)((char *)stack_top - (char *)word);
}

_Noreturn void board_stop(const char *reason) {
    size_t count = 0;
    while (reason[count]) count++;
    board_console_write((const uint8_t *)reason, count);
    board_console_write((const uint8_t *)"\r\n", 2);
    semihosting_exit(1);
}
