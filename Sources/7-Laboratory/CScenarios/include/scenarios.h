#pragma once

#include <stdint.h>

/// How many scenarios there are.
int32_t cscenarios_count(void);

/// The name of a scenario: its path below Scenarios without the ending. NULL for an index that is out of range.
const char *cscenarios_name(int32_t index);

/// The text of a scenario, up to an octet 0. NULL for an index that is out of range.
const char *cscenarios_text(int32_t index);

/// How many seconds a scenario takes with an accessory that answers at once, measured in virtual time. -1 for an index
/// that is out of range.
int32_t cscenarios_seconds(int32_t index);
