// What is said of each requirement is data, not code. The compiler copies the file into the object.
#include "requirements.h"

// A directive of C23, which clang has in every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char text[] = {
#embed "requirements.txt" suffix(, 0)
};

const char *crequirements_text(void) { return text; }
