internal import Glibc

/// What a terminal can show, as its environment says.
struct TerminalAbility: Equatable, Sendable {
    /// Whether escape sequences change colors and move the cursor: not if `TERM` is `dumb` or is not set
    /// (terminfo(5)).
    package var hasEscapes: Bool
    /// Whether it shows UTF-8: not if the locale of characters names another encoding, or is that of C.
    var hasUTF8: Bool

    /// The ability of a terminal with these variables.
    package init(variable: (String) -> String?) {
        let kind = variable("TERM") ?? ""
        hasEscapes = !kind.isEmpty && kind != "dumb"
        // The first one that is set and not empty counts: locale(7).
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty }
        hasUTF8 = locale.map(Self.hasUTF8(locale:)) ?? true
    }

    /// The ability that the environment of this process says.
    static var ofEnvironment: TerminalAbility {
        TerminalAbility { getenv($0).map { String(cString: $0) } }
    }

    /// A locale is `language_TERRITORY.encoding@modifier`. Without any variable, which also means C, terminals of
    /// today show UTF-8: containers and connections by ssh often have none.
    private static func hasUTF8(locale: String) -> Bool {
        if locale == "C" || locale == "POSIX" { return false }
        guard let dot = locale.firstIndex(of: ".") else { return true }
        let encoding = locale[locale.index(after: dot)...].prefix { $0 != "@" }
        return ["utf-8", "utf8"].contains(encoding.lowercased())
    }
}
