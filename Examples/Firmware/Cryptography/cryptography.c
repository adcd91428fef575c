#include "cryptography.h"

#include "bearssl.h"

enum { BLOCK = 16, SCALAR = 32 };

// One block through CBC with zeros before it is the block cipher itself. `aes_ct` takes the same time whatever
// the key is, and has no tables.
static void encrypt(const br_aes_ct_cbcenc_keys *keys, uint8_t *block) {
    uint8_t before[BLOCK] = {0};
    br_aes_ct_cbcenc_run(keys, before, block, BLOCK);
}

void aes128_encrypt(const uint8_t *key, uint8_t *block) {
    br_aes_ct_cbcenc_keys keys;
    br_aes_ct_cbcenc_init(&keys, key, BLOCK);
    encrypt(&keys, block);
}

// RFC 4493, 2.3: multiplication by x.
static void double_subkey(uint8_t *subkey) {
    uint8_t carry = 0;
    for (int i = BLOCK - 1; i >= 0; i--) {
        uint8_t next = subkey[i] >> 7;
        subkey[i] = (uint8_t)(subkey[i] << 1 | carry);
        carry = next;
    }
    subkey[BLOCK - 1] ^= carry * 0x87;
}

void aes128_cmac(const uint8_t *key, const uint8_t *message, size_t count, uint8_t *code) {
    br_aes_ct_cbcenc_keys keys;
    br_aes_ct_cbcenc_init(&keys, key, BLOCK);
    uint8_t subkey[BLOCK] = {0};
    encrypt(&keys, subkey);
    double_subkey(subkey);
    memset(code, 0, BLOCK);
    while (count > BLOCK) {
        for (int i = 0; i < BLOCK; i++) code[i] ^= message[i];
        encrypt(&keys, code);
        message += BLOCK, count -= BLOCK;
    }
    if (count < BLOCK) {
        double_subkey(subkey);
        code[count] ^= 0x80;
    }
    for (size_t i = 0; i < count; i++) code[i] ^= message[i];
    for (int i = 0; i < BLOCK; i++) code[i] ^= subkey[i];
    encrypt(&keys, code);
}

// FIPS 186-4, D.1.2.3.
static const uint8_t order[SCALAR] = {
    0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
};

bool p256_is_private_key(const uint8_t *private_key) {
    uint8_t bits = 0;
    for (int i = 0; i < SCALAR; i++) bits |= private_key[i];
    return bits != 0 && memcmp(private_key, order, SCALAR) < 0;
}

void p256_public_key(const uint8_t *private_key, uint8_t *public_key) {
    uint8_t point[1 + 2 * SCALAR]; // 4, x, y
    br_ec_p256_m31.mulgen(point, private_key, SCALAR, BR_EC_secp256r1);
    memcpy(public_key, point + 1, 2 * SCALAR);
}

bool p256_shared_secret(const uint8_t *private_key, const uint8_t *public_key, uint8_t *secret) {
    uint8_t point[1 + 2 * SCALAR] = {0x04};
    memcpy(point + 1, public_key, 2 * SCALAR);
    // It refuses points that are not on the curve.
    if (!br_ec_p256_m31.mul(point, sizeof point, private_key, SCALAR, BR_EC_secp256r1)) return false;
    memcpy(secret, point + 1, SCALAR);
    return true;
}
