#pragma once

#include <stdint.h>

/// The scenarios, one a line: its name, which is its path below Scenarios without the ending, a space, and how many
/// seconds it takes with an accessory that answers at once, measured in virtual time. Ends with an octet 0.
const char *cscenarios_list(void);

/// The text of a scenario, by its place in the list, up to an octet 0. NULL for a place that is not in the list.
const char *cscenarios_text(int32_t index);
