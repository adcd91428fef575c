import CLinux
import Glibc
import LinuxIO
import Testing

@Suite("Text that a C function writes")
struct CTextTests {
    @Test("octets above 0x7F are the same with signed and unsigned char")
    func octets() {
        let text = "/tmp/żółw-🐢"
        let written = CText.written(capacity: 64) { buffer, capacity in
            strcpy(buffer, text)
            return capacity
        }
        #expect(written.result == 64)
        #expect(written.text == text)
    }

    @Test("the text ends at its NUL, or with the buffer", arguments: [0, 1, 4, 5])
    func ends(at count: Int) {
        let written = CText.written(capacity: 5) { buffer, _ in
            memset(buffer, CInt(UInt8(ascii: "x")), count) != nil
        }.text
        #expect(written == String(repeating: "x", count: count))
    }

    @Test("a buffer of no octets has one, which is NUL")
    func empty() {
        let written = CText.written(capacity: 0) { $1 }
        #expect(written.result == 1)
        #expect(written.text.isEmpty)
    }

    @Test("invalid UTF-8 is replaced")
    func repaired() {
        let written = CText.written(capacity: 4) { buffer, _ in memset(buffer, 0xFF, 2) != nil }
        #expect(written.result)
        #expect(written.text == "\u{FFFD}\u{FFFD}")
    }

    @Test("the size of a file that is not a terminal is unknown")
    func noTerminal() {
        var (columns, rows): (UInt16, UInt16) = (7, 7)
        let file = open("/dev/null", O_RDONLY)
        defer { close(file) }
        #expect(clinux_terminal_size(file, &columns, &rows) == -1)
        #expect(columns == 7 && rows == 7)
    }

    @Test("the size of a terminal")
    func terminal() throws {
        var (controlling, serial): (CInt, CInt) = (-1, -1)
        let name = CText.written(capacity: 64) {
            clinux_pseudo_terminal_open(&controlling, &serial, $0, $1)
        }
        try #require(name.result == 0)
        defer {
            close(controlling)
            close(serial)
        }
        #expect(name.text.hasPrefix("/dev/pts/"))
        var (columns, rows): (UInt16, UInt16) = (7, 7)
        #expect(clinux_terminal_size(serial, &columns, &rows) == 0)
        #expect(columns == 0 && rows == 0)
    }
}
