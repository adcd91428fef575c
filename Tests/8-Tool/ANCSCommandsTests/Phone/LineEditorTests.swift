import Testing

@testable import DeviceCommandKit

/// A line that is typed key by key.
@Suite struct LineEditorTests {
    /// Types octets; returns the lines that were finished.
    @discardableResult
    static func type(_ keys: String, into editor: inout LineEditor) -> [String] {
        keys.utf8.compactMap { octet in
            if case .submit(let line) = editor.receive(octet) { line } else { nil }
        }
    }

    static let edits: [(keys: String, line: String)] = [
        ("abc", "abc"), ("abc\u{7F}d", "abd"), ("ab\u{1B}[Dc", "acb"),
        ("ab\u{1B}[D\u{1B}[Cc", "abc"),
        ("bc\u{01}a\u{05}d", "abcd"), ("bc\u{1B}[Ha\u{1B}[Fd", "abcd"), ("abc\u{02}\u{0B}", "ab"),
        ("abc\u{02}\u{15}", "c"), ("one two  \u{17}three", "one three"),
        ("abc\u{1B}[D\u{1B}[3~", "ab"), ("abc\u{01}\u{04}", "bc"),
        ("h\u{E4}\u{1F600}\u{7F}", "h\u{E4}"),
        ("e\u{301}\u{7F}", ""), ("a\u{1B}[1;5Cb", "ab"), ("a\u{1B}Ob", "a"), ("\u{00}\u{0F}a", "a"),
    ]

    @Test("keys edit the line as in a shell", arguments: edits)
    func editing(keys: String, line: String) {
        var editor = LineEditor()
        #expect(Self.type(keys + "\n", into: &editor) == [line])
    }

    @Test("the history goes back and forth, and keeps the line that is new")
    func history() {
        var editor = LineEditor()
        Self.type("one\ntwo\ntwo\nnew", into: &editor)
        Self.type("\u{1B}[A", into: &editor)
        #expect(String(editor.text) == "two")
        Self.type("\u{1B}[A\u{1B}[A\u{1B}[A", into: &editor)
        #expect(String(editor.text) == "one")
        Self.type("\u{1B}[B\u{1B}[B", into: &editor)
        #expect(String(editor.text) == "new")
    }

    @Test("a word is completed as far as the candidates agree")
    func completion() {
        var editor = LineEditor()
        Self.type("c", into: &editor)
        #expect(editor.complete(with: ["call", "consent", "help"]) == ["call", "consent"])
        Self.type("o", into: &editor)
        #expect(editor.complete(with: ["call", "consent", "help"]) == [])
        #expect(String(editor.text) == "consent ")
        Self.type("x", into: &editor)
        #expect(editor.complete(with: ["on", "off"]) == [])
        #expect(String(editor.text) == "consent x")
        Self.type("\u{15}modify 1 pos", into: &editor)
        #expect(editor.completionContext.before == "modify 1 ")
        _ = editor.complete(with: ["positive=", "negative="])
        #expect(String(editor.text) == "modify 1 positive=")
    }

    @Test("a long line is shown where the cursor is")
    func display() {
        var editor = LineEditor()
        Self.type("0123456789abcdefghij", into: &editor)
        #expect(editor.display(prompt: "> ", columns: 13) == "\r\u{1B}[K> abcdefghij")
        Self.type("\u{01}", into: &editor)
        #expect(editor.display(prompt: "> ", columns: 13) == "\r\u{1B}[K> 0123456789\u{1B}[10D")
        #expect(editor.display(prompt: "> ", columns: 0).hasPrefix("\r\u{1B}[K> 01234567"))
    }

    @Test("wide characters take two columns, marks none, and control characters are escaped")
    func columns() {
        var editor = LineEditor()
        Self.type("ab\u{6F22}\u{5B57}\u{1F35C}e\u{301}", into: &editor)
        #expect(
            editor.display(prompt: "> ", columns: 11)
                == "\r\u{1B}[K> b\u{6F22}\u{5B57}\u{1F35C}e\u{301}")
        Self.type("\u{1B}[D\u{1B}[D", into: &editor)
        #expect(editor.display(prompt: "> ", columns: 80).hasSuffix("\u{1B}[3D"))
        Self.type("\u{01}\u{0B}a\u{202E}\u{9B}2J\\", into: &editor)
        #expect(
            editor.display(prompt: "> ", columns: 80) == "\r\u{1B}[K> a\\u{202E}\\u{9B}2J\\")
    }

    @Test("a cancelled line is discarded, and the history starts at its end again")
    func abandoning() {
        var editor = LineEditor()
        let wasNothing = !editor.abandon()
        #expect(wasNothing)
        Self.type("one\ntwo\nnew\u{1B}[A\u{1B}[A", into: &editor)
        #expect(editor.shown == "one")
        let wasLine = editor.abandon()
        #expect(wasLine && editor.text.isEmpty && editor.cursor == 0)
        Self.type("\u{1B}[A", into: &editor)
        #expect(editor.shown == "two")
    }

    @Test("the end of input is only at the beginning of a line")
    func end() {
        var editor = LineEditor()
        #expect(editor.receive(0x04) == .end)
        _ = editor.receive(UInt8(ascii: "a"))
        #expect(editor.receive(0x04) == .redraw)
    }

    @Test("any octets at all are endured, and no line grows without end")
    func anything() {
        var editor = LineEditor()
        var state = UInt32(1)
        for _ in 0..<50_000 {
            state = state &* 1_664_525 &+ 1_013_904_223
            _ = editor.receive(UInt8(truncatingIfNeeded: state >> 24))
            #expect(editor.cursor <= editor.text.count && editor.text.count <= 1000)
        }
    }
}
