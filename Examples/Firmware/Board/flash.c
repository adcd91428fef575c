// Flash, in a memory of the board that QEMU keeps in a file (the PSRAM, see Scripts/firmware.sh): it survives the
// machine, however that ends. It behaves as flash does: an erased octet is 0xFF, programming only clears bits,
// and what is interrupted is half done.
//
//     0x21000000  page 0, page 1: what the firmware keeps
//     0x21000800  the lock: while it reads "LOCK", pages are neither erased nor programmed
#include "board.h"

static volatile uint8_t *const memory = (volatile uint8_t *)0x21000000;
enum { LOCK = BOARD_FLASH_PAGES * BOARD_FLASH_PAGE_SIZE };

static bool is_locked(void) {
    return memory[LOCK] == 'L' && memory[LOCK + 1] == 'O' && memory[LOCK + 2] == 'C' && memory[LOCK + 3] == 'K';
}

static volatile uint8_t *place(unsigned page, size_t offset, size_t count) {
    if (page >= BOARD_FLASH_PAGES || offset > BOARD_FLASH_PAGE_SIZE || count > BOARD_FLASH_PAGE_SIZE - offset)
        board_stop("an access beyond the flash");
    return memory + page * BOARD_FLASH_PAGE_SIZE + offset;
}

void board_flash_read(unsigned page, size_t offset, uint8_t *octets, size_t count) {
    volatile uint8_t *source = place(page, offset, count);
    for (size_t i = 0; i < count; i++) octets[i] = source[i];
}

bool board_flash_erase(unsigned page) {
    volatile uint8_t *target = place(page, 0, BOARD_FLASH_PAGE_SIZE);
    if (is_locked()) return false;
    for (size_t i = 0; i < BOARD_FLASH_PAGE_SIZE; i++) target[i] = 0xFF;
    return true;
}

bool board_flash_program(unsigned page, size_t offset, const uint8_t *octets, size_t count) {
    volatile uint8_t *target = place(page, offset, count);
    if (is_locked()) return false;
    for (size_t i = 0; i < count; i++) {
        target[i] &= octets[i];
        if (target[i] != octets[i]) return false;
    }
    return true;
}
