#include "reference.h"

static uint16_t little16(const uint8_t *octets) {
    return (uint16_t)(octets[0] | octets[1] << 8);
}

static uint32_t little32(const uint8_t *octets) {
    return (uint32_t)little16(octets) | (uint32_t)little16(octets + 2) << 16;
}

bool reference_decode_notification(
    const uint8_t *octets, size_t count, struct reference_notification *result) {
    if (count != 8) return false;
    result->event_id = octets[0];
    result->event_flags = octets[1];
    result->category_id = octets[2];
    result->category_count = octets[3];
    result->uid = little32(octets + 4);
    return true;
}

bool reference_decode_response(
    const uint8_t *octets, size_t count, struct reference_response *result) {
    if (count < 5) return false;
    result->command_id = octets[0];
    result->uid = little32(octets + 1);
    result->attribute_count = 0;
    size_t offset = 5;
    while (offset < count) {
        if (count - offset < 3 || result->attribute_count == reference_attribute_limit) return false;
        struct reference_attribute *attribute = &result->attributes[result->attribute_count];
        attribute->id = octets[offset];
        attribute->length = little16(octets + offset + 1);
        offset += 3;
        if (count - offset < attribute->length) return false;
        attribute->offset = (uint16_t)offset;
        offset += attribute->length;
        result->attribute_count++;
    }
    return true;
}
