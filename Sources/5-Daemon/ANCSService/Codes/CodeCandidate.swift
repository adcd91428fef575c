/// A run of digits, or of digits and letters, that may be a code.
struct CodeCandidate: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        /// Digits, in one run or in two runs of the same length.
        case digits
        /// Digits and letters, or only upper-case letters.
        case letters(hasDigit: Bool)
        /// A number whose form rules out a code, whatever words surround it.
        case number
    }

    var kind: Kind
    /// Its range in the text.
    var range: Range<Int>
    /// The code to enter; `nil` if it is not a code.
    var text: String?

    var isRefused: Bool { text == nil }
    /// Whether it is more than a word.
    var hasDigit: Bool { kind != .letters(hasDigit: false) }
    /// Whether it may be a year: 1900 to 2099.
    var mayBeYear: Bool {
        guard kind == .digits, let text, text.utf8.count == 4 else { return false }
        return text.hasPrefix("19") || text.hasPrefix("20")
    }
}

/// Finds the candidates in a text, in one pass.
struct CodeCandidateScanner {
    private let scalars: [Unicode.Scalar]
    private let folded: [Unicode.Scalar]
    private(set) var candidates: [CodeCandidate] = []

    init(_ scalars: [Unicode.Scalar], _ folded: [Unicode.Scalar]) {
        self.scalars = scalars
        self.folded = folded
        scan()
    }

    /// A run without spaces of letters, digits and the characters that may connect them.
    private struct Cluster {
        var range: Range<Int>
        /// The groups of digits separated by hyphens, if there are only digits.
        var groups: [Range<Int>]
        var isPlain: Bool
    }

    private mutating func scan() {
        var clusters: [Cluster] = []
        var index = 0
        while index < folded.count {
            guard folded[index].isASCIILetterOrDigit else {
                index += 1
                continue
            }
            let cluster = cluster(from: index)
            index = cluster.range.upperBound
            if let last = clusters.last, !isJoined(last, cluster) { close(&clusters) }
            clusters.append(cluster)
        }
        close(&clusters)
    }

    /// The cluster that starts at an index.
    private func cluster(from start: Int) -> Cluster {
        var end = start
        var groups: [Range<Int>] = []
        var groupStart = start
        var isPlain = true
        while end < folded.count {
            let scalar = folded[end]
            if scalar.isASCIILetterOrDigit {
                end += 1
                continue
            }
            let isInside = end + 1 < folded.count && folded[end + 1].isASCIILetterOrDigit
            guard isInside, Self.connectors.contains(scalar), end > start else { break }
            // A period ends a sentence and a colon a clause, unless there are digits on both sides.
            let isNumber = folded[end - 1].isASCIIDigit && folded[end + 1].isASCIIDigit
            if scalar == "-" {
                groups.append(groupStart..<end)
                groupStart = end + 1
            } else if isNumber || Self.links.contains(scalar) {
                isPlain = false
            } else {
                break
            }
            end += 1
        }
        groups.append(groupStart..<end)
        return Cluster(range: start..<end, groups: groups, isPlain: isPlain)
    }

    /// Characters that connect digits in a number, a date or a time.
    private static let connectors: Set<Unicode.Scalar> = [
        "-", ".", ",", ":", "/", "_", "@", "=", "&", "%", "~",
    ]
    /// Characters that also connect letters in a link or an address.
    private static let links: Set<Unicode.Scalar> = ["/", "_", "@", "=", "&", "%", "~"]

    /// Whether two groups of digits with a space between them belong together.
    private func isJoined(_ left: Cluster, _ right: Cluster) -> Bool {
        guard left.isPlain, right.isPlain, isDigits(left.range), isDigits(right.range),
            right.range.lowerBound == left.range.upperBound + 1
        else { return false }
        return folded[left.range.upperBound] == " "
    }

    private func isDigits(_ range: Range<Int>) -> Bool {
        folded[range].allSatisfy { $0.isASCIIDigit || $0 == "-" }
    }

    // MARK: What it is

    /// Turns adjacent clusters into one candidate, or into a number that is not a code.
    private mutating func close(_ clusters: inout [Cluster]) {
        defer { clusters = [] }
        guard let first = clusters.first, let last = clusters.last else { return }
        let range = first.range.lowerBound..<last.range.upperBound
        let hasDigit = folded[range].contains(where: \.isASCIIDigit)
        let isPlain = clusters.allSatisfy(\.isPlain)
        guard isPlain, !isPartOfNumber(range) else {
            if hasDigit { candidates.append(CodeCandidate(kind: .number, range: range)) }
            return
        }
        let groups = clusters.flatMap(\.groups)
        if groups.allSatisfy(isDigits) {
            candidates.append(digits(groups, range))
        } else if clusters.count == 1 {
            append(lettersIn: groups, range, hasDigit: hasDigit)
        }
    }

    /// Whether an adjacent character marks another kind of number: money, a phone number, a percentage, a
    /// masked card number.
    private func isPartOfNumber(_ range: Range<Int>) -> Bool {
        var before = range.lowerBound - 1
        if before >= 0, folded[before] == " " { before -= 1 }
        if before >= 0 {
            let scalar = folded[before]
            let isBeside = before == range.lowerBound - 1
            if scalar.isCurrency || isBeside && Self.signsBefore.contains(scalar) { return true }
        }
        var after = range.upperBound
        if after < folded.count, folded[after] == " " { after += 1 }
        guard after < folded.count else { return false }
        return folded[after].isCurrency || folded[after] == "%" || folded[after] == "°"
    }

    private static let signsBefore: Set<Unicode.Scalar> = [
        "+", "#", "*", "•", "…", "×", "№", "/", "@", "&", "=",
    ]

    private func digits(_ groups: [Range<Int>], _ range: Range<Int>) -> CodeCandidate {
        let isCode: Bool
        switch groups.map(\.count) {
        case [4], [5], [6], [7], [8], [3, 3], [4, 4]: isCode = true
        default: isCode = false
        }
        guard isCode else { return CodeCandidate(kind: .number, range: range) }
        return CodeCandidate(kind: .digits, range: range, text: text(groups.flatMap { folded[$0] }))
    }

    /// `G-123456`, `A7K9QX`, `AB3-9KF`, `RFKQT`.
    private mutating func append(
        lettersIn groups: [Range<Int>], _ range: Range<Int>, hasDigit: Bool
    ) {
        // Up to three capital letters before a hyphen are the prefix of a service.
        if groups.count == 2, (1...3).contains(groups[0].count), isDigits(groups[1]),
            scalars[groups[0]].allSatisfy(\.isLargeASCIILetter), (4...8).contains(groups[1].count)
        {
            candidates.append(
                CodeCandidate(kind: .digits, range: range, text: text(Array(folded[groups[1]]))))
            return
        }
        let written = Array(scalars[range])
        let isShort = (4...10).contains(groups.reduce(0) { $0 + $1.count })
        let isOneCase =
            !written.contains(where: \.isSmallASCIILetter)
            || hasDigit && !written.contains(where: \.isLargeASCIILetter)
        let isSplit = groups.count == 1 || groups.count == 2 && groups[0].count == groups[1].count
        let isASCII = written.allSatisfy(\.isASCII)
        if isShort, isOneCase, isSplit, isASCII, hasDigit || groups.count == 1 && written.count >= 5
        {
            candidates.append(
                CodeCandidate(
                    kind: .letters(hasDigit: hasDigit), range: range, text: text(written)))
        } else if hasDigit {
            candidates.append(CodeCandidate(kind: .number, range: range))
        }
    }

    private func text(_ scalars: [Unicode.Scalar]) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
