// The scenarios of the folder Scenarios. The compiler copies the files into the object; a test compares the list and
// the texts with the folder.
#include "scenarios.h"

#include <stddef.h>
#include <string.h>

// A directive of C23, which clang has in every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char list[] = {
#embed "scenarios.txt" suffix(, 0)
};

/// In the order of the list, each followed by an octet 0.
static const char texts[] = {
#include "texts.inc"
};

const char *cscenarios_list(void) { return list; }

const char *cscenarios_text(int32_t index) {
    if (index < 0) return NULL;
    const char *text = texts;
    while (index-- > 0 && text < texts + sizeof texts) text += strlen(text) + 1;
    return text < texts + sizeof texts ? text : NULL;
}
