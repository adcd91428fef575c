/// What a C programmer would write for a microcontroller: the yardstick of the codec benchmark.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reference_notification {
    uint8_t event_id;
    uint8_t event_flags;
    uint8_t category_id;
    uint8_t category_count;
    uint32_t uid;
};

/// Decodes a Notification Source value (R12); false unless there are exactly 8 octets.
bool reference_decode_notification(
    const uint8_t *octets, size_t count, struct reference_notification *result);

enum { reference_attribute_limit = 16 };

struct reference_attribute {
    uint8_t id;
    uint16_t offset;
    uint16_t length;
};

struct reference_response {
    uint8_t command_id;
    uint32_t uid;
    uint8_t attribute_count;
    struct reference_attribute attributes[reference_attribute_limit];
};

/// Decodes a whole answer to Get Notification Attributes (R27); false where octets are missing.
bool reference_decode_response(
    const uint8_t *octets, size_t count, struct reference_response *result);
