#if !__has_include(<pcre2.h>)
#error "The headers of PCRE2 are missing. On Debian and Ubuntu: sudo apt-get install libpcre2-dev"
#endif
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
