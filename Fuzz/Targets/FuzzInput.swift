/// The octets of a fuzzer, read as a script: which event comes next, with what values, and when. At the end
/// of the script, every number is 0 and every list is empty, so each prefix of a script is a script.
struct FuzzInput {
    private let script: [UInt8]
    private var position = 0

    init(_ script: [UInt8]) { self.script = script }

    /// Whether everything has been read.
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

    /// An element of a list, which must not be empty.
    mutating func element<Element>(of list: [Element]) -> Element { list[choice(list.count)] }

    /// At most 255 octets, preceded by their count.
    mutating func octets() -> [UInt8] { take(Int(octet())) }

    /// At most `maximum` octets, preceded by their count in two octets.
    mutating func octets(atMost maximum: Int) -> [UInt8] {
        take(min(maximum, Int(number(UInt16.self))))
    }

    /// The next `count` octets; fewer at the end of the script.
    mutating func take(_ count: Int) -> [UInt8] {
        let end = min(script.count, position + count)
        defer { position = end }
        return Array(script[position..<end])
    }

    /// All remaining octets.
    mutating func rest() -> [UInt8] { take(script.count) }

    /// ASCII letters, or arbitrary octets.
    mutating func text() -> [UInt8] {
        let octets = take(choice(24))
        return flag() ? octets : octets.map { UInt8(ascii: "a") + $0 % 26 }
    }

    /// A time from one microsecond to about five hours; short times are as likely as long ones.
    mutating func duration() -> Duration {
        let octet = octet()
        return .microseconds((Int64(octet & 0x0F) + 1) << Int64(2 * (octet >> 4)))
    }

    /// The octets divided into pieces of one size, as a stream may deliver them.
    mutating func pieces(of octets: [UInt8]) -> [[UInt8]] {
        let size = choice(32)
        guard size > 0 else { return [octets] }
        return stride(from: 0, to: octets.count, by: size).map {
            Array(octets[$0..<min($0 + size, octets.count)])
        }
    }
}
