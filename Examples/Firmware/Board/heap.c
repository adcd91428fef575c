// The heap: what the linker left, in blocks. Swift allocates by posix_memalign and traps if that
// fails, so the firmware asks board_heap_largest() before it takes on more work.
//
// A block is a header of 8 octets and its content, which begins at a multiple of 16 (UInt128 wants that) and is
// 8 octets more than a multiple of 16 long. Free blocks are in a list by their addresses; the smallest that
// fits is taken, the first of several, and neighbours that are free become one.
#include "board.h"
#include "drivers.h"

extern char heap_start[], heap_end[];

typedef struct Block {
    uint32_t size; // of header and content, a multiple of 16
    struct Block *next; // only while it is free; otherwise `used`
} Block;

enum { HEADER = 8, UNIT = 16 };
#define USED ((Block *)1)

static Block *free_blocks;
static size_t used, peak;

static void *content(Block *block) { return (char *)block + HEADER; }
static Block *end_of(Block *block) { return (Block *)((char *)block + block->size); }

void heap_start_up(void) {
    uintptr_t start = ((uintptr_t)heap_start + HEADER + UNIT - 1) / UNIT * UNIT - HEADER;
    uintptr_t end = (uintptr_t)heap_end - HEADER;
    free_blocks = (Block *)start;
    free_blocks->size = (end - start) / UNIT * UNIT;
    free_blocks->next = NULL;
}

static Block *take_best(uint32_t size) {
    Block **best = NULL;
    for (Block **link = &free_blocks; *link; link = &(*link)->next) {
        if ((*link)->size < size) continue;
        if (!best || (*link)->size < (*best)->size) best = link;
        if ((*best)->size == size) break;
    }
    if (!best) return NULL;
    Block *block = *best;
    if (block->size >= size + UNIT) {
        Block *rest = (Block *)((char *)block + size);
        rest->size = block->size - size;
        rest->next = block->next;
        block->size = size;
        *best = rest;
    } else {
        *best = block->next;
    }
    return block;
}

static char *write_number(char *end, size_t number) {
    do *--end = (char)('0' + number % 10);
    while (number /= 10);
    return end;
}

// Prints how much was requested and what was free: to port this, look for the number to change.
static _Noreturn void run_out(size_t size) {
    static char text[] = "out of memory:           octets wanted,           in use";
    write_number(text + 24, size);
    write_number(text + 49, used);
    board_stop(text);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    // No type of this firmware needs more.
    if (alignment > UNIT) board_stop("memory of an alignment that the heap does not have");
    Block *block = size > board_heap_size() ? NULL : take_best((size + HEADER + UNIT - 1) / UNIT * UNIT);
    if (!block) run_out(size);
    block->next = USED;
    used += block->size;
    if (used > peak) peak = used;
    *memory = content(block);
    return 0;
}

void free(void *memory) {
    if (!memory) return;
    Block *block = (Block *)((char *)memory - HEADER);
    if (block->next != USED) board_stop("memory that was not in use was given back");
    used -= block->size;
    Block *before = NULL, *after = free_blocks;
    while (after && after < block) before = after, after = after->next;
    block->next = after;
    if (before) before->next = block;
    else free_blocks = block;
    if (after && end_of(block) == after) block->size += after->size, block->next = after->next;
    if (before && end_of(before) == block) before->size += block->size, before->next = block->next;
}

size_t board_heap_used(void) { return used; }
size_t board_heap_peak(void) { return peak; }
size_t board_heap_size(void) { return (size_t)(heap_end - heap_start); }

size_t board_heap_largest(void) {
    size_t largest = 0;
    for (Block *block = free_blocks; block; block = block->next)
        if (block->size > largest) largest = block->size;
    return largest > HEADER ? largest - HEADER : 0;
}
