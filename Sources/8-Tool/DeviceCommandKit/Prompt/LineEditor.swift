/// Edits one line at a terminal: takes the octets of keys and returns the line to show. It performs no I/O.
///
/// The keys are those of a shell: arrows, Home and End, Backspace and Delete, Control-A, -B, -D, -E, -F,
/// -H, -K, -L, -N, -P, -U, -W, and Tab.
package struct LineEditor {
    /// What to do after a key.
    package enum Effect: Equatable {
        /// Redraw the line.
        case redraw
        /// The line is finished.
        case submit(String)
        /// Complete the word before the cursor.
        case complete
        /// Clear the screen.
        case clear
        /// The input has ended.
        case end
    }

    /// The state of reading an escape sequence.
    private enum Escape: Equatable {
        case none
        case begun
        /// `ESC [` or `ESC O`, and the digits after it.
        case control(String)
    }

    /// The largest number of characters in a line.
    private static let limit = 1000
    /// How many lines the history keeps.
    private static let historyLimit = 200

    package private(set) var text: [Character] = []
    /// The index of the character before which new ones are inserted.
    package private(set) var cursor = 0
    private var escape = Escape.none
    /// The octets of an incomplete character.
    private var partial: [UInt8] = []
    private var history: [String] = []
    /// The index of the shown line in the history; the history's count while the new line is shown.
    private var position = 0
    /// The new line, while an older one is shown.
    private var draft: [Character] = []

    /// An empty line without a history.
    package init() {}

    // MARK: Keys

    /// Handles an octet of input.
    package mutating func receive(_ octet: UInt8) -> Effect? {
        switch escape {
        case .begun:
            escape = octet == 0x5B || octet == 0x4F ? .control("") : .none
            return nil
        case .control(let digits): return control(octet, digits)
        case .none: break
        }
        guard octet >= 0x20, octet != 0x7F else {
            partial = []
            return key(octet)
        }
        return character(octet)
    }

    private mutating func key(_ octet: UInt8) -> Effect? {
        switch octet {
        case 0x01: cursor = 0
        case 0x02: cursor = max(0, cursor - 1)
        case 0x04:
            guard !text.isEmpty else { return .end }
            removeAtCursor()
        case 0x05: cursor = text.count
        case 0x06: cursor = min(text.count, cursor + 1)
        case 0x08, 0x7F:
            guard cursor > 0 else { return nil }
            cursor -= 1
            text.remove(at: cursor)
        case 0x09: return .complete
        case 0x0A, 0x0D: return submit()
        case 0x0B: text.removeSubrange(cursor...)
        case 0x0C: return .clear
        case 0x0E: showHistory(position + 1)
        case 0x10: showHistory(position - 1)
        case 0x15:
            text.removeSubrange(..<cursor)
            cursor = 0
        case 0x17: removeWord()
        case 0x1B:
            escape = .begun
            return nil
        default: return nil
        }
        return .redraw
    }

    /// Handles an octet of an escape sequence.
    private mutating func control(_ octet: UInt8, _ digits: String) -> Effect? {
        if (0x30...0x3B).contains(octet), digits.utf8.count < 8 {
            escape = .control(digits + String(UnicodeScalar(octet)))
            return nil
        }
        escape = .none
        switch (octet, digits) {
        case (0x41, _): showHistory(position - 1)
        case (0x42, _): showHistory(position + 1)
        case (0x43, _): cursor = min(text.count, cursor + 1)
        case (0x44, _): cursor = max(0, cursor - 1)
        case (0x46, _), (0x7E, "4"), (0x7E, "8"): cursor = text.count
        case (0x48, _), (0x7E, "1"), (0x7E, "7"): cursor = 0
        case (0x7E, "3"): removeAtCursor()
        default: return nil
        }
        return .redraw
    }

    /// Handles an octet of UTF-8.
    private mutating func character(_ octet: UInt8) -> Effect? {
        if octet & 0xC0 != 0x80 { partial = [] }
        partial.append(octet)
        guard let decoded = String(validating: partial, as: UTF8.self) else {
            if partial.count > 3 { partial = [] }
            return nil
        }
        partial = []
        insert(decoded)
        return .redraw
    }

    private mutating func insert(_ string: String) {
        guard text.count + string.count <= Self.limit else { return }
        // A combining mark joins the character before it.
        let before = String(text[..<cursor]) + string
        let characters = Array(before)
        text.replaceSubrange(..<cursor, with: characters)
        cursor = characters.count
    }

    private mutating func removeAtCursor() { if cursor < text.count { text.remove(at: cursor) } }

    private mutating func removeWord() {
        let end = cursor
        while cursor > 0, text[cursor - 1] == " " { cursor -= 1 }
        while cursor > 0, text[cursor - 1] != " " { cursor -= 1 }
        text.removeSubrange(cursor..<end)
    }

    // MARK: History

    private mutating func submit() -> Effect {
        let line = String(exchange(&text, with: []))
        cursor = 0
        draft = []
        if !line.isEmpty, history.last != line { history.append(line) }
        history.removeFirst(max(0, history.count - Self.historyLimit))
        position = history.count
        return .submit(line)
    }

    /// Discards the line. Returns whether there was one.
    mutating func abandon() -> Bool {
        guard !text.isEmpty else { return false }
        text = []
        cursor = 0
        draft = []
        position = history.count
        partial = []
        escape = .none
        return true
    }

    private mutating func showHistory(_ wanted: Int) {
        guard (0...history.count).contains(wanted), wanted != position else { return }
        if position == history.count { draft = text }
        position = wanted
        text = wanted == history.count ? draft : Array(history[wanted])
        cursor = text.count
    }

    // MARK: Completion

    /// The text before the word at the cursor, and the beginning of that word.
    var completionContext: (before: String, word: String) {
        let before = text[..<cursor]
        let start = before.lastIndex(of: " ").map { $0 + 1 } ?? 0
        return (String(before[..<start]), String(before[start...]))
    }

    /// Completes the word before the cursor as far as all matching candidates agree. Returns the candidates,
    /// if there are several to choose from.
    package mutating func complete(with candidates: [String]) -> [String] {
        let word = completionContext.word
        let fitting = candidates.filter { $0.lowercased().hasPrefix(word.lowercased()) }
        guard let first = fitting.first else { return [] }
        if fitting.count == 1 {
            replaceWord(word, with: first + (first.hasSuffix("=") ? "" : " "))
            return []
        }
        let shared = fitting.dropFirst().reduce(first) { shared, candidate in
            String(zip(shared, candidate).prefix { $0 == $1 }.map(\.0))
        }
        if shared.count > word.count { replaceWord(word, with: shared) }
        return shared.count > word.count ? [] : fitting
    }

    private mutating func replaceWord(_ word: String, with replacement: String) {
        text.removeSubrange((cursor - word.count)..<cursor)
        cursor -= word.count
        insert(replacement)
    }

    // MARK: Display

    /// The output that replaces the terminal's current line with the prompt and the line, cut to the width,
    /// and places the cursor.
    package func display(prompt: String, columns: Int) -> String {
        let room = max(8, columns - prompt.count - 1)
        let cells = text.map(TerminalColumns.cell)
        var start = cursor
        var width = 0
        while start > 0, width + cells[start - 1].width <= room {
            start -= 1
            width += cells[start].width
        }
        var end = cursor
        var back = 0
        while end < cells.count, width + back + cells[end].width <= room {
            back += cells[end].width
            end += 1
        }
        let shown = cells[start..<end].map(\.text).joined()
        return Self.eraser + prompt + shown + (back > 0 ? "\u{1B}[\(back)D" : "")
    }

    /// The whole line as displayed.
    package var shown: String { Self.shown(String(text)) }

    /// A whole line as displayed.
    package static func shown(_ line: String) -> String {
        line.map { TerminalColumns.cell($0).text }.joined()
    }

    /// The output that erases the line from the terminal.
    static let eraser = "\r\u{1B}[K"
}
