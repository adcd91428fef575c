/// Pseudorandom numbers that depend only on a seed: the same on every machine, in every run. Not for keys.
///
/// The algorithm is SplitMix64: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
public struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// A generator that starts from a seed.
    public init(seed: UInt64) { state = seed }

    /// 64 random bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A generator that is independent of this one and of every other `number`, so that what one part of a
    /// run draws changes nothing for the others.
    public func branch(_ number: UInt64) -> SeededGenerator {
        var copy = SeededGenerator(seed: state ^ (number &+ 1) &* 0xD6E8_FEB8_6659_FD93)
        return SeededGenerator(seed: copy.next())
    }

    /// `true` with this probability, from 0 to 1.
    public mutating func chance(_ probability: Double) -> Bool {
        guard probability > 0 else { return false }
        // A Double has 53 bits of precision.
        return Double(next() >> 11) < probability * 9_007_199_254_740_992
    }

    /// A duration from zero up to, but not including, `limit`.
    public mutating func duration(below limit: Duration) -> Duration {
        let microseconds = (MonotonicInstant.zero + limit).nanoseconds / 1000
        guard microseconds > 0 else { return .zero }
        return .microseconds(Int64(next() >> 1) % microseconds)
    }
}
