// Templates are files of their own language, which the compiler copies into the object.
#include "templates.h"

// A directive of C23, which clang has in every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

const char *ctemplates_report_css(void) {
    static const char text[] = {
#embed "report.css" suffix(, 0)
    };
    return text;
}

const char *ctemplates_completion_bash(void) {
    static const char text[] = {
#embed "completion.bash" suffix(, 0)
    };
    return text;
}

const char *ctemplates_completion_fish(void) {
    static const char text[] = {
#embed "completion.fish" suffix(, 0)
    };
    return text;
}

const char *ctemplates_completion_zsh(void) {
    static const char text[] = {
#embed "completion.zsh" suffix(, 0)
    };
    return text;
}
