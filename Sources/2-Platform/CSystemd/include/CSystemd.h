#if !__has_include(<systemd/sd-bus.h>)
#error "The headers of libsystemd are missing. On Debian and Ubuntu: sudo apt-get install libsystemd-dev"
#endif
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-id128.h>
