internal import Terminal

/// The texts of the notifications of a run, which a report without content leaves out of what a program printed.
struct HiddenTexts: Sendable {
    /// What stands in their place.
    static let mark = "▒▒▒"
    /// How many texts are remembered, and how many octets of each are compared.
    private static let (limit, maximumOctets) = (4000, 400)
    /// An accessory may have asked for fewer octets of a text than it has: as many have to agree.
    private static let shortest = 6

    private var known: Set<[UInt8]> = []
    /// The texts by their first octet.
    private var texts: [UInt8: [[UInt8]]] = [:]
    /// Whether there were more texts than are remembered: what a program printed cannot be shown then.
    private(set) var isFull = false

    /// Remembers texts, in the parts that a program prints alike whether it escapes characters or not.
    mutating func add(_ more: [String]) {
        let parts = more.flatMap { text in
            let scalars = text.unicodeScalars
            // Many programs escape or replace whatever is not ASCII.
            return scalars.split(whereSeparator: Self.mayBeEscaped)
                + scalars.split { Self.mayBeEscaped($0) || !$0.isASCII }.filter { $0.count >= 4 }
        }
        for part in parts {
            let octets = Array(String(part).utf8.prefix(Self.maximumOctets))
            guard let first = octets.first, !known.contains(octets) else { continue }
            guard known.count < Self.limit else {
                isFull = true
                return
            }
            known.insert(octets)
            texts[first, default: []].append(octets)
        }
    }

    private static func mayBeEscaped(_ scalar: Unicode.Scalar) -> Bool {
        DisplayFold.isSpecial(scalar) || scalar == "\"" || scalar == "\\" || scalar == "/"
    }

    /// Lines without them.
    func hiding(_ lines: [String]) -> [String] {
        isFull
            ? [
                "(left out: the run has more texts of notifications than can be hidden; --content shows it)"
            ]
            : lines.map(hiding)
    }

    /// A line without them. A text of fewer than four octets counts only if it is the whole of a word.
    func hiding(_ line: String) -> String {
        guard !texts.isEmpty else { return line }
        let line = Array(line.utf8)
        var shown: [UInt8] = []
        var index = 0
        while index < line.count {
            let length = (texts[line[index]] ?? []).reduce(0) {
                max($0, Self.match($1, in: line, at: index))
            }
            if length > 0 {
                shown += Array(Self.mark.utf8)
                index += length
            } else {
                shown.append(line[index])
                index += 1
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// How many octets at a place of a line are the text, or its beginning.
    private static func match(_ text: [UInt8], in line: [UInt8], at index: Int) -> Int {
        var count = 0
        while count < text.count, index + count < line.count, line[index + count] == text[count] {
            count += 1
        }
        guard count >= min(text.count, shortest) else { return 0 }
        guard text.count < 4 else { return count }
        let isWord =
            (index == 0 || !isLetter(line[index - 1]))
            && (index + count == line.count || !isLetter(line[index + count]))
        return isWord ? count : 0
    }

    private static func isLetter(_ octet: UInt8) -> Bool {
        octet.isASCIILetterOrDigit || octet >= 0x80
    }
}
