// Tables that are data, not code. The compiler copies the files into the object.
#include "tables.h"

// A directive of C23, which clang has in every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char code_words[] = {
#embed "code-words.json" suffix(, 0)
};

static const char assigned_numbers[] = {
#embed "assigned-numbers.json" suffix(, 0)
};

static const char app_faces[] = {
#embed "app-faces.txt" suffix(, 0)
};

static const char adapters[] = {
#embed "adapters.txt" suffix(, 0)
};

static const char history[] = {
#embed "history.sql" suffix(, 0)
};

const char *ctables_code_words(void) { return code_words; }

const char *ctables_assigned_numbers(void) { return assigned_numbers; }

const char *ctables_app_faces(void) { return app_faces; }

const char *ctables_adapters(void) { return adapters; }

const char *ctables_history(void) { return history; }
