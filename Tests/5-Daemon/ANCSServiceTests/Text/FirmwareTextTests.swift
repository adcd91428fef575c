import Printing
import Testing

/// `VisibleText.swift` beside this file is that of `Examples/Firmware`, which is compiled without the tool's modules.
@Suite("Texts on the display of the firmware")
struct FirmwareTextTests {
    private static let all = PersonText.marked + PersonText.misleading

    private static func shown(_ text: String, limit: Int = 1000) -> String {
        var line: [UInt8] = []
        VisibleText.append(Array(text.utf8), limit: limit, to: &line)
        return String(decoding: line, as: UTF8.self)
    }

    /// What the fold of the tool makes of a text, with a sign in the place of an escape.
    private static func expected(_ text: String) -> String {
        let fold = DisplayFold(text)
        var shown = String.UnicodeScalarView()
        for (place, scalar) in text.unicodeScalars.enumerated() {
            switch (fold[place], scalar.value) {
            case (.kept, _): shown.append(scalar)
            case (.dropped, _): break
            case (.visible, 0x7F): shown.append("\u{2421}")
            case (.visible, 0..<0x20):
                shown.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
            case (.visible, _): shown.append("\u{FFFD}")
            }
        }
        return String(shown)
    }

    @Test("marks are dropped, and what could mislead is visible, as in a terminal", arguments: all)
    func people(_ row: PersonText) {
        #expect(Self.shown(row.text) == Self.expected(row.text))
    }

    @Test("the scripts of the world are shown as they are", arguments: PersonText.scripts)
    func scripts(_ text: String) { #expect(Self.shown(text) == text) }

    @Test("whatever is put together is shown as in a terminal")
    func random() {
        var generator = SystemRandomNumberGenerator()
        let parts =
            Self.all.map(\.text) + ["\u{202C}", "\u{2069}", "\u{2067}", "\u{FE0F}", " ", "a"]
        for _ in 0..<5000 {
            let text = (0..<4).map { _ in parts.randomElement(using: &generator) ?? "" }.joined()
            #expect(Self.shown(text) == Self.expected(text), "\(text.debugDescription)")
        }
    }

    @Test("each scalar alone, and after a letter, is shown as in a terminal")
    func scalars() {
        var differences: [String] = []
        for scalar in (0...0x10_FFFF as ClosedRange<UInt32>).lazy.compactMap(Unicode.Scalar.init) {
            let text = "a\(scalar)\u{FE0F}"
            guard Self.shown(text) != Self.expected(text) else { continue }
            differences.append(text.debugDescription)
        }
        #expect(differences.isEmpty)
    }

    @Test("what is too long ends with an ellipsis, and marks take no room")
    func limit() {
        #expect(Self.shown("\u{202D}Adalbert\u{202C}", limit: 8) == "Adalbert")
        #expect(Self.shown("\u{200E}Adalbert I", limit: 8) == "Adalber…")
    }
}
