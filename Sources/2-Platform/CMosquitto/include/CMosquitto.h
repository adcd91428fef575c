#if !__has_include(<mosquitto.h>)
#error "The headers of libmosquitto are missing. On Debian and Ubuntu: sudo apt-get install libmosquitto-dev"
#endif
#include <mosquitto.h>
