#if !__has_include(<openssl/evp.h>)
#error "The headers of OpenSSL are missing. On Debian and Ubuntu: sudo apt-get install libssl-dev"
#endif
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
