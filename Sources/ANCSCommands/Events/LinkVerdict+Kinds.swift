internal import AccessoryConformance
internal import CommandKit
internal import Values

extension LinkVerdict {
    /// The kind of line of a verdict on a link.
    static let kind = LineKind(
        "linkRule", "the verdict on one of Apple's rules for the link, for each accessory",
        [
            "accessory": .text, "rule": .text, "statement": .text,
            "result": .words(["kept", "broken", "note", "notSeen"]), "evidence?": .texts,
            "asked?": .text.described("what Apple asks"),
            "remedy?": .text.described("what to change"),
        ])
}
