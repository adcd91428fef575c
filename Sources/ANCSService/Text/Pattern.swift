internal import CPCRE2

/// A regular expression of the user's, for texts of strangers: it ends soon whatever the text is.
///
/// PCRE2 without its just-in-time compiler, with limits of work, of depth and of memory; where one of them is
/// hit the text does not match. `(a+)+$` against 4,096 characters ends within milliseconds.
package struct Pattern: Equatable, Sendable {
    /// Why a text is no pattern.
    package struct Fault: Error, Equatable, Sendable {
        /// What PCRE2 says of it.
        package var message: String
        /// How many characters (Unicode scalars) of the pattern stand before the fault.
        package var offset: Int
    }

    /// What came of a comparison.
    package enum Outcome: Equatable, Sendable {
        case matched
        case unmatched
        /// A limit was hit before it was clear; counts as unmatched.
        case exhausted
    }

    /// A longer pattern is refused, in octets.
    package static let maximumCount = 4096
    /// Octets of a text after this many are ignored.
    package static let maximumSubjectCount = 65_536

    /// What the user wrote.
    package let source: String
    private let code: Code

    /// Compiles a pattern in the syntax of Perl (pcre2pattern(3)); letters are those of Unicode.
    package init(_ source: String) throws(Fault) {
        guard source.utf8.count <= Self.maximumCount else {
            throw Fault(
                message: "the pattern is longer than \(Self.maximumCount) octets",
                offset: source.unicodeScalars.count)
        }
        self.source = source
        code = try Code(compiling: source)
    }

    /// Looks for the pattern in a text.
    package func match(_ text: String) -> Outcome { code.match(text) }

    package static func == (left: Self, right: Self) -> Bool { left.source == right.source }

    package func hash(into hasher: inout Hasher) { hasher.combine(source) }
}

/// What PCRE2 made of a pattern, which nothing changes: each comparison has working memory of its own.
private final class Code: @unchecked Sendable {
    // Unchecked: the compiler does not know that PCRE2 only reads what the pointers lead to (pcre2api(3),
    // "Multithreading").

    /// How often a match may take another way, and how deep it may go.
    private static let matchLimit: UInt32 = 100_000
    /// How much memory the ways that are left open may take, in KiB.
    private static let heapLimit: UInt32 = 1024

    private let code: OpaquePointer
    private let limits: OpaquePointer

    init(compiling source: String) throws(Pattern.Fault) {
        var number: CInt = 0
        var offset = 0
        // \C would take an octet out of a character.
        let options = PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C
        var pattern = source
        let code = pattern.withUTF8 { octets in
            pcre2_compile_8(octets.baseAddress, octets.count, options, &number, &offset, nil)
        }
        guard let code else {
            let before = source.utf8.prefix(offset)
            throw Pattern.Fault(
                message: Self.message(number),
                offset: String(Substring(before)).unicodeScalars.count)
        }
        guard let limits = pcre2_match_context_create_8(nil) else {
            pcre2_code_free_8(code)
            throw Pattern.Fault(message: "not enough memory", offset: 0)
        }
        pcre2_set_match_limit_8(limits, Self.matchLimit)
        pcre2_set_depth_limit_8(limits, Self.matchLimit)
        pcre2_set_heap_limit_8(limits, Self.heapLimit)
        self.code = code
        self.limits = limits
    }

    deinit {
        pcre2_match_context_free_8(limits)
        pcre2_code_free_8(code)
    }

    private static func message(_ number: CInt) -> String {
        var text = [UInt8](repeating: 0, count: 256)
        let count = pcre2_get_error_message_8(number, &text, text.count)
        return String(decoding: text.prefix(max(0, Int(count))), as: UTF8.self)
    }

    func match(_ text: String) -> Pattern.Outcome {
        guard let data = pcre2_match_data_create_8(1, nil) else { return .exhausted }
        defer { pcre2_match_data_free_8(data) }
        var text = text
        let result = text.withUTF8 { octets in
            // A String is valid UTF-8, and so is its beginning up to the beginning of a character.
            var count = min(octets.count, Pattern.maximumSubjectCount)
            while count < octets.count, count > 0, octets[count] & 0xC0 == 0x80 { count -= 1 }
            return pcre2_match_8(
                code, octets.baseAddress, count, 0, UInt32(PCRE2_NO_UTF_CHECK), data, limits)
        }
        return switch result {
        case 0...: .matched
        case PCRE2_ERROR_NOMATCH: .unmatched
        default: .exhausted
        }
    }
}
