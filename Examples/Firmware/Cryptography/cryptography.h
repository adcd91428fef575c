// The functions of the Security Manager on a microcontroller, by BearSSL. Numbers are most significant octet
// first, as in the specification. Core Vol 3, Part H, 2.2.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// AES-128 of one block of 16 octets, in place.
void aes128_encrypt(const uint8_t key[16], uint8_t block[16]);
/// AES-CMAC (RFC 4493).
void aes128_cmac(const uint8_t key[16], const uint8_t *message, size_t count, uint8_t code[16]);
/// Whether 32 octets are a private key of P-256: from 1 to the order of the curve less 1.
bool p256_is_private_key(const uint8_t private_key[32]);
/// The public key, x and y, that belongs to a private one.
void p256_public_key(const uint8_t private_key[32], uint8_t public_key[64]);
/// The x coordinate of the shared point; `false` where the public key is not a point on the curve.
bool p256_shared_secret(const uint8_t private_key[32], const uint8_t public_key[64], uint8_t secret[32]);
