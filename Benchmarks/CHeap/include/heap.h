/// What the memory benchmark asks glibc, whose headers Swift does not import whole.
#pragma once

#include <stddef.h>

/// Octets that the allocator has given out and not taken back.
size_t heap_octets_in_use(void);
