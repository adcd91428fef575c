// What a Cortex-M0 has no instructions for: Swift counts references by atomic operations of one word, which are
// those that no interrupt can come between. GCC's __atomic library calls.
#include <stdbool.h>
#include <stdint.h>

#define NAMED(name) __asm__("__atomic_" name "_4")
uint32_t load(const volatile uint32_t *word, int order) NAMED("load");
void store(volatile uint32_t *word, uint32_t value, int order) NAMED("store");
uint32_t add(volatile uint32_t *word, uint32_t value, int order) NAMED("fetch_add");
uint32_t subtract(volatile uint32_t *word, uint32_t value, int order) NAMED("fetch_sub");
bool compare_exchange(
    volatile uint32_t *word, uint32_t *expected, uint32_t value, int success, int failure) NAMED("compare_exchange");

// Whether interrupts were off already.
static uint32_t begin(void) {
    uint32_t mask;
    __asm__ volatile("mrs %0, primask\n cpsid i" : "=r"(mask)::"memory");
    return mask;
}

static void end(uint32_t mask) { __asm__ volatile("msr primask, %0" ::"r"(mask) : "memory"); }

uint32_t load(const volatile uint32_t *word, int order) {
    (void)order;
    return *word;
}

void store(volatile uint32_t *word, uint32_t value, int order) {
    (void)order;
    *word = value;
}

uint32_t add(volatile uint32_t *word, uint32_t value, int order) {
    (void)order;
    uint32_t mask = begin(), old = *word;
    *word = old + value;
    end(mask);
    return old;
}

uint32_t subtract(volatile uint32_t *word, uint32_t value, int order) { return add(word, -value, order); }

bool compare_exchange(volatile uint32_t *word, uint32_t *expected, uint32_t value, int success, int failure) {
    (void)success, (void)failure;
    uint32_t mask = begin(), old = *word;
    bool is_equal = old == *expected;
    if (is_equal) *word = value;
    end(mask);
    *expected = old;
    return is_equal;
}
