import ANCS
import Board

/// What is seen: a line for each thing, put together in a buffer that never grows beyond one line.
struct Console {
    private var line: [UInt8] = []

    init() { line.reserveCapacity(512) }

    mutating func put(_ text: StaticString) {
        text.withUTF8Buffer { for octet in $0 { line.append(octet) } }
    }

    mutating func put(_ number: Int) {
        if number >= 10 { put(number / 10) }
        line.append(UInt8(48 + number % 10))
    }

    mutating func put(hexadecimal number: UInt32) {
        for shift in stride(from: UInt32(28), through: 0, by: -4) {
            let digit = UInt8(number >> shift & 0xF)
            line.append(digit < 10 ? 48 + digit : 87 + digit)
        }
    }

    /// Text from outside: at most `limit` characters of it, all of them visible.
    mutating func put(text octets: [UInt8], limit: Int) {
        VisibleText.append(octets, limit: limit, to: &line)
    }

    mutating func endLine() {
        put("\r\n")
        unsafe board_console_write(line, line.count)
        line.removeAll(keepingCapacity: true)
    }

    mutating func say(_ text: StaticString) {
        put("- ")
        put(text)
        endLine()
    }

    mutating func say(_ report: Report) {
        put("- ")
        put(report.text)
        switch report {
        case .named(let name): put(text: name, limit: 32)
        case .removed(let uid): put(hexadecimal: uid.rawValue)
        case .clock(let reading, let zone): put(reading, zone)
        case .playing(let title): put(text: title, limit: 32)
        case _: break
        }
        endLine()
    }

    /// The line of the display: app, title, message and what the buttons do.
    mutating func show(_ notice: Notice) {
        put(notice.isModified ? "* " : "> ")
        put(text: notice.app, limit: 20)
        put(" | ")
        put(text: notice.title, limit: 32)
        if !notice.message.isEmpty {
            put(" | ")
            put(text: notice.message, limit: 64)
        }
        if notice.flags.contains(.positiveAction) { put("  [+", notice.positiveLabel) }
        if notice.flags.contains(.negativeAction) { put("  [-", notice.negativeLabel) }
        endLine()
    }

    /// `2026-03-29 02:59:50, UTC+01:00 and daylight saving`
    private mutating func put(_ reading: Clock.Reading, _ zone: Clock.Zone?) {
        put(Int(reading.year))
        put("-")
        put(twoDigits: Int(reading.month))
        put("-")
        put(twoDigits: Int(reading.day))
        put(" ")
        put(secondOfDay: reading.secondOfDay)
        guard let zone, let offset = zone.offset else { return }
        put(offset < 0 ? ", UTC-" : ", UTC+")
        put(twoDigits: abs(offset) / 60)
        put(":")
        put(twoDigits: abs(offset) % 60)
        if zone.daylightSaving > 0 { put(" and daylight saving") }
    }

    private mutating func put(secondOfDay second: Int) {
        put(twoDigits: second / 3600)
        put(":")
        put(twoDigits: second / 60 % 60)
        put(":")
        put(twoDigits: second % 60)
    }

    private mutating func put(twoDigits number: Int) {
        if number < 10 { put("0") }
        put(number)
    }

    private mutating func put(_ start: StaticString, _ label: [UInt8]) {
        put(start)
        if !label.isEmpty { put(" ") }
        put(text: label, limit: 16)
        put("]")
    }

    /// How long it runs, how much memory there is, and how much was in use at most.
    mutating func showState(links: Int, bonds: Int, secondOfDay: Int?) {
        put("- up ")
        put(Int(board_now() / 1_000_000_000))
        put(" s; heap ")
        put(board_heap_used())
        put(", at most ")
        put(board_heap_peak())
        put(" of ")
        put(board_heap_size())
        put(", free in one piece ")
        put(board_heap_largest())
        put("; stack at most ")
        put(board_stack_peak())
        put(" of ")
        put(board_stack_size())
        put("; links ")
        put(links)
        put(", bonds ")
        put(bonds)
        if let secondOfDay {
            put("; it is ")
            put(secondOfDay: secondOfDay)
        }
        endLine()
    }
}
