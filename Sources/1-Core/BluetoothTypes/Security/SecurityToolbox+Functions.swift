/// The cryptographic functions of the Security Manager, in the specification's notation: numbers are
/// most significant octet first, and a concatenation begins with its first operand.
/// Core Vol 3, Part H, 2.2.
extension SecurityToolbox {
    /// The hash of a resolvable private address, 24 bits. Core Vol 3, Part H, 2.2.2.
    ///
    /// `prand` is the random part of the address: its 24 most significant bits.
    public func ah(irk: UInt128, prand: UInt32) -> UInt32 {
        let block = UInt128(prand & 0xFF_FFFF)
        return UInt32(truncatingIfNeeded: aes128(key: irk, block: block)) & 0xFF_FFFF
    }

    /// Whether `address` was generated with `irk`. Core Vol 6, Part B, 1.3.2.3.
    ///
    /// `false` for any address that is not resolvable private.
    public func resolves(_ address: DeviceAddress, irk: UInt128) -> Bool {
        guard address.randomKind == .resolvablePrivate else { return false }
        let prand = UInt32(truncatingIfNeeded: address.rawValue >> 24)
        return ah(irk: irk, prand: prand)
            == UInt32(truncatingIfNeeded: address.rawValue) & 0xFF_FFFF
    }

    /// The confirm value of LE legacy pairing. Core Vol 3, Part H, 2.2.3.
    ///
    /// `request` and `response` are the seven octets of the Pairing Request and Pairing Response, in wire
    /// format; the addresses are those used on air.
    public func c1(
        temporaryKey: UInt128, random: UInt128, request: [UInt8], response: [UInt8],
        initiator: DeviceAddress, responder: DeviceAddress
    ) -> UInt128 {
        let preq = request.reversed().reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        let pres = response.reversed().reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        let first =
            pres << 72 | preq << 16 | UInt128(responder.kind.rawValue) << 8
            | UInt128(initiator.kind.rawValue)
        let second = UInt128(initiator.rawValue) << 48 | UInt128(responder.rawValue)
        let inner = aes128(key: temporaryKey, block: random ^ first)
        return aes128(key: temporaryKey, block: inner ^ second)
    }

    /// The short term key of LE legacy pairing. Core Vol 3, Part H, 2.2.4.
    public func s1(
        temporaryKey: UInt128, responderRandom: UInt128, initiatorRandom: UInt128
    ) -> UInt128 {
        let mask = UInt128(UInt64.max)
        return aes128(
            key: temporaryKey, block: (responderRandom & mask) << 64 | initiatorRandom & mask)
    }

    /// The confirm value of LE Secure Connections. Core Vol 3, Part H, 2.2.6.
    public func f4(u: P256Scalar, v: P256Scalar, x: UInt128, z: UInt8) -> UInt128 {
        aesCMAC(key: x, message: u.octets + v.octets + [z])
    }

    /// The keys of LE Secure Connections. Core Vol 3, Part H, 2.2.7.
    public func f5(
        sharedSecret: P256Scalar, initiatorNonce: UInt128, responderNonce: UInt128,
        initiator: DeviceAddress, responder: DeviceAddress
    ) -> (macKey: UInt128, longTermKey: UInt128) {
        let salt: UInt128 = 0x6C88_8391_AAF5_A538_6037_0BDB_5A60_83BE
        let identifier: UInt32 = 0x6274_6C65  // "btle"
        let key = aesCMAC(key: salt, message: sharedSecret.octets)
        let tail =
            bigEndian(identifier) + bigEndian(initiatorNonce) + bigEndian(responderNonce)
            + initiator.typedOctets + responder.typedOctets + bigEndian(UInt16(256))
        return (
            macKey: aesCMAC(key: key, message: [0] + tail),
            longTermKey: aesCMAC(key: key, message: [1] + tail)
        )
    }

    /// The DHKey check of LE Secure Connections. Core Vol 3, Part H, 2.2.8.
    ///
    /// `ioCapabilities` is AuthReq, OOB data flag and IO capability, in this order.
    public func f6(
        macKey: UInt128, ownNonce: UInt128, peerNonce: UInt128, r: UInt128,
        ioCapabilities: [UInt8], own: DeviceAddress, peer: DeviceAddress
    ) -> UInt128 {
        let message =
            bigEndian(ownNonce) + bigEndian(peerNonce) + bigEndian(r) + ioCapabilities
            + own.typedOctets + peer.typedOctets
        return aesCMAC(key: macKey, message: message)
    }

    /// The value of numeric comparison, before it is reduced to six digits. Core Vol 3, Part H, 2.2.9.
    public func g2(u: P256Scalar, v: P256Scalar, x: UInt128, y: UInt128) -> UInt32 {
        let mac = aesCMAC(key: x, message: u.octets + v.octets + bigEndian(y))
        return UInt32(truncatingIfNeeded: mac)
    }

    /// Converts a key; `identifier` is four characters. Core Vol 3, Part H, 2.2.10.
    public func h6(_ key: UInt128, identifier: UInt32) -> UInt128 {
        aesCMAC(key: key, message: bigEndian(identifier))
    }

    /// Converts a key with a salt. Core Vol 3, Part H, 2.2.11.
    public func h7(salt: UInt128, _ key: UInt128) -> UInt128 {
        aesCMAC(key: salt, message: bigEndian(key))
    }

    /// The signature of a signed PDU: the counter and the MAC, in wire format. Core Vol 3, Part H, 2.4.5.
    public func signature(of message: [UInt8], key: UInt128, counter: UInt32) -> [UInt8] {
        let field = [UInt8](bigEndian(counter).reversed())
        // The signing algorithm is defined over numbers, so the message is reversed.
        let mac = aesCMAC(key: key, message: (message + field).reversed())
        return field + bigEndian(mac).prefix(8).reversed()
    }

    /// Whether the signature at the end of a signed PDU is valid. Does not check that the counter has
    /// increased.
    public func verifies(_ signedPDU: [UInt8], key: UInt128) -> Bool {
        guard signedPDU.count > 12 else { return false }
        let tail = Array(signedPDU.suffix(12))
        let counter = tail[..<4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return signature(of: Array(signedPDU.dropLast(12)), key: key, counter: counter) == tail
    }
}

extension P256Scalar {
    /// 32 octets, most significant first.
    public var octets: [UInt8] { bigEndian(high) + bigEndian(low) }
}

extension P256KeyPair {
    /// The well-known debug key pair, which allows a sniffer to decrypt the link. Core Vol 3, Part H,
    /// 2.3.5.6.1.
    public static let debug = P256KeyPair(
        privateKey: P256Scalar(
            high: 0x3F49_F6D4_A3C5_5F38_74C9_B3E3_D210_3F50,
            low: 0x4AFF_607B_EB40_B799_5899_B8A6_CD3C_1ABD),
        publicKey: P256PublicKey(
            x: P256Scalar(
                high: 0x20B0_03D2_F297_BE2C_5E2C_83A7_E9F9_A5B9,
                low: 0xEFF4_9111_ACF4_FDDB_CC03_0148_0E35_9DE6),
            y: P256Scalar(
                high: 0xDC80_9C49_652A_EB6D_6332_9ABF_5A52_155C,
                low: 0x7663_45C2_8FED_3024_741C_8ED0_1589_D28B)))
}

extension DeviceAddress {
    /// The 56-bit form in f5 and f6: type, then address, most significant octet first.
    fileprivate var typedOctets: [UInt8] { [kind.rawValue] + bigEndian(rawValue).dropFirst(2) }
}

/// The octets of a number, most significant first.
private func bigEndian<Value: FixedWidthInteger & UnsignedInteger>(_ value: Value) -> [UInt8] {
    (0..<Value.bitWidth / 8).reversed().map {
        UInt8(truncatingIfNeeded: value >> Value(truncatingIfNeeded: 8 * $0))
    }
}
