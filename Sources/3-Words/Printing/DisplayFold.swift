/// What people see of untrusted text: marks that belong to it are dropped, and what could mislead is visible. All
/// terminals, popups and pages show text through this fold; programs get the text as it came.
///
/// | characters | shown |
/// |---|---|
/// | embeddings, isolates and U+202D up to their ends; the marks U+061C, U+200E, U+200F (S13) | dropped |
/// | U+202E and its end; an end without a beginning, and a beginning without an end | visibly |
/// | a variation selector after a character; the tags of the flags of England, Scotland and Wales | as they are |
/// | other variation selectors and tags, controls, noncharacters and what a terminal shows nothing for | visibly |
/// | all others, also the joiners U+200C and U+200D, which scripts and emoji need | as they are |
package struct DisplayFold: Sendable {
    /// What becomes of a character.
    package enum Treatment: Sendable { case kept, dropped, visible }

    /// By the place of the scalar; `nil` if all are kept.
    private let treatments: [Treatment]?

    package init(_ text: String) {
        guard text.unicodeScalars.contains(where: Self.isSpecial) else {
            treatments = nil
            return
        }
        var pass = Pass(Array(text.unicodeScalars))
        pass.run()
        treatments = pass.treatments
    }

    /// Whether the text is shown as it is.
    package var isPlain: Bool { treatments == nil }

    /// What becomes of the scalar at this place, counted from 0.
    package subscript(place: Int) -> Treatment { treatments?[place] ?? .kept }

    /// Whether the fold may do anything to a character.
    package static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
        let value = scalar.value
        // Noncharacters: Unicode Standard, 23.7.
        return value < 0x20
            || value > 0x7E
                && (TerminalText.isHidden(scalar) || (0xFE00...0xFE0F).contains(value)
                    || value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(value))
    }

    /// A character that is visible though it would not be seen: `\u{202E}`.
    package static func visible(_ scalar: Unicode.Scalar) -> String {
        #"\u{"# + String(scalar.value, radix: 16, uppercase: true) + "}"
    }
}

extension DisplayFold {
    /// One look at each scalar, from the first to the last.
    private struct Pass {
        private let scalars: [Unicode.Scalar]
        private(set) var treatments: [Treatment]
        /// The places of embeddings, overrides and isolates that have not ended.
        private var open: [Int] = []
        /// How many of them are isolates.
        private var openIsolates = 0
        /// Whether a variation selector may follow what is shown last.
        private var canVary = false

        init(_ scalars: [Unicode.Scalar]) {
            self.scalars = scalars
            treatments = Array(repeating: .kept, count: scalars.count)
        }

        mutating func run() {
            var place = 0
            while place < scalars.count {
                let count = Self.countOfFlag(in: scalars[place...])
                if count == 0 { treat(place) }
                canVary = canVary || count > 0
                place += max(count, 1)
            }
        }

        private mutating func treat(_ place: Int) {
            let scalar = scalars[place]
            switch scalar.value {
            case 0x061C, 0x200E, 0x200F: return treatments[place] = .dropped
            case 0x202A, 0x202B, 0x202D, 0x202E, 0x2066...0x2068:
                treatments[place] = .visible
                if isIsolate(place) { openIsolates += 1 }
                return open.append(place)
            case 0x202C: return close(place, isIsolate: false)
            case 0x2069: return close(place, isIsolate: true)
            case 0x200C, 0x200D: return canVary = false
            default: break
            }
            guard scalar.value > 0x7E || scalar.value <= 0x20 else { return canVary = true }
            if scalar.properties.isVariationSelector {
                if !canVary { treatments[place] = .visible }
                canVary = false
            } else {
                if DisplayFold.isSpecial(scalar) { treatments[place] = .visible }
                canVary = treatments[place] == .kept && !scalar.properties.isWhitespace
            }
        }

        /// Drops an end and its beginning. The end of an isolate also ends what began in it, and no end within an
        /// isolate ends what began before that (Unicode Standard Annex #9, BD9 and X6a).
        private mutating func close(_ end: Int, isIsolate: Bool) {
            treatments[end] = .visible
            if isIsolate, openIsolates > 0 {
                while let last = open.last, !self.isIsolate(last) { open.removeLast() }
            }
            guard let start = open.last, self.isIsolate(start) == isIsolate else { return }
            open.removeLast()
            if isIsolate { openIsolates -= 1 }
            // An override from right to left shows a text backwards, closed or not.
            guard scalars[start] != "\u{202E}" else { return }
            treatments[start] = .dropped
            treatments[end] = .dropped
        }

        private func isIsolate(_ place: Int) -> Bool {
            (0x2066...0x2068).contains(scalars[place].value)
        }

        /// The tags that follow U+1F3F4 in the flags that phones have (Unicode Technical Standard #51, ED-14a).
        private static let flags = ["gbeng", "gbsct", "gbwls"].map { region in
            region.unicodeScalars.map { $0.value + 0xE_0000 } + [0xE_007F]
        }

        /// The scalars of the flag with which these begin; 0 for none.
        private static func countOfFlag(in scalars: ArraySlice<Unicode.Scalar>) -> Int {
            guard scalars.first == "\u{1F3F4}" else { return 0 }
            let tags = scalars.dropFirst().prefix(6).map(\.value)
            return flags.contains(tags) ? 7 : 0
        }
    }
}
