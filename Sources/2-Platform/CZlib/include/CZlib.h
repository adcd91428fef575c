#pragma once

#if !__has_include(<zlib.h>)
#error "The headers of zlib are missing. On Debian and Ubuntu: sudo apt-get install zlib1g-dev"
#endif
#include <zlib.h>
