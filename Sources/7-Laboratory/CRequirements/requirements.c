// What is said of each requirement and of each verb is data, not code. The compiler copies the files into the object.
#include "requirements.h"

// A directive of C23, which clang has in every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char text[] = {
#embed "requirements.txt" suffix(, 0)
};

static const char verbs[] = {
#embed "verbs.txt" suffix(, 0)
};

const char *crequirements_text(void) { return text; }
const char *crequirements_verbs(void) { return verbs; }
