// What the firmware needs from a board. Another board implements these functions; nothing else in the
// firmware depends on it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: Transport: the controller, HCI H4 over a UART. Core Vol 4, Part A.

/// Takes up to `limit` octets that the controller sent; returns how many. Never waits.
size_t board_hci_read(uint8_t *octets, size_t limit);
/// Sends octets to the controller; waits while the line is busy.
void board_hci_write(const uint8_t *octets, size_t count);
/// Sleeps until octets came on a line, or until `deadline` on the board's clock.
void board_sleep(int64_t deadline);

// MARK: Clock

/// Nanoseconds since the start; never goes back.
int64_t board_now(void);

// MARK: Randomness

/// Fills octets from a generator that is fit for keys. A board without one must not pair.
void board_random(uint8_t *octets, size_t count);

// MARK: Flash: two pages that are erased and programmed on their own

enum { BOARD_FLASH_PAGES = 2, BOARD_FLASH_PAGE_SIZE = 1024 };

/// Reads from a page.
void board_flash_read(unsigned page, size_t offset, uint8_t *octets, size_t count);
/// Sets all octets of a page to 0xFF; `false` where the flash refuses.
bool board_flash_erase(unsigned page);
/// Clears bits of an erased page, octet after octet; `false` where the flash refuses or does not hold them.
bool board_flash_program(unsigned page, size_t offset, const uint8_t *octets, size_t count);

// MARK: Console: what a display and two buttons would be

/// Takes an octet that was typed, or returns -1.
int board_console_read(void);
/// Shows octets. Drops them if they are not read for a while: the accessory continues without its console.
void board_console_write(const uint8_t *octets, size_t count);

// MARK: Memory

/// The most octets of the stack that were in use at once, and how many there are.
size_t board_stack_peak(void);
size_t board_stack_size(void);
/// The octets of the heap that are in use, the most that were at once, the largest block that is free, and how
/// many there are.
size_t board_heap_used(void);
size_t board_heap_peak(void);
size_t board_heap_largest(void);
size_t board_heap_size(void);

/// Ends the firmware with a message on the console; a real board would restart.
_Noreturn void board_stop(const char *reason);
