internal import CPCRE2

/// A regular expression from the user, for untrusted texts: matching takes bounded time whatever the text is.
///
/// Uses PCRE2 without its just-in-time compiler, and with limits for work, depth and memory. A text that
/// reaches a limit does not match. `(a+)+$` against 4,096 characters ends within milliseconds.
package struct Pattern: Equatable, Sendable {
    /// Why a text is not a valid pattern.
    package struct Fault: Error, Equatable, Sendable {
        /// The message of PCRE2.
        package var message: String
        /// How many characters (Unicode scalars) of the pattern precede the fault.
        package var offset: Int
    }

    /// The result of matching a text.
    package enum Outcome: Equatable, Sendable {
        case matched
        case unmatched
        /// A limit was reached first; counts as no match.
        case exhausted
    }

    /// The maximum length of a pattern in octets.
    package static let maximumCount = 4096
    /// How many octets of a text are searched.
    package static let maximumSubjectCount = 65_536

    /// The pattern as written.
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

    /// Searches a text for the pattern.
    package func match(_ text: String) -> Outcome { code.match(text) }

    package static func == (left: Self, right: Self) -> Bool { left.source == right.source }

    package func hash(into hasher: inout Hasher) { hasher.combine(source) }
}

/// A compiled pattern. It never changes: each match has its own working memory.
private final class Code: @unchecked Sendable {
    // Unchecked: the compiler does not know that PCRE2 only reads what the pointers lead to (pcre2api(3),
    // "Multithreading").

    /// How often a match may backtrack, and how deep.
    private static let matchLimit: UInt32 = 100_000
    /// The limit of the memory for backtracking, in KiB.
    private static let heapLimit: UInt32 = 1024

    private let code: OpaquePointer
    private let limits: OpaquePointer

    init(compiling source: String) throws(Pattern.Fault) {
        var number: CInt = 0
        var offset = 0
        // \C would match a single octet of a character.
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
            // A String is valid UTF-8, and so is a prefix that ends between two characters.
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
