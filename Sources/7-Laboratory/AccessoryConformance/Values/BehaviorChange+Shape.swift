internal import Kinds
internal import ANCSKit

extension BehaviorChange {
    /// The behavior of the phone; random values are derived from the seed.
    package static let shape = Shape<BehaviorChange>.object(
        "a behavior", textFields + sendingFields + announcementFields, from: BehaviorChange()
    ) { change, object in
        change.text = object.members.map { "\($0.name) \($0.cursor.value.text)" }
            .joined(separator: ", ")
    }.named(
        "behavior", "How the phone behaves from now on. Without it, it does what an iPhone does.")

    private static let textFields: [Field<BehaviorChange>] = [
        Field(
            "hiddenUntilEncrypted", .boolean, sets: \.hidesServiceUntilEncrypted,
            "Accessories see ANCS only once the link is encrypted, as on iOS (S2)."),
        Field(
            "link", .word("Apple's numbers"), sets: \.link,
            "Which of Apple's numbers requests for connection parameters must keep: apple, the default, "
                + "refuses what both editions forbid (L1 to L7); lenient accepts everything that is valid."
        ),
        Field(
            "mtu", Shape<Int>.integer(in: 23...517).map { $0 }, sets: \.maximumMTU,
            "The largest ATT_MTU that the phone agrees on, on later links (R30)."),
        Field(
            "truncation",
            .word(
                of: [
                    ("characters", .characters), ("octets", .octets), ("ellipsis", .ellipsisBeyond),
                ], "a way to cut texts"), sets: \.truncation,
            "Texts that are too long are cut after a whole character, after exactly the maximum, or "
                + "get an ellipsis beyond it (S10)."),
        Field(
            "messageSize",
            .word(of: [("octets", .octets), ("scalars", .scalars), ("utf16", .utf16)], "a unit"),
            sets: \.messageSizeUnit, "What MessageSize counts (S11)."),
        Field(
            "dates",
            .word(
                of: [
                    ("all", .all), ("allButIncomingCalls", .allButIncomingCalls),
                    ("none", ProviderBehavior.Dates.none),
                ], "which notifications have a date"), sets: \.dates,
            "Which notifications have a date (S12)."),
        Field(
            "attributeOrder", order, sets: \.attributeOrder,
            "The order of the attributes in answers (S5)."),
        Field(
            "reservedAttribute",
            wordOrError([("empty", .emptyValue), ("omitted", .omitted)]) { .refused($0) },
            sets: \.reservedAttribute,
            "The answer to a reserved attribute: empty, left out, or an error for the command (S7)."
        ),
        Field(
            "unknownApp",
            wordOrError([("headerOnly", .headerOnly), ("empty", .emptyValues)]) { .refused($0) },
            sets: \.unknownApp,
            "The answer for an app that is not installed: a header, an empty name, or an error "
                + "(S23)."),
    ]

    private static let sendingFields: [Field<BehaviorChange>] = [
        Field(
            "fragments", fragments, sets: \.fragmentSizes,
            "How answers are cut: as large as the ATT_MTU allows, into at most this many octets, or "
                + "anywhere (S6)."),
        Field(
            "joinAnswers", .boolean, sets: \.joinsAnswers,
            "A queued answer begins in the last fragment of the previous one (S4)."),
        Field(
            "answers",
            .word(
                of: [
                    ("normal", .normal), ("responsesOnly", .responsesOnly),
                    ("none", ProviderBehavior.Responsiveness.none),
                ], "how the Control Point answers"), sets: \.responsiveness,
            "The Control Point answers, only confirms writes, or is silent (S26, S27)."),
        Field(
            "absentAction", ControlPointError.shape, sets: \.absentAction,
            "The error for an action that a notification does not have (S29)."),
    ]

    private static let announcementFields: [Field<BehaviorChange>] = [
        Field(
            "reservedFlag", Shape<Bool>.boolean.map { $0 ? .observedBit5 : [] },
            sets: \.additionalFlags, "Announcements have the reserved flag of bit 5 (S14)."),
        Field(
            "category", categoryOrNull, sets: \.categoryOverride,
            "Announcements have this category; null restores their own (S15)."),
        Field(
            "preExisting", existing, sets: \.announcedExisting,
            "Which existing notifications are announced at subscription; a number means the "
                + "newest ones (R53)."),
        Field(
            "preExistingFlag", Shape<Bool>.boolean.map { $0 ? .preExisting : [] },
            sets: \.existingFlags, "Whether they have the flag PreExisting (S21)."),
        Field(
            "announceWithoutConsent", .boolean, sets: \.announcesWithoutConsent,
            "Whether notifications are announced while commands are refused without consent (S1)."),
        Field(
            "firstUID", uid, sets: \.firstUID,
            "The UID of the first notification of a session (S18)."),
        Field(
            "restartUIDs", .boolean, sets: \.restartsUIDs,
            "Whether UIDs start again in the next session over the same link (S18)."),
        Field(
            "mediaQuirks", mediaQuirks, into: \.mediaQuirks,
            "How the Apple Media Service differs: the list of commands is not sent again (M2), numbers have a decimal "
                + "comma (M9), truncated values end within a character (M4), a track changes without PlaybackInfo, the "
                + "volume is never reported. The list replaces the one before."),
    ]

    private static let mediaQuirks = Shape<[MediaQuirks]>.list(
        "a list of quirks",
        of: .word(
            of: [
                ("staleCommands", .staleCommands), ("decimalComma", .decimalComma),
                ("cutCharacters", .cutCharacters), ("silentTracks", .silentTracks),
                ("silentVolume", .silentVolume),
            ], "a quirk")
    ).map { MediaQuirks($0) }

    // MARK: Values

    private static let order: Shape<ProviderBehavior.AttributeOrder> = seededWord("an order") {
        seed in
        [
            ("asRequested", .asRequested),
            ("ascending", .ascending), ("reversed", .reversed), ("shuffled", .shuffled(seed: seed)),
        ]
    }

    private static let fragments: Shape<FragmentSizes> = numberOrWord(
        1...512, { .every($0) },
        seededWord("a number of octets from 1 to 512 or one of") { seed in
            [("full", .full), ("random", .random(seed: seed, atMost: 20))]
        })

    private static let existing: Shape<ProviderBehavior.ExistingNotifications> = numberOrWord(
        0...10_000, { .newest($0) },
        .word(of: [("all", .all), ("none", .none)], "a number from 0 to 10000 or one of"))

    private static let categoryOrNull: Shape<CategoryID?> = {
        let category = NotificationContent.categoryShape
        return Shape<CategoryID?>(.oneOf([category.schema, .null])) {
            cursor, reader throws(DocumentError) -> CategoryID? in
            cursor.value == .null ? nil : try category.read(cursor, &reader)
        }
    }()

    private static let uid = Shape<Int>.integer(in: 0...Int(UInt32.max)).map {
        NotificationUID(rawValue: UInt32($0))
    }

    private static func wordOrError<Meaning: Sendable>(
        _ words: [(String, Meaning)], _ refusal: (ControlPointError) -> Meaning
    ) -> Shape<Meaning> {
        let errors = ControlPointError.scenarioWords.map { ($0.0, refusal($0.1)) }
        return Shape(
            .oneOf([.words(words.map(\.0)), ControlPointError.shape.schema]),
            read: Shape<Meaning>.word(of: words + errors, "an answer").read)
    }

    private static func seededWord<Meaning: Sendable>(
        _ what: String, _ words: @escaping @Sendable (UInt64) -> [(String, Meaning)]
    ) -> Shape<Meaning> {
        Shape(.words(words(0).map(\.0))) { cursor, reader throws(DocumentError) -> Meaning in
            try cursor.read(.word(of: words(reader.seed), what))
        }
    }

    private static func numberOrWord<Meaning: Sendable>(
        _ range: ClosedRange<Int>, _ number: @escaping @Sendable (Int) -> Meaning,
        _ word: Shape<Meaning>
    ) -> Shape<Meaning> {
        Shape(.oneOf([word.schema, .integer(in: range)])) {
            cursor, reader throws(DocumentError) -> Meaning in
            if let count = cursor.value.integer, range.contains(count) { return number(count) }
            return try word.read(cursor, &reader)
        }
    }
}

extension Field<BehaviorChange> {
    /// A member whose value the phone's behavior has from now on.
    fileprivate init<Value>(
        _ name: String, _ shape: Shape<Value>,
        sets path: any WritableKeyPath<ProviderBehavior, Value> & Sendable, _ description: String
    ) { self.init(name, shape, setting: path, in: \.changes, description) }
}
