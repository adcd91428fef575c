/// Generates and resolves random addresses. Core Vol 6, Part B, 1.3.2.
public enum PrivateAddress: Sendable {
    /// The recommended lifetime of a private address, TGAP(private_addr_int). Core Vol 3, Part C, Appendix A.
    public static let recommendedInterval = Duration.seconds(900)

    /// A new static random address, which must not change before the device restarts.
    public static func makeStatic(using toolbox: inout some SecurityToolbox) -> DeviceAddress {
        let random = UInt64(makeRandomPart(46, using: &toolbox))
        return DeviceAddress(0b11 << 46 | random, kind: .random)
    }

    /// A new resolvable private address; any device that has `irk` can resolve it.
    public static func makeResolvable(
        irk: UInt128, using toolbox: inout some SecurityToolbox
    ) -> DeviceAddress {
        let prand = 0b01 << 22 | UInt32(makeRandomPart(22, using: &toolbox))
        let hash = toolbox.ah(irk: irk, prand: prand)
        return DeviceAddress(UInt64(prand) << 24 | UInt64(hash), kind: .random)
    }

    /// The index of the first identity resolving key that resolves `address`; `nil` if none does, or if it is
    /// not a resolvable private address.
    public static func resolve(
        _ address: DeviceAddress, with irks: [UInt128], using toolbox: some SecurityToolbox
    ) -> Int? { irks.firstIndex { toolbox.resolves(address, irk: $0) } }

    /// Random bits that are not all equal.
    private static func makeRandomPart(
        _ bits: Int, using toolbox: inout some SecurityToolbox
    ) -> UInt128 {
        let ones = UInt128(1) << UInt128(bits) - 1
        let part = toolbox.random128() & ones
        // Each forbidden value is drawn at most once in 2^21 times. Its neighbor is used instead of another
        // draw, so that a broken generator cannot block the host.
        return part == 0 ? 1 : part == ones ? ones - 1 : part
    }
}
