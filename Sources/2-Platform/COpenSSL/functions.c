#include <lazy_library.h>

#pragma GCC visibility push(hidden)
#include "COpenSSL.h"
#pragma GCC visibility pop

#define STRING(name) #name
#define LIBRARY(version) "libcrypto.so." STRING(version)
#define FUNCTION(result, name, parameters, arguments) \
    LAZY_FUNCTION(LIBRARY(OPENSSL_SHLIB_VERSION), result, name, parameters, arguments)

FUNCTION(void, BN_CTX_free, (BN_CTX *c), (c))
FUNCTION(BN_CTX *, BN_CTX_secure_new, (void), ())
FUNCTION(BIGNUM *, BN_bin2bn, (const unsigned char *s, int len, BIGNUM *ret), (s, len, ret))
FUNCTION(void, BN_clear_free, (BIGNUM *a), (a))
FUNCTION(int, BN_cmp, (const BIGNUM *a, const BIGNUM *b), (a, b))
FUNCTION(int, BN_is_zero, (const BIGNUM *a), (a))
FUNCTION(void, EC_GROUP_free, (EC_GROUP *group), (group))
FUNCTION(const BIGNUM *, EC_GROUP_get0_order, (const EC_GROUP *group), (group))
FUNCTION(EC_GROUP *, EC_GROUP_new_by_curve_name, (int nid), (nid))
FUNCTION(void, EC_POINT_clear_free, (EC_POINT *point), (point))
FUNCTION(void, EC_POINT_free, (EC_POINT *point), (point))
FUNCTION(int, EC_POINT_is_at_infinity, (const EC_GROUP *group, const EC_POINT *p), (group, p))
FUNCTION(
    int, EC_POINT_mul,
    (const EC_GROUP *group, EC_POINT *r, const BIGNUM *n, const EC_POINT *q, const BIGNUM *m, BN_CTX *ctx),
    (group, r, n, q, m, ctx))
FUNCTION(EC_POINT *, EC_POINT_new, (const EC_GROUP *group), (group))
FUNCTION(int, EC_POINT_oct2point,
    (const EC_GROUP *group, EC_POINT *p, const unsigned char *buf, size_t len, BN_CTX *ctx), (group, p, buf, len, ctx))
FUNCTION(
    size_t, EC_POINT_point2oct,
    (const EC_GROUP *group, const EC_POINT *p, point_conversion_form_t form, unsigned char *buf, size_t len, BN_CTX *ctx),
    (group, p, form, buf, len, ctx))
FUNCTION(void, ERR_clear_error, (void), ())
FUNCTION(void, EVP_CIPHER_CTX_free, (EVP_CIPHER_CTX *c), (c))
FUNCTION(EVP_CIPHER_CTX *, EVP_CIPHER_CTX_new, (void), ())
FUNCTION(int, EVP_CIPHER_CTX_set_padding, (EVP_CIPHER_CTX *c, int pad), (c, pad))
FUNCTION(
    int, EVP_EncryptInit_ex,
    (EVP_CIPHER_CTX *ctx, const EVP_CIPHER *cipher, ENGINE *impl, const unsigned char *key, const unsigned char *iv),
    (ctx, cipher, impl, key, iv))
FUNCTION(int, EVP_EncryptUpdate,
    (EVP_CIPHER_CTX *ctx, unsigned char *out, int *outl, const unsigned char *in, int inl), (ctx, out, outl, in, inl))
FUNCTION(void, EVP_MAC_CTX_free, (EVP_MAC_CTX *ctx), (ctx))
FUNCTION(EVP_MAC_CTX *, EVP_MAC_CTX_new, (EVP_MAC *mac), (mac))
FUNCTION(EVP_MAC *, EVP_MAC_fetch,
    (OSSL_LIB_CTX *libctx, const char *algorithm, const char *properties), (libctx, algorithm, properties))
FUNCTION(int, EVP_MAC_final,
    (EVP_MAC_CTX *ctx, unsigned char *out, size_t *outl, size_t outsize), (ctx, out, outl, outsize))
FUNCTION(void, EVP_MAC_free, (EVP_MAC *mac), (mac))
FUNCTION(int, EVP_MAC_init,
    (EVP_MAC_CTX *ctx, const unsigned char *key, size_t keylen, const OSSL_PARAM *params), (ctx, key, keylen, params))
FUNCTION(int, EVP_MAC_update, (EVP_MAC_CTX *ctx, const unsigned char *data, size_t datalen), (ctx, data, datalen))
FUNCTION(const EVP_CIPHER *, EVP_aes_128_ecb, (void), ())
FUNCTION(OSSL_PARAM, OSSL_PARAM_construct_end, (void), ())
FUNCTION(OSSL_PARAM, OSSL_PARAM_construct_utf8_string, (const char *key, char *buf, size_t bsize), (key, buf, bsize))
