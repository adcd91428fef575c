import Testing

/// Texts as public reports have them, with what is right for people, rules and codes.
struct PersonText: Sendable, CustomTestStringConvertible {
    var why: String
    var text: String
    /// What people see.
    var shown: String
    /// A pattern that a person would write.
    var pattern: String?

    var testDescription: String { why }

    init(_ why: String, _ text: String, shown: String, pattern: String? = nil) {
        self.why = why
        self.text = text
        self.shown = shown
        self.pattern = pattern
    }

    /// One that is shown as it is.
    init(_ why: String, _ text: String, pattern: String? = nil) {
        self.init(why, text, shown: text, pattern: pattern)
    }

    static let england = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}"
    static let scotland = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}"
    static let wales = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}"
    static let caller = "\u{202D}+1\u{A0}(555)\u{A0}010-0100\u{202C}"

    /// Marks that belong to a text.
    static let marked: [PersonText] = [
        .init(
            "an unknown caller, as iOS writes it", caller, shown: "+1\u{A0}(555)\u{A0}010-0100",
            pattern: #"^\+1 \(555\) 010-0100$"#),
        .init(
            "an app whose name begins with a mark", "\u{200E}Chatterbox", shown: "Chatterbox",
            pattern: "^Chatterbox$"),
        .init("a sender in isolates", "\u{2068}Ann\u{2069}", shown: "Ann", pattern: "^Ann$"),
        .init(
            "Hebrew with a time between marks", "נתראה \u{200E}10:30\u{200E} מחר",
            shown: "נתראה 10:30 מחר", pattern: "10:30"),
        .init("an Arabic letter mark", "\u{61C}123", shown: "123", pattern: "^123$"),
        .init("the flag of England", england, pattern: "^\u{1F3F4}$"),
        .init("the flags of Scotland and Wales", scotland + " " + wales),
        .init("a name with a variation selector", "辻\u{E0100}さん", pattern: "^辻さん$"),
        .init("an emoji and a digit with selectors", "❤\u{FE0F} 1\u{FE0F}\u{20E3}"),
        .init("a selector after a mark", "☎\u{200E}\u{FE0E}", shown: "☎\u{FE0E}", pattern: "^☎$"),
        .init("a family with joiners", "👩\u{200D}👩\u{200D}👧"),
        .init("a heart on fire", "❤\u{FE0F}\u{200D}🔥"),
        .init("Persian with a joiner", "می\u{200C}خواهم", pattern: "می\u{200C}خواهم"),
        .init(
            "embeddings and isolates in each other", "\u{202B}a \u{2067}b\u{2069} c\u{202C}",
            shown: "a b c", pattern: "^a b c$"),
        .init("fullwidth digits and letters", "ＡＢＣ　１２３", pattern: "^ABC 123$"),
        .init("a decomposed name", "Rene\u{301}e", pattern: "^Renée$"),
        .init("a soft hyphen", "Ab\u{AD}c", shown: #"Ab\u{AD}c"#, pattern: "^Abc$"),
    ]

    /// What could mislead.
    static let misleading: [PersonText] = [
        .init(
            "an override that is not closed, with what it hides", "invoice\u{202E}fdp.exe",
            shown: #"invoice\u{202E}fdp.exe"#),
        .init(
            "an override that is closed", "\u{202E}exe.fdp\u{202C}",
            shown: #"\u{202E}exe.fdp\u{202C}"#),
        .init(
            "an override in an embedding", "\u{202A}a\u{202E}b\u{202C}c\u{202C}",
            shown: #"a\u{202E}b\u{202C}c"#),
        .init("an embedding that is not closed", "a\u{202A}b", shown: #"a\u{202A}b"#),
        .init("ends without beginnings", "\u{202C}a\u{2069}", shown: #"\u{202C}a\u{2069}"#),
        .init(
            "an end that belongs to no part of its isolate", "\u{202A}\u{2068}a\u{202C}\u{2069}",
            shown: #"\u{202A}a\u{202C}"#),
        .init(
            "an embedding that its isolate ends", "\u{2068}\u{202A}a\u{2069}b\u{202C}",
            shown: #"\u{202A}ab\u{202C}"#),
        .init("a control", "a\u{1B}[31mb\u{7}", shown: #"a\u{1B}[31mb\u{7}"#),
        .init("tags that follow no flag", "x\u{E0041}\u{E0042}", shown: #"x\u{E0041}\u{E0042}"#),
        .init(
            "the tags of another flag", "\u{1F3F4}\u{E0075}\u{E0073}\u{E007F}",
            shown: "\u{1F3F4}" + #"\u{E0075}\u{E0073}\u{E007F}"#),
        .init(
            "tags behind a flag", england + "\u{E0041}", shown: england + #"\u{E0041}"#),
        .init(
            "data in selectors", "a\u{FE00}\u{FE01}\u{E0100}",
            shown: "a\u{FE00}" + #"\u{FE01}\u{E0100}"#),
        .init(
            "selectors after nothing, a space and a joiner", "\u{FE0F} \u{FE0F}\u{200D}\u{FE0F}",
            shown: #"\u{FE0F} \u{FE0F}"# + "\u{200D}" + #"\u{FE0F}"#),
        .init(
            "noncharacters",
            String(
                String.UnicodeScalarView(
                    [0xFDD0 as UInt32, 0x1FFFE].compactMap(Unicode.Scalar.init))),
            shown: #"\u{FDD0}\u{1FFFE}"#),
        .init("a space without width", "a\u{200B}b", shown: #"a\u{200B}b"#),
        .init("a filler", "\u{3164}", shown: #"\u{3164}"#),
    ]

    /// Sentences of many scripts, which need nothing.
    static let scripts = [
        "Lunch at noon?", "Ça va être bien, ’n est-ce pas…", "Straße über Ösen",
        "Zażółć gęślą jaźń",
        "Привет, как дела?", "Γειά σου Κόσμε", "Բարև աշխարհ", "გამარჯობა", "שלום עולם",
        "مرحبا بالعالم",
        "नमस्ते दुनिया", "হ্যালো বিশ্ব", "வணக்கம் உலகம்", "ఒక సందేశం", "สวัสดีชาวโลก", "ສະບາຍດີ",
        "မင်္ဂလာပါ", "សួស្តី", "你好，世界", "會議在三點", "会議は三時です", "カタカナ", "안녕하세요", "ᠮᠣᠩᠭᠣᠯ", "ሰላም ልዑል",
        "Chào thế giới", "👍🏽 🎉 👩‍💻",
    ]
}
