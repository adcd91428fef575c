/// The octets of a fuzzer, read as a script: which event comes next, with what, and when. Where the
/// script ends, every number is 0 and every list is empty, so that each prefix of a script is a script.
struct FuzzInput {
    private let script: [UInt8]
    private var position = 0

    init(_ script: [UInt8]) { self.script = script }

    /// Whether everything was read.
    var isAtEnd: Bool { position >= script.count }

    mutating func octet() -> UInt8 {
        guard position < script.count else { return 0 }
        defer { position += 1 }
        return script[position]
    }

    mutating func flag() -> Bool { octet() & 1 != 0 }

    /// A number below `count`, which is at most 256.
    mutating func choice(_ count: Int) -> Int { Int(octet()) % count }

    /// A number in a range of at most 256 numbers.
    mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + choice(range.count)
    }

    /// A little-endian number of the width of its type.
    mutating func number<Value: FixedWidthInteger & UnsignedInteger>(_: Value.Type) -> Value {
        var value: Value = 0
        for index in 0..<Value.bitWidth / 8 {
            value |= Value(truncatingIfNeeded: octet()) << Value(truncatingIfNeeded: 8 * index)
        }
        return value
    }

    /// One of a list that is not empty.
    mutating func element<Element>(of list: [Element]) -> Element { list[choice(list.count)] }

    /// At most 255 octets, after their number.
    mutating func octets() -> [UInt8] { take(Int(octet())) }

    /// At most `maximum` octets, after their number in two octets.
    mutating func octets(atMost maximum: Int) -> [UInt8] {
        take(min(maximum, Int(number(UInt16.self))))
    }

    /// `count` octets, fewer at the end of the script.
    mutating func take(_ count: Int) -> [UInt8] {
        let end = min(script.count, position + count)
        defer { position = end }
        return Array(script[position..<end])
    }

    /// All octets that are left.
    mutating func rest() -> [UInt8] { take(script.count) }

    /// A text of ASCII letters, or any octets.
    mutating func text() -> [UInt8] {
        let octets = take(choice(24))
        return flag() ? octets : octets.map { UInt8(ascii: "a") + $0 % 26 }
    }

    /// From a microsecond to about five hours, short times as likely as long ones.
    mutating func duration() -> Duration {
        let octet = octet()
        return .microseconds((Int64(octet & 0x0F) + 1) << Int64(2 * (octet >> 4)))
    }

    /// Octets cut into pieces of one size, as a stream may come.
    mutating func pieces(of octets: [UInt8]) -> [[UInt8]] {
        let size = choice(32)
        guard size > 0 else { return [octets] }
        return stride(from: 0, to: octets.count, by: size).map {
            Array(octets[$0..<min($0 + size, octets.count)])
        }
    }
}
