package import BluetoothTypes
internal import Printing

/// Descriptions of the values of characteristics and descriptors (GATT Specification Supplement; Core Vol 3,
/// Part C, 12 and Part G, 3.3.3).
package enum ValueText {
    /// The meaning of a value.
    package enum Meaning: Equatable, Sendable {
        /// The value is this text. Untrusted.
        case text(String)
        /// The value means this; the words are the program's own.
        case words(String)
    }

    /// The meaning of a value, or its octets if the meaning is unknown; safe for a terminal.
    package static func text(of value: [UInt8], _ uuid: BluetoothUUID) -> String {
        switch meaning(of: value, uuid) {
        case .text(let text): "“\(TerminalText.visible(text))”"
        case .words(let words): words
        case nil: value.isEmpty ? "(empty)" : Hexadecimal.text(value)
        }
    }

    /// The meaning of a value, or `nil` if its type is unknown or its form is wrong.
    package static func meaning(of value: [UInt8], _ uuid: BluetoothUUID) -> Meaning? {
        guard !value.isEmpty else { return nil }
        guard let number = uuid.shortValue else { return guess(value) }
        if let words = numbers(value, number) { return .words(words) }
        switch number {
        // Names and other UTF-8 strings.
        case 0x2A00, 0x2A24...0x2A29, 0x2901: return utf8(value).map { .text($0) }
        case _ where hasNumbers(number): return nil
        default: return guess(value)
        }
    }

    /// Whether values of this type are numbers, even if their octets look like text.
    private static func hasNumbers(_ number: UInt16) -> Bool {
        AssignedNumbers.characteristics[number] != nil || AssignedNumbers.descriptors[number] != nil
    }

    /// Text in a value of unknown type, if all of it is printable and it is too long for that to be chance.
    private static func guess(_ value: [UInt8]) -> Meaning? {
        guard let text = utf8(value), text.count >= 3, TerminalText.visible(text) == text else {
            return nil
        }
        return .text(text)
    }

    private static func utf8(_ value: [UInt8]) -> String? {
        // Some firmware sends the terminating zero of a C string too.
        let octets = value.last == 0 ? value.dropLast() : value[...]
        return String(validating: octets, as: UTF8.self)
    }

    /// What the numbers of a value mean; `nil` if it has none of a known form.
    private static func numbers(_ value: [UInt8], _ number: UInt16) -> String? {
        var rest = value.span
        do throws(DecodingError) {
            let text: String
            switch number {
            case 0x2A01: text = appearance(try rest.takeUInt16())
            case 0x2A07: text = "\(Int8(bitPattern: try rest.takeUInt8())) dBm"
            case 0x2A19: text = "\(try rest.takeUInt8()) %"
            case 0x2A38: text = named(try rest.takeUInt8(), bodyLocations)
            case 0x2A4E: text = named(try rest.takeUInt8(), ["boot", "report"])
            case 0x2AA6: text = named(try rest.takeUInt8(), ["not supported", "supported"])
            case 0x2B29: text = bits(try rest.takeUInt8(), clientFeatures)
            case 0x2B3A: text = bits(try rest.takeUInt8(), ["Enhanced ATT"])
            case 0x2900:
                text = bits(
                    UInt8(truncatingIfNeeded: try rest.takeUInt16()),
                    ["reliable writes", "writable user description"])
            case 0x2902:
                text = bits(
                    UInt8(truncatingIfNeeded: try rest.takeUInt16()),
                    ["notifications", "indications"], none: "off")
            case 0x2A04: text = try connectionParameters(&rest)
            case 0x2A0F: text = try localTime(&rest)
            case 0x2A14: text = try referenceTime(&rest)
            case 0x2A2B: text = try currentTime(&rest)
            case 0x2A50: text = try plugAndPlay(&rest)
            case 0x2908: text = try report(&rest)
            default: return nil
            }
            try rest.expectEnd()
            return text
        } catch { return nil }
    }

    // MARK: One number

    private static let bodyLocations = [
        "other", "chest", "wrist", "finger", "hand", "ear lobe", "foot",
    ]
    private static let clientFeatures = [
        "robust caching", "Enhanced ATT", "multiple value notifications",
    ]

    private static func appearance(_ value: UInt16) -> String {
        AssignedNumbers.appearance(value).map { "\($0) (\(value.hexadecimal))" }
            ?? (value == 0 ? "unknown" : value.hexadecimal)
    }

    private static func named(_ value: UInt8, _ names: [String]) -> String {
        names.indices.contains(Int(value)) ? names[Int(value)] : "\(value) (reserved)"
    }

    private static func bits(_ value: UInt8, _ names: [String], none: String = "none") -> String {
        let set = (0..<8).filter { value & 1 << $0 != 0 }
        let words = set.map { names.indices.contains($0) ? names[$0] : "bit \($0)" }
        return words.isEmpty ? none : words.joined(separator: ", ")
    }

    // MARK: Several numbers

    /// Core Vol 3, Part C, 12.3: intervals in units of 1.25 ms, the timeout in units of 10 ms; 0xFFFF for
    /// any.
    private static func connectionParameters(
        _ rest: inout Span<UInt8>
    ) throws(DecodingError) -> String {
        func milliseconds(_ value: UInt16) -> String {
            if value == 0xFFFF { return "any" }
            let quarters = Int(value) * 5
            let fraction = ["", ".25", ".5", ".75"][quarters % 4]
            return "\(quarters / 4)\(fraction) ms"
        }
        let minimum = milliseconds(try rest.takeUInt16())
        let maximum = milliseconds(try rest.takeUInt16())
        let latency = try rest.takeUInt16()
        let timeout = try rest.takeUInt16()
        let supervision = timeout == 0xFFFF ? "any" : "\(Int(timeout) * 10) ms"
        return "interval \(minimum) to \(maximum), latency \(latency), timeout \(supervision)"
    }

    /// Local Time Information: the offset from UTC and the part of it that is daylight saving time, both in
    /// quarters of an hour.
    private static func localTime(_ rest: inout Span<UInt8>) throws(DecodingError) -> String {
        let zone = Int8(bitPattern: try rest.takeUInt8())
        let saving = try rest.takeUInt8()
        let zoneText = zone == -128 ? "unknown zone" : "UTC" + offset(Int(zone))
        switch saving {
        case 0: return zoneText + ", standard time"
        case 2, 4, 8: return zoneText + ", daylight saving time \(offset(Int(saving)))"
        default: return zoneText
        }
    }

    private static func offset(_ quarters: Int) -> String {
        (quarters < 0 ? "-" : "+") + digits(abs(quarters) / 4) + ":"
            + digits(abs(quarters) % 4 * 15)
    }

    /// Reference Time Information: the source of the time, its accuracy in eighths of a second (254 for more
    /// than 31.5 s, 255 if unknown), and the days and hours since it was last set (255 for 255 days or more).
    private static func referenceTime(_ rest: inout Span<UInt8>) throws(DecodingError) -> String {
        let source = try rest.takeUInt8()
        let accuracy = try rest.takeUInt8()
        let days = try rest.takeUInt8()
        let hours = try rest.takeUInt8()
        let sources = [
            "unknown source", "Network Time Protocol", "GPS", "radio time signal", "set manually",
            "atomic clock", "cellular network", "not synchronized",
        ]
        let accuracyText =
            switch accuracy {
            case 255: ""
            case 254: ", accurate to more than 31.5 s"
            case let eighths: ", accurate to \(Int(eighths) * 125) ms"
            }
        let age =
            switch (days, hours) {
            case (255, _): "255 days or more"
            case (0, 0): "less than an hour"
            case (0, _): counted(Int(hours), "hour")
            default: "\(counted(Int(days), "day")) and \(counted(Int(hours), "hour"))"
            }
        return "\(named(source, sources))\(accuracyText), updated \(age) ago"
    }

    /// Year, month, day, hours, minutes, seconds, day of week, 1/256 seconds, why it was adjusted. 0 is
    /// unknown in the date.
    private static func currentTime(_ rest: inout Span<UInt8>) throws(DecodingError) -> String {
        let year = Int(try rest.takeUInt16())
        var fields: [Int] = []
        for _ in 0..<5 { fields.append(Int(try rest.takeUInt8())) }
        let weekday = Int(try rest.takeUInt8())
        _ = try rest.takeUInt8()
        let reason = try rest.takeUInt8()
        let days = ["", "Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "]
        let day = days.indices.contains(weekday) ? days[weekday] : ""
        let reasons = ["manually", "by a reference", "time zone", "daylight saving time"]
        let adjusted = reason == 0 ? "" : ", adjusted: \(bits(reason, reasons))"
        return day + "\(year)-\(digits(fields[0]))-\(digits(fields[1]))"
            + " \(digits(fields[2])):\(digits(fields[3])):\(digits(fields[4]))" + adjusted
    }

    private static func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// PnP ID: the source of the vendor identifier, the identifier, product, and version JJ.M.N.
    private static func plugAndPlay(_ rest: inout Span<UInt8>) throws(DecodingError) -> String {
        let source = try rest.takeUInt8()
        let vendor = try rest.takeUInt16()
        let product = try rest.takeUInt16()
        let version = try rest.takeUInt16()
        let name = source == 1 ? AssignedNumbers.company(vendor).map { " (\($0))" } ?? "" : ""
        let list = source == 1 ? "Bluetooth" : source == 2 ? "USB" : "source \(source)"
        return "\(list) vendor \(vendor.hexadecimal)\(name), product \(product.hexadecimal), "
            + "version \(version >> 8).\(version >> 4 & 0xF).\(version & 0xF)"
    }

    /// Report Reference: identifier and type. HID over GATT.
    private static func report(_ rest: inout Span<UInt8>) throws(DecodingError) -> String {
        let identifier = try rest.takeUInt8()
        let kinds = [1: "input", 2: "output", 3: "feature"]
        let kind = try rest.takeUInt8()
        return "report \(identifier), \(kinds[Int(kind)] ?? "type \(kind)")"
    }
}
