internal import ANCS
internal import BluetoothLE
internal import Glibc
internal import LinuxIO

/// What is needed to redact anything: what stands for names and numbers, and how far dates are moved.
struct Redaction {
    var names: Pseudonyms
    /// The records that wait for what decides about them.
    var held: HeldRecords
    /// Added to every time.
    var shift = Duration.zero
    /// Whether the last extended advertising report was a part of an advertisement.
    var isWithinReport = false

    /// Octets of an address, with the least significant first.
    mutating func address(_ octets: ArraySlice<UInt8>, isRandom: Bool) -> [UInt8] {
        let value = octets.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        let stand = names.address(for: DeviceAddress(value, kind: isRandom ? .random : .public))
        return (0..<6).map { UInt8(truncatingIfNeeded: stand.rawValue >> (8 * UInt64($0))) }
    }

    /// Octets of an identity resolving key, with the least significant first.
    func resolvingKey(_ octets: ArraySlice<UInt8>) -> [UInt8] {
        let value = octets.reversed().reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        let stand = names.resolvingKey(for: value)
        return (0..<16).map { UInt8(truncatingIfNeeded: stand >> (8 * UInt128($0))) }
    }

    /// A name of a field of fixed length, which ends with NUL.
    func name(_ octets: ArraySlice<UInt8>) -> [UInt8] {
        let name = TextMask.masked(Array(octets.prefix { $0 != 0 }))
        return name + [UInt8](repeating: 0, count: octets.count - name.count)
    }

    /// A date of ANCS (R34), such as `20261121T093000`, as much later or earlier as the capture; zeros if it is none.
    func date(_ octets: [UInt8]) -> [UInt8] {
        let date = NotificationDate(octets).flatMap {
            moved([$0.year, $0.month, $0.day, $0.hour, $0.minute, $0.second].map { Int($0) })
        }
        guard let date else { return [UInt8](repeating: 0, count: octets.count) }
        let digits = date.text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }
        return digits.count == 16 ? Array(digits.prefix(15)) : octets.map { _ in 0 }
    }

    /// Current Time, moved likewise: year, month, day, hours, minutes, seconds, day of the week, and two octets that say
    /// nothing of the day. GATT Specification Supplement, 3.62.
    func clock(_ octets: [UInt8]) -> [UInt8] {
        let year = Int(octets[0]) | Int(octets[1]) << 8
        guard let moment = moved([year] + octets[2..<7].map { Int($0) }) else {
            return octets.map { _ in 0 }
        }
        let made = moment.numbers
        // 1970 began on a Thursday.
        let weekday = octets[7] == 0 ? 0 : (moment.days + 3) % 7 + 1
        return [UInt8(made[0] & 0xFF), UInt8(made[0] >> 8)]
            + (made[1...] + [weekday]).map { UInt8(truncatingIfNeeded: $0) } + octets[8...]
    }

    /// A year, month, day, hour, minute and second, as if they were UTC: only the distance counts. `nil` for what is
    /// not between 1970 and 9999 afterwards.
    private func moved(_ numbers: [Int]) -> (text: String, numbers: [Int], days: Int)? {
        guard numbers[0] > 1900, (1...12).contains(numbers[1]) else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon) = (CInt(numbers[0] - 1900), CInt(numbers[1] - 1))
        (parts.tm_mday, parts.tm_hour) = (CInt(numbers[2]), CInt(numbers[3]))
        (parts.tm_min, parts.tm_sec) = (CInt(numbers[4]), CInt(numbers[5]))
        let time = CaptureTime(microsecondsSince1970: Int64(timegm(&parts)) * 1_000_000) + shift
        let text = time.text(fractionDigits: 0)
        let made = text.split { !$0.isNumber }.compactMap { Int($0) }
        guard time.microsecondsSince1970 >= 0, made.count == 6, made[0] <= 9999 else { return nil }
        return (text, made, Int(time.microsecondsSince1970 / 86_400_000_000))
    }

    // MARK: Advertising data

    /// The structures of advertising data: flags, intervals, power, appearance and UUIDs are kept or replaced, of what
    /// makers and services say the identifiers alone. Core Supplement, Part A.
    mutating func advertisingData(_ data: ArraySlice<UInt8>) -> [UInt8] {
        var made = [UInt8](repeating: 0, count: data.count)
        var index = data.startIndex
        while index < data.endIndex, data[index] > 0 {
            let end = index + 1 + Int(data[index])
            guard end <= data.endIndex, index + 1 < end else { break }
            let (kind, content) = (data[index + 1], data[(index + 2)..<end])
            let stand = [data[index], kind] + structure(kind, content)
            made.replaceSubrange((index - data.startIndex)..<(end - data.startIndex), with: stand)
            index = end
        }
        return made
    }

    private mutating func structure(_ kind: UInt8, _ content: ArraySlice<UInt8>) -> [UInt8] {
        func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: max(count, 0)) }
        switch kind {
        // Flags, TX Power Level, LE Role; Appearance, Advertising Interval; Peripheral Connection Interval Range
        case 0x01 where content.count == 1, 0x0A where content.count == 1,
            0x1C where content.count == 1, 0x19 where content.count == 2,
            0x1A where content.count == 2, 0x12 where content.count == 4:
            return Array(content)
        case 0x02, 0x03, 0x14: return uuids(content, ofCount: 2)
        case 0x04, 0x05, 0x1F: return uuids(content, ofCount: 4)
        case 0x06, 0x07, 0x15: return uuids(content, ofCount: 16)
        case 0x08, 0x09: return TextMask.masked(Array(content))
        case 0x16: return uuids(content.prefix(2), ofCount: 2) + zeros(content.count - 2)
        case 0x20: return uuids(content.prefix(4), ofCount: 4) + zeros(content.count - 4)
        case 0x21: return uuids(content.prefix(16), ofCount: 16) + zeros(content.count - 16)
        // Manufacturer Specific Data
        case 0xFF: return Array(content.prefix(2)) + zeros(content.count - 2)
        default: return zeros(content.count)
        }
    }

    /// A list of UUIDs; what is left of an incomplete one is zero.
    mutating func uuids(_ octets: ArraySlice<UInt8>, ofCount count: Int) -> [UInt8] {
        var made: [UInt8] = []
        var rest = octets
        while rest.count >= count {
            made += names.uuid(for: Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return made + [UInt8](repeating: 0, count: rest.count)
    }
}
