// Time: a counter of 32 bits that wraps after 171 s, which a tick every 10 ms notices in time. The tick also ends
// sleeps, so that deadlines are kept to 10 ms, far more precisely than any of them needs.
#include "board.h"
#include "drivers.h"
#include "registers.h"

enum { TICKS_PER_SECOND = 100 };

static uint32_t last;
static uint32_t wraps;

void clock_start(void) {
    last = COUNTER;
    SYSTICK_RELOAD = PROCESSOR_HERTZ / TICKS_PER_SECOND - 1;
    SYSTICK_VALUE = 0;
    SYSTICK_CONTROL = 0x7; // on, with its interrupt, at the frequency of the processor
}

static uint64_t count(void) {
    uint32_t now = COUNTER;
    if (now < last) wraps++;
    last = now;
    return (uint64_t)wraps << 32 | now;
}

void clock_tick(void) { count(); }

int64_t board_now(void) {
    __asm__ volatile("cpsid i" ::: "memory");
    uint64_t counted = count();
    __asm__ volatile("cpsie i" ::: "memory");
    return (int64_t)(counted * COUNTER_NANOSECONDS);
}
