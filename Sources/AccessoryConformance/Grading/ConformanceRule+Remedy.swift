extension ConformanceRule {
    /// What to change in an accessory that breaks the rule.
    package var remedy: String {
        switch self {
        case .subscribesToServiceChanged:
            "write 0x0002 to the Client Characteristic Configuration of Service Changed (0x2A05), on "
                + "each new bond"
        case .followsService:
            "when Service Changed is indicated, discover ANCS again, and subscribe again once it is there"
        case .writesWithResponse:
            "write commands to the Control Point with Write Request (0x12), not Write Command (0x52)"
        case .usesKnownCommands: "send the CommandIDs 0, 1 and 2 only"
        case .sendsWholeNotificationCommands:
            "send 00, the four octets of the UID, then the attributes, in one write"
        case .givesMaximaWhereNeeded:
            "put a maximum of two octets, little endian, after the attributes 1, 2 and 3, and nothing "
                + "after the others"
        case .asksForKnownAttributes: "request the attributes 0 to 7 only"
        case .asksForAttributes: "put at least one attribute into the command"
        case .asksForOctets: "request a maximum of at least 1 octet"
        case .sendsWholeAppCommands:
            "send 01, the app identifier as it was received, a NUL, then attribute 0"
        case .asksForKnownAppAttributes: "request attribute 0, the display name, only"
        case .sendsWholeActions: "send 02, the four octets of the UID, and the ActionID: six octets"
        case .performsKnownActions: "send the ActionIDs 0 and 1 only"
        case .actsOnlyWithFlag:
            "offer an action only if EventFlags has its bit: 3 for positive, 4 for negative"
        case .actsOnlyWhenAsked: "perform an action only when the user presses its button"
        case .usesAnnouncedIdentifiers:
            "keep the UID as it came, all four octets, and use no UID that was not announced"
        case .forgetsEarlierSessions:
            "forget all UIDs when the link or the subscription to the Notification Source ends"
        case .asksNothingAboutRemoved:
            "when a notification is removed, drop the commands about it that wait to be sent"
        case .survivesExisting:
            "be ready for the values of all existing notifications before writing the subscription"
        case .handlesIdentifierZero: "treat UID 0 as any other: it does not mean that there is none"
        case .handlesLargeIdentifiers: "keep a UID in an unsigned number of 32 bits"
        case .acceptsReservedFlags: "ignore the bits of EventFlags that you do not know, and go on"
        case .acceptsReservedCategories: "show an unknown CategoryID as Other, and go on"
        case .fetchesOnce:
            "remember what was fetched, and request it again only after EventID 1 (Modified)"
        case .asksForNamesOnce: "remember the names of apps for the session"
        case .fetchesModifiedAgain: "request the attributes again after EventID 1 (Modified)"
        case .subscribesDataSourceFirst:
            "subscribe to the Data Source, wait for the response, then to the Notification Source"
        case .asksOnlyWithDataSource: "send commands only after the Data Source is subscribed"
        case .asksNothingWithoutSession:
            "send commands only while both characteristics are subscribed on an encrypted link"
        case .sendsOneCommandAtATime:
            "queue commands: send the next when the answer on the Data Source is complete"
        case .acceptsAnyOrder:
            "read each attribute by its number, in whatever order they come, until all have come"
        case .goesOnAfterLostAnswer:
            "give up on an answer after some seconds, and go on with the next notification"
        case .goesOnAfterLateAnswer:
            "when an answer comes that no command waits for, skip it by its lengths, and go on"
        case .goesOnAfterRefusal:
            "on the errors 0xA0 to 0xA3 drop the command, and go on with the next"
        case .goesOnWithoutName: "show the app identifier where there is no display name"
        case .waitsForConsent:
            "after the error 0x03 to a command, wait before the next, at growing intervals"
        case .returnsAfterConsent:
            "after the error 0x03, keep trying, at growing intervals and on each new link"
        case .sendsLongCommands:
            "send what is longer than ATT_MTU - 3 octets as a long write, or agree on a larger ATT_MTU"
        case .agreesOnMTU: "send Exchange MTU Request once per link, with more than 23"
        case .comesBackWithBond:
            "after a lost link advertise again, keep the keys in memory that survives, and encrypt with "
                + "them"
        case .canBeRecognized:
            "advertise with the identity address of pairing, or with a resolvable private address made "
                + "from its key"
        }
    }
}
