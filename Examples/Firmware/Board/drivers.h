// What the files of this board know of each other.
#pragma once

#include <stddef.h>
#include <stdint.h>

void heap_start_up(void);

void clock_start(void);
void clock_tick(void);

void serial_start(void);
void hci_received(void);
void hci_sent(void);
void console_received(void);
void console_sent(void);
/// Shows text without interrupts: for the end.
void serial_put_now(const char *text);
void serial_put_hexadecimal(const char *text, uint32_t number);

_Noreturn void semihosting_exit(uint32_t code);
