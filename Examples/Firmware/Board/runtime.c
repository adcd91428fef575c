// What the compilers expect of a C library.
#include "board.h"

// MARK: Memory. Run-time ABI for the Arm Architecture, 4.3.4.

void *memcpy(void *target, const void *source, size_t count) {
    char *to = target;
    const char *from = source;
    while (count--) *to++ = *from++;
    return target;
}

void *memmove(void *target, const void *source, size_t count) {
    char *to = target;
    const char *from = source;
    if (to < from) return memcpy(target, source, count);
    while (count--) to[count] = from[count];
    return target;
}

void *memset(void *target, int value, size_t count) {
    char *to = target;
    while (count--) *to++ = (char)value;
    return target;
}

int memcmp(const void *left, const void *right, size_t count) {
    const uint8_t *a = left, *b = right;
    for (; count--; a++, b++)
        if (*a != *b) return *a - *b;
    return 0;
}

#define SAME_AS(function) __attribute__((alias(#function)))
void __aeabi_memcpy(void *, const void *, size_t) SAME_AS(memcpy);
void __aeabi_memcpy4(void *, const void *, size_t) SAME_AS(memcpy);
void __aeabi_memcpy8(void *, const void *, size_t) SAME_AS(memcpy);
void __aeabi_memmove(void *, const void *, size_t) SAME_AS(memmove);
void __aeabi_memmove4(void *, const void *, size_t) SAME_AS(memmove);
void __aeabi_memmove8(void *, const void *, size_t) SAME_AS(memmove);
// Here size and value are the other way round.
void __aeabi_memset(void *target, size_t count, int value) { memset(target, value, count); }
void __aeabi_memset4(void *, size_t, int) SAME_AS(__aeabi_memset);
void __aeabi_memset8(void *, size_t, int) SAME_AS(__aeabi_memset);
void __aeabi_memclr(void *target, size_t count) { memset(target, 0, count); }
void __aeabi_memclr4(void *, size_t) SAME_AS(__aeabi_memclr);
void __aeabi_memclr8(void *, size_t) SAME_AS(__aeabi_memclr);

// MARK: Swift

// The seed of the hashes.
void arc4random_buf(void *octets, size_t count) { board_random(octets, count); }

// The size of a dictionary's storage, a small number.
double ceil(double number) {
    long below = (long)number;
    return number > (double)below ? (double)(below + 1) : (double)below;
}

// Nothing unwinds; libgcc names it.
void __aeabi_unwind_cpp_pr0(void) {}
void __aeabi_unwind_cpp_pr1(void) {}
