extension Requirement {
    /// What is said of it.
    public var row: RequirementRow {
        switch self {
        case .subscribesToServiceChanged:
            .init(
                "R5", .ancs, .severe, "subscribes to Service Changed",
                demand: "ANCS is not always present: an accessory subscribes to Service Changed.",
                symptom:
                    "after a restart of the phone or a new permission, no notification arrives",
                remedy:
                    "After discovery, write 0x0002 to the configuration of Service Changed (0x2A05), "
                    + "as soon as the link is encrypted.")
        case .followsService:
            .init(
                "R5", .ancs, .severe, "subscribes again when the service returns",
                demand: "An accessory follows ANCS as it comes and goes.",
                symptom: "notifications stop until the accessory is switched off and on",
                remedy:
                    "When Service Changed covers the handles of ANCS, discover the service again and "
                    + "subscribe again.")
        case .writesWithResponse:
            .init(
                "R21", .ancs, .severe, "writes commands with Write Request",
                demand: "The Control Point is written with a response.",
                symptom: "notifications without texts",
                remedy:
                    "Write to the Control Point with an ATT Write Request, and wait for the response."
            )
        case .usesKnownCommands:
            .init(
                "R23", .ancs, .moderate, "sends no reserved command",
                demand: "The commands are 0, 1 and 2.",
                symptom: "what the command was for is missing",
                remedy: "Send only the commands 0, 1 and 2.")
        case .keepsOctetOrder:
            .init(
                "R1", .ancs, .severe, "sends numbers with the least significant octet first",
                demand: "Numbers are little endian.",
                symptom: "notifications without texts, or texts of another length than was wanted",
                remedy:
                    "Write UIDs and maxima with the least significant octet first: 300 is 2C 01.")
        case .sendsWholeNotificationCommands:
            .init(
                "R24", .ancs, .severe, "sends complete GetNotificationAttributes commands",
                demand: "The command is 00, the UID of four octets, and the attributes.",
                symptom: "notifications without texts",
                remedy:
                    "Send the command, the UID of four octets, little-endian, and then the attributes."
            )
        case .givesMaximaWhereNeeded:
            .init(
                "R25", .ancs, .severe, "gives title, subtitle and message a maximum, others none",
                demand:
                    "Title, subtitle and message have a maximum of two octets; other attributes have none.",
                symptom: "texts are missing, or another text than the one that was wanted is shown",
                remedy:
                    "Put two octets with the maximum length after title, subtitle and message, and "
                    + "after no other attribute.")
        case .asksForKnownAttributes:
            .init(
                "R26", .ancs, .moderate, "requests no reserved attribute of a notification",
                demand: "The attributes of a notification are 0 to 7.",
                symptom: "all texts of a notification may be missing",
                remedy: "Request only the notification attributes 0 to 7.")
        case .asksForAttributes:
            .init(
                "S8", .phones, .moderate, "requests at least one attribute",
                demand: "A command without attributes is refused with 0xA2.",
                symptom: "notifications without texts",
                remedy: "Name at least one attribute in each command.")
        case .asksForOctets:
            .init(
                "S9", .phones, .moderate, "requests at least one octet of a text",
                demand: "Maxima are 1 to 65,535; what 0 means is unknown.",
                symptom: "a text is empty",
                remedy: "Give each text a maximum of at least one octet.")
        case .sendsWholeAppCommands:
            .init(
                "R35", .ancs, .moderate,
                "sends complete GetAppAttributes commands, with NUL after the identifier",
                demand: "The command is 01, the app identifier, NUL, and the attributes.",
                symptom: "com.apple.MobileSMS is shown in place of Messages",
                remedy:
                    "Send the command, the app identifier with a NUL at its end, and then the attributes."
            )
        case .asksForKnownAppAttributes:
            .init(
                "R39", .ancs, .slight, "requests no reserved attribute of an app",
                demand: "The only attribute of an app is 0, its display name.",
                symptom: "names of apps may be missing",
                remedy: "Request only the app attribute 0, the display name.")
        case .sendsWholeActions:
            .init(
                "R40", .ancs, .severe, "sends PerformNotificationAction with six octets",
                demand: "The command is 02, the UID of four octets, and the action.",
                symptom: "a button does nothing: a call cannot be declined",
                remedy: "Send the command, the UID of four octets and one octet with the action.",
                testedBy: "call-declined-on-accessory, with \"grade\": true")
        case .performsKnownActions:
            .init(
                "R41", .ancs, .moderate, "performs no reserved action",
                demand: "The actions are 0, positive, and 1, negative.",
                symptom: "a button does nothing",
                remedy: "Perform only the actions 0 (positive) and 1 (negative).",
                testedBy: "call-declined-on-accessory, with \"grade\": true")
        case .actsOnlyWithFlag:
            .init(
                "R43", .ancs, .moderate, "performs only actions that the flags offer",
                demand: "Flags say whether a notification has a positive or a negative action.",
                symptom: "a button is shown that does nothing",
                remedy:
                    "Look at the flags PositiveAction and NegativeAction before offering an action.",
                testedBy: "call-declined-on-accessory, with \"grade\": true")
        case .actsOnlyWhenAsked:
            .init(
                "R48", .ancs, .severe, "performs no action on its own",
                demand: "Actions are performed on behalf of the user.",
                symptom: "calls are answered or declined, and notifications cleared, by themselves",
                remedy: "Perform an action only when the user of the accessory asks for it.")
        case .usesAnnouncedIdentifiers:
            .init(
                "R18", .ancs, .severe, "uses only UIDs that were announced",
                demand: "Commands refer to a notification by the UID that the phone announced.",
                symptom: "notifications without texts, or with those of another one",
                remedy: "Use the UIDs of Notification Source values, and no others.")
        case .forgetsEarlierSessions:
            .init(
                "R51", .ancs, .severe, "uses no UID of an earlier session",
                demand: "UIDs are valid within the session only.",
                symptom: "after a reconnection, a notification shows the text of another one",
                remedy: "Forget all UIDs when the link ends or the subscription does.")
        case .asksNothingAboutRemoved:
            .init(
                "R19", .ancs, .slight, "requests nothing about a removed notification",
                demand:
                    "A notification lives until Removed; a command that crosses it is not a fault.",
                symptom: "notifications that are gone from the phone stay, and others come late",
                remedy: "When a notification is removed, drop the requests about it that wait.")
        case .survivesExisting:
            .init(
                "R53", .ancs, .severe, "survives the notifications that exist at subscription",
                demand:
                    "At the start of a session, the phone announces the notifications that exist.",
                symptom:
                    "the accessory disconnects again and again from a phone with many notifications",
                remedy:
                    "Queue what is announced after the subscription, and drop the oldest if the "
                    + "queue is full.")
        case .handlesIdentifierZero:
            .init(
                "S18", .phones, .moderate, "fetches the notification with UID 0",
                demand: "UIDs begin with 0 in each session.",
                symptom: "the first notification after each connection is missing",
                remedy: "Treat 0 as an ordinary UID, not as the absence of one.")
        case .handlesLargeIdentifiers:
            .init(
                "S18", .phones, .slight, "fetches notifications with UIDs of 2147483648 and more",
                demand: "Every number of 32 bits is a valid UID.",
                symptom: "notifications are missing",
                remedy: "Keep UIDs as unsigned numbers of 32 bits.")
        case .acceptsReservedFlags:
            .init(
                "S14", .phones, .moderate, "fetches notifications with a reserved flag",
                demand: "Reserved bits of the flags are in use.",
                symptom: "notifications of some apps are missing",
                remedy: "Ignore the flags that you do not know.")
        case .acceptsReservedCategories:
            .init(
                "S15", .phones, .moderate, "fetches notifications with a reserved category",
                demand: "Category 12 is reserved, and in use for active calls.",
                symptom: "a call that is going on is not shown",
                remedy: "Treat a category that you do not know as Other.")
        case .fetchesOnce:
            .init(
                "R55", .ancs, .slight, "fetches the same attributes once, unless they change",
                demand: "Attributes are fetched when they are needed, and not more often.",
                symptom: "notifications come late, and the battery is empty sooner",
                remedy: "Remember what was fetched, and fetch it again only after Modified.")
        case .asksForNamesOnce:
            .init(
                "R56", .ancs, .slight, "requests the name of an app once in a session",
                demand: "The attributes of an app are kept for the session.",
                symptom: "notifications come late, and the battery is empty sooner",
                remedy: "Keep the names of apps for the length of the session.")
        case .fetchesModifiedAgain:
            .init(
                "S22", .phones, .moderate, "fetches modified notifications again",
                demand: "Modified does not say what has changed.",
                symptom: "an old text stays: the newer message of a conversation is not shown",
                remedy:
                    "On Modified, fetch the attributes again: the event does not say which have changed."
            )
        case .subscribesDataSourceFirst:
            .init(
                "S3", .phones, .moderate, "subscribes to the Data Source first",
                demand: "With the Data Source subscribed first, no answer is lost.",
                symptom: "the first notification after a connection has no text, at times",
                remedy:
                    "Write the configuration of the Data Source before that of the Notification Source."
            )
        case .asksOnlyWithDataSource:
            .init(
                "S25", .phones, .moderate,
                "sends commands only while subscribed to the Data Source",
                demand: "What becomes of an answer without the subscription is unknown.",
                symptom: "notifications without texts",
                remedy: "Send no command before the subscription to the Data Source was confirmed.")
        case .asksNothingWithoutSession:
            .init(
                "R49", .ancs, .moderate, "sends no command outside a session",
                demand:
                    "A session lasts from the subscription to the Notification Source to its end.",
                symptom: "notifications without texts, or with those of another one",
                remedy:
                    "Send commands only between the subscription to the Notification Source and its end."
            )
        case .sendsOneCommandAtATime:
            .init(
                "S4", .phones, .severe, "waits for an answer before the next command",
                demand: "Answers arrive in one stream, which does not mark where one ends.",
                symptom: "texts of two notifications are mixed, or missing",
                remedy:
                    "Queue commands, and send the next one when the answer on the Data Source is complete."
            )
        case .joinsFragments:
            .init(
                "R31", .ancs, .severe, "joins the fragments of an answer",
                demand: "An answer that is longer than the ATT_MTU permits comes in fragments.",
                symptom: "long texts are cut, or mixed with those of the next notification",
                remedy:
                    "Append each value of the Data Source to the last, until every requested attribute is whole."
            )
        case .acceptsAnyOrder:
            .init(
                "R32", .ancs, .moderate, "accepts attributes in any order, without asking twice",
                demand: "An answer is complete when every requested attribute has arrived.",
                symptom: "texts are missing, or in the wrong place",
                remedy:
                    "Read attributes by their identifiers, until all that were requested have arrived."
            )
        case .goesOnAfterLostAnswer:
            .init(
                "S26", .phones, .severe, "continues after a lost answer",
                demand: "Answers may never come.",
                symptom:
                    "after some hours no notification arrives, until the accessory is switched off and on",
                remedy: "Give up on an answer after some seconds, and send the next command.")
        case .goesOnAfterLateAnswer:
            .init(
                "S26", .phones, .severe, "continues after a late answer",
                demand: "Answers may come late.",
                symptom: "a notification shows the text of another one, or none arrives any more",
                remedy:
                    "Match an answer to its command by the UID, and discard one that comes too late."
            )
        case .goesOnAfterRefusal:
            .init(
                "S28", .phones, .severe, "continues after a refused command",
                demand: "0xA2 is common: notifications disappear while they are fetched.",
                symptom: "after a notification was cleared at once, no other arrives",
                remedy:
                    "Treat an ATT error as the answer to the command, and continue with the next one."
            )
        case .goesOnWithoutName:
            .init(
                "S23", .phones, .severe, "continues after an answer without the name of an app",
                demand: "The answer about an app that is not installed has no attribute.",
                symptom: "after a notification of such an app, no other arrives",
                remedy: "Show the app identifier if an answer has no display name.")
        case .waitsForConsent:
            .init(
                "S1", .phones, .slight, "does not hammer a phone that refuses",
                demand: "Without the user's consent, commands fail with 0x03.",
                symptom: "the batteries of both are empty sooner",
                remedy:
                    "After Write Not Permitted or an error of authorization, wait longer before each "
                    + "further attempt.")
        case .returnsAfterConsent:
            .init(
                "S1", .phones, .severe, "tries again once the user allows it",
                demand: "The user may consent later, and nothing announces it.",
                symptom: "no notification arrives although the user has allowed it",
                remedy: "Keep trying from time to time while the phone refuses commands.")
        case .sendsLongCommands:
            .init(
                "S24", .phones, .moderate, "sends commands that are longer than 20 octets",
                demand: "Long commands need a larger ATT_MTU, or a long write.",
                symptom: "names of some apps are missing",
                remedy:
                    "Agree on a larger ATT_MTU, so that a command with several attributes or a long "
                    + "identifier fits.")
        case .agreesOnMTU:
            .init(
                "R30", .ancs, .slight, "agrees on an ATT_MTU above 23",
                demand: "An answer that is longer than the ATT_MTU permits is sent in fragments.",
                symptom: "long texts come late",
                remedy:
                    "Send Exchange MTU with more than 23 octets, or answer the phone's with more.")
        case .comesBackWithBond:
            .init(
                "S30", .phones, .severe, "reconnects with its bond after a lost link",
                demand:
                    "The accessory advertises, and the phone connects with the keys of the bond.",
                symptom:
                    "out of range once, the accessory stays disconnected, or has to be paired again",
                remedy: "Store the keys of pairing, and advertise again after the link is lost.")
        case .canBeRecognized:
            .init(
                "S33", .phones, .severe, "advertises as the identity that it distributes",
                demand:
                    "A phone knows a bonded accessory by its identity, or by an address made with its key.",
                symptom: "the accessory has to be paired again after each connection",
                remedy: "Distribute the address that you advertise with, or the key that makes it.")
        case .followsMedia, .usesMediaInParts, .goesOnAfterMediaVanished, .replacesCommands,
            .goesOnWithOldCommands, .registersAfterSubscribing, .survivesMediaBurst,
            .readsTruncatedValues, .survivesCutCharacters, .readsOneValueAtATime,
            .sendsKnownMediaCommands, .asksForKnownMedia, .asksForLessMedia, .survivesDecimalComma,
            .survivesOddMedia, .computesPosition, .sendsWholeMediaWrites, .sendsSupportedCommands:
            mediaRow
        case .shortestInterval:
            .init(
                "L1", .apple, .moderate,
                "asks for a shortest interval of 15 ms to 2 s, a multiple of 15 ms",
                demand: Self.numbers, symptom: Self.vain,
                remedy: "Ask for a multiple of 15 ms, such as 30 to 45 ms.")
        case .longestInterval:
            .init(
                "L2", .apple, .moderate,
                "asks for a longest interval 15 ms above it, or for 15 ms twice",
                demand: Self.numbers, symptom: Self.vain,
                remedy: "Ask for a range of 15 ms or more, such as 30 to 45 ms.")
        case .humanInterface:
            .init(
                "L3", .apple, .moderate, "asks for 11.25 ms only as a Human Interface Device",
                demand:
                    "An accessory with the Human Interface Device service may ask for 11.25 ms and more.",
                symptom: Self.vain, remedy: "Ask for 15 ms or more.")
        case .latency:
            .init(
                "L4", .apple, .moderate, "asks for a latency of at most 30", demand: Self.numbers,
                symptom: Self.vain, remedy: "Ask for a latency of at most 30.")
        case .supervisionTimeout:
            .init(
                "L5", .apple, .moderate, "asks for a supervision timeout of 2 to 6 s, or 6 to 18 s",
                demand: Self.numbers, symptom: Self.vain,
                remedy: "Ask for 6 s, which both editions allow.")
        case .longestSilence:
            .init(
                "L6", .apple, .moderate,
                "keeps the longest interval × (latency + 1) within 2 s, or 6 s",
                demand: Self.numbers, symptom: Self.vain,
                remedy:
                    "Lower the latency or the longest interval, until their product is at most 2 s."
            )
        case .timeoutBeyondSilence:
            .init(
                "L7", .apple, .moderate,
                "asks for a timeout above 3 × longest interval × (latency + 1)",
                demand: Self.numbers, symptom: Self.vain,
                remedy:
                    "Lower the latency or the longest interval, or ask for a longer supervision timeout: 6 s."
            )
        case .asksSoon:
            .init(
                "L8", .measured, .moderate, "asks for another supervision timeout within 2 s",
                demand:
                    "An iPhone connects with a supervision timeout of 720 ms and keeps it; asking for 6 s one "
                    + "second after the connection saved links that were lost with a request after 5 s.",
                symptom: "the link is lost some seconds after the connection, again and again",
                remedy:
                    "Ask for 30 to 45 ms, latency 0 and 6 s as soon as the link is up; the Peripheral Preferred "
                    + "Connection Parameters are ignored by iOS.")
        case .acceptsAnAnswer:
            .init(
                "L9", .apple, .moderate, "asks at most three times in a row on a link",
                demand:
                    "A request may be rejected, or accepted and not applied, and its result may be overwritten: an "
                    + "accessory copes with that.",
                symptom: "the battery is empty sooner",
                remedy: "Stop after the third request, and go on with what the link has.")
        case .advertisingInterval:
            .init(
                "A1", .apple, .moderate,
                "advertises every 20 ms, or at one of Apple's nine intervals",
                demand:
                    "20 ms for at least 30 s, and then 152.5, 211.25, 318.75, 417.5, 546.25, 760, 852.5, 1022.5 or "
                    + "1285 ms (QA1931).",
                symptom: "the phone takes long to find the accessory",
                remedy:
                    "Advertise every 20 ms for 30 s, then every 152.5 ms or at a longer one of the nine."
            )
        case .connectable:
            .init(
                "A2", .apple, .severe, "advertises undirected and connectable (ADV_IND)",
                demand: "Undirected advertising that accepts connections, on all three channels.",
                symptom: "the phone does not find the accessory, or cannot connect",
                remedy: "Advertise with ADV_IND.")
        case .advertisingData:
            .init(
                "A3", .apple, .moderate, "has Flags, TX Power and what iOS looks for in ADV_IND",
                demand:
                    "The advertising data should have at least Flags, TX Power Level, the name and the services; a "
                    + "scan response is not always asked for.",
                symptom: "the phone does not find the accessory while its screen is off",
                remedy:
                    "Put it into the advertising data, and what needs less attention into the scan response."
            )
        case .knowsChangedAddress:
            .init(
                "P1", .apple, .severe, "knows a bonded phone whose address has changed",
                demand: "An accessory resolves resolvable private addresses in every situation.",
                symptom: "after a quarter of an hour, the accessory has to be paired again",
                remedy:
                    "Store the phone's identity resolving key when it pairs, and resolve the address of each new "
                    + "link.")
        case .discoverableWithoutPairing:
            .init(
                "P2", .apple, .severe, "lets its services be discovered without pairing",
                demand:
                    "Services and characteristics are discovered without pairing, authentication or encryption.",
                symptom: "the accessory's app does not find it",
                remedy: "Protect the values and descriptors, not the declarations.")
        case .waitsWithSecurity:
            .init(
                "P3", .apple, .slight, "asks for security after a request was refused",
                demand:
                    "No request for pairing before an ATT request was rejected with Insufficient Authentication.",
                symptom: "the phone asks to pair although nothing needs it yet",
                remedy:
                    "An accessory that uses ANCS may leave it so, since the phone has what needs protection; any "
                    + "other answers requests with Insufficient Authentication and waits.")
        case .hasOwnIdentityKey:
            .init(
                "P4", .core, .moderate, "distributes an identity key of its own",
                demand:
                    "The identity resolving key is random, and different in each device: Vol 3, Part H, "
                    + "2.4.2.1.",
                symptom:
                    "of two accessories of the kind, one does not connect, or has to be paired again and again",
                remedy:
                    "Make the key at random when the device starts for the first time, and keep it; do not use the "
                    + "default of the stack.")
        case .slowsDown:
            .init(
                "K1", .measured, .slight, "slows down after three lost links within 60 s",
                demand: "After three links lost within 60 s, trying at once again helps nobody.",
                symptom: "the battery is empty sooner",
                remedy: "Advertise at a longer interval for a while.",
                testedBy: "trouble/link-fades, with \"grade\": true")
        }
    }

    private static let numbers =
        "Apple's numbers for connection parameters; a request that breaks them may be rejected."
    /// What a request that is rejected leaves.
    private static let vain =
        "the phone may refuse: the link breaks easily, or the battery is empty sooner"
}
