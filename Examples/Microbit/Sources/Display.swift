import Board

/// Shows lines of text.
enum Display {
    static func show(_ text: StaticString) {
        text.withUTF8Buffer { unsafe board_console_write($0.baseAddress, $0.count) }
    }

    static func show(_ octets: [UInt8]) {
        unsafe board_console_write(octets, octets.count)
    }

    static func show(_ number: Int) {
        if number >= 10 { show(number / 10) }
        show([48 + UInt8(number % 10)])
    }

    static func show(_ text: StaticString, _ number: Int, of limit: Int) {
        show(text)
        show(number)
        show(" of ")
        show(limit)
        show("\r\n")
    }
}
