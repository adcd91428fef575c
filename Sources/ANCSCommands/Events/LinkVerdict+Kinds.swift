internal import AccessoryConformance
internal import CommandKit
internal import Values

extension LinkVerdict {
    /// The kind of line of a verdict on a link.
    static let kind = LineKind(
        "linkRequirement",
        "the verdict on one of Apple's requirements for the link, for each accessory",
        [
            "accessory": .text, "requirement": .text, "statement": .text,
            "result": .words(["kept", "broken", "note", "notSeen"]), "evidence?": .texts,
            "asked?": .text.described("what Apple asks"),
            "remedy?": .text.described("what to change"),
        ])
}
