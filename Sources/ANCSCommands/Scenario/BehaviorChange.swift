internal import ANCS
internal import JSONText

/// What a scenario says about the phone's ``ProviderBehavior``; `nil` leaves it as it is.
struct BehaviorChange: Hashable, Sendable {
    var isHiddenUntilEncrypted: Bool?
    var truncation: ProviderBehavior.Truncation?
    var messageSizeUnit: ProviderBehavior.MessageSizeUnit?
    var dates: ProviderBehavior.Dates?
    var attributeOrder: ProviderBehavior.AttributeOrder?
    var reservedAttribute: ProviderBehavior.ReservedAttribute?
    var unknownApp: ProviderBehavior.UnknownApp?
    var fragmentSizes: FragmentSizes?
    var joinsAnswers: Bool?
    var responsiveness: ProviderBehavior.Responsiveness?
    var absentAction: ControlPointError?
    var hasReservedFlag: Bool?
    /// The inner `nil` gives notifications their own category back.
    var categoryOverride: CategoryID??
    var announcedExisting: ProviderBehavior.ExistingNotifications?
    var hasPreExistingFlag: Bool?
    var announcesWithoutConsent: Bool?
    var firstUID: NotificationUID?
    var restartsUIDs: Bool?
    /// The words of the file, for reports.
    var words = "nothing"

    /// Changes what the file names.
    func apply(to behavior: inout ProviderBehavior) {
        isHiddenUntilEncrypted.map { behavior.hidesServiceUntilEncrypted = $0 }
        truncation.map { behavior.truncation = $0 }
        messageSizeUnit.map { behavior.messageSizeUnit = $0 }
        dates.map { behavior.dates = $0 }
        attributeOrder.map { behavior.attributeOrder = $0 }
        reservedAttribute.map { behavior.reservedAttribute = $0 }
        unknownApp.map { behavior.unknownApp = $0 }
        fragmentSizes.map { behavior.fragmentSizes = $0 }
        joinsAnswers.map { behavior.joinsAnswers = $0 }
        responsiveness.map { behavior.responsiveness = $0 }
        absentAction.map { behavior.absentAction = $0 }
        hasReservedFlag.map { behavior.additionalFlags = $0 ? .observedBit5 : [] }
        categoryOverride.map { behavior.categoryOverride = $0 }
        announcedExisting.map { behavior.announcedExisting = $0 }
        hasPreExistingFlag.map { behavior.existingFlags = $0 ? .preExisting : [] }
        announcesWithoutConsent.map { behavior.announcesWithoutConsent = $0 }
        firstUID.map { behavior.firstUID = $0 }
        restartsUIDs.map { behavior.restartsUIDs = $0 }
    }
}

extension BehaviorChange {
    private static let members = [
        "hiddenUntilEncrypted", "truncation", "messageSize", "dates", "attributeOrder",
        "reservedAttribute", "unknownApp",
        "fragments", "joinAnswers", "answers", "absentAction", "reservedFlag", "category",
        "preExisting", "preExistingFlag", "announceWithoutConsent", "firstUID", "restartUIDs",
    ]

    /// The change that an object describes; what is random follows from the seed.
    init(reading cursor: DocumentCursor, seed: UInt64) throws(DocumentError) {
        let object = try cursor.object("a behavior", allowing: Self.members)
        isHiddenUntilEncrypted = try object["hiddenUntilEncrypted"]?.boolean()
        truncation = try object["truncation"]?.word(
            of: [("characters", .characters), ("octets", .octets), ("ellipsis", .ellipsisBeyond)],
            "a way to cut texts")
        messageSizeUnit = try object["messageSize"]?.word(
            of: [("octets", .octets), ("scalars", .scalars), ("utf16", .utf16)], "a unit")
        dates = try object["dates"]?.word(
            of: [
                ("all", .all), ("allButIncomingCalls", .allButIncomingCalls),
                ("none", ProviderBehavior.Dates.none),
            ], "which notifications have a date")
        attributeOrder = try object["attributeOrder"]?.word(
            of: [
                ("asRequested", .asRequested), ("ascending", .ascending), ("reversed", .reversed),
                ("shuffled", .shuffled(seed: seed)),
            ], "an order")
        reservedAttribute = try object["reservedAttribute"]?.word(
            of: [("empty", .emptyValue), ("omitted", .omitted)]
                + Self.errors { .refused($0) }, "an answer")
        unknownApp = try object["unknownApp"]?.word(
            of: [("headerOnly", .headerOnly), ("empty", .emptyValues)]
                + Self.errors { .refused($0) }, "an answer")
        try readSending(object, seed)
        try readAnnouncements(object)
        words = object.members.map { "\($0.name) \($0.cursor.value.text)" }
            .joined(separator: ", ")
    }

    private mutating func readSending(
        _ object: DocumentObject, _ seed: UInt64
    ) throws(DocumentError) {
        if let fragments = object["fragments"] {
            fragmentSizes = try Self.fragments(fragments, seed)
        }
        joinsAnswers = try object["joinAnswers"]?.boolean()
        responsiveness = try object["answers"]?.word(
            of: [
                ("normal", .normal), ("responsesOnly", .responsesOnly),
                ("none", ProviderBehavior.Responsiveness.none),
            ], "how the Control Point answers")
        absentAction = try object["absentAction"]?.word(of: Self.errors { $0 }, "an error")
    }

    private mutating func readAnnouncements(_ object: DocumentObject) throws(DocumentError) {
        hasReservedFlag = try object["reservedFlag"]?.boolean()
        if let category = object["category"] {
            categoryOverride = .some(
                category.value == .null ? nil : try NotificationContent.category(category))
        }
        announcedExisting = try object["preExisting"].map(Self.existing)
        hasPreExistingFlag = try object["preExistingFlag"]?.boolean()
        announcesWithoutConsent = try object["announceWithoutConsent"]?.boolean()
        firstUID = try object["firstUID"].map(Self.uid)
        restartsUIDs = try object["restartUIDs"]?.boolean()
    }

    private static func errors<Meaning>(
        _ meaning: (ControlPointError) -> Meaning
    ) -> [(String, Meaning)] {
        ControlPointError.scenarioWords.map { ($0.0, meaning($0.1)) }
    }

    private static func uid(_ cursor: DocumentCursor) throws(DocumentError) -> NotificationUID {
        NotificationUID(rawValue: UInt32(try cursor.integer(in: 0...Int(UInt32.max))))
    }

    private static func existing(
        _ cursor: DocumentCursor
    ) throws(DocumentError) -> ProviderBehavior.ExistingNotifications {
        if let count = cursor.value.integer, (0...10_000).contains(count) { return .newest(count) }
        return try cursor.word(
            of: [("all", .all), ("none", ProviderBehavior.ExistingNotifications.none)],
            "a number from 0 to 10000 or one of")
    }

    private static func fragments(
        _ cursor: DocumentCursor, _ seed: UInt64
    ) throws(DocumentError) -> FragmentSizes {
        if let count = cursor.value.integer, (1...512).contains(count) { return .every(count) }
        return try cursor.word(
            of: [("full", .full), ("random", .random(seed: seed, atMost: 20))],
            "a number of octets from 1 to 512 or one of")
    }
}
