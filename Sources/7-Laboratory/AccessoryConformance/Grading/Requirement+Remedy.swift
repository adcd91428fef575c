extension Requirement {
    /// What to change in an accessory that does not fulfill it, in a sentence.
    public var remedy: String {
        switch self {
        case .subscribesToServiceChanged:
            "After discovery, write 0x0002 to the configuration of Service Changed (0x2A05), "
                + "as soon as the link is encrypted."
        case .followsService:
            "When Service Changed covers the handles of ANCS, discover the service again and "
                + "subscribe again."
        case .writesWithResponse:
            "Write to the Control Point with an ATT Write Request, and wait for the response."
        case .usesKnownCommands: "Send only the commands 0, 1 and 2."
        case .keepsOctetOrder:
            "Write UIDs and maxima with the least significant octet first: 300 is 2C 01."
        case .sendsWholeNotificationCommands:
            "Send the command, the UID of four octets, little-endian, and then the attributes."
        case .givesMaximaWhereNeeded:
            "Put two octets with the maximum length after title, subtitle and message, and "
                + "after no other attribute."
        case .asksForKnownAttributes: "Request only the notification attributes 0 to 7."
        case .asksForAttributes: "Name at least one attribute in each command."
        case .asksForOctets: "Give each text a maximum of at least one octet."
        case .sendsWholeAppCommands:
            "Send the command, the app identifier with a NUL at its end, and then the attributes."
        case .asksForKnownAppAttributes: "Request only the app attribute 0, the display name."
        case .sendsWholeActions:
            "Send the command, the UID of four octets and one octet with the action."
        case .performsKnownActions: "Perform only the actions 0 (positive) and 1 (negative)."
        case .actsOnlyWithFlag:
            "Look at the flags PositiveAction and NegativeAction before offering an action."
        case .actsOnlyWhenAsked:
            "Perform an action only when the user of the accessory asks for it."
        case .usesAnnouncedIdentifiers: "Use the UIDs of Notification Source values, and no others."
        case .forgetsEarlierSessions: "Forget all UIDs when the link ends or the subscription does."
        case .asksNothingAboutRemoved:
            "When a notification is removed, drop the requests about it that wait."
        case .survivesExisting:
            "Queue what is announced after the subscription, and drop the oldest if the "
                + "queue is full."
        case .handlesIdentifierZero: "Treat 0 as an ordinary UID, not as the absence of one."
        case .handlesLargeIdentifiers: "Keep UIDs as unsigned numbers of 32 bits."
        case .acceptsReservedFlags: "Ignore the flags that you do not know."
        case .acceptsReservedCategories: "Treat a category that you do not know as Other."
        case .fetchesOnce: "Remember what was fetched, and fetch it again only after Modified."
        case .asksForNamesOnce: "Keep the names of apps for the length of the session."
        case .fetchesModifiedAgain:
            "On Modified, fetch the attributes again: the event does not say which have changed."
        case .subscribesDataSourceFirst:
            "Write the configuration of the Data Source before that of the Notification Source."
        case .asksOnlyWithDataSource:
            "Send no command before the subscription to the Data Source was confirmed."
        case .asksNothingWithoutSession:
            "Send commands only between the subscription to the Notification Source and its end."
        case .sendsOneCommandAtATime:
            "Queue commands, and send the next one when the answer on the Data Source is complete."
        case .joinsFragments:
            "Append each value of the Data Source to the last, until every requested attribute is whole."
        case .acceptsAnyOrder:
            "Read attributes by their identifiers, until all that were requested have arrived."
        case .goesOnAfterLostAnswer:
            "Give up on an answer after some seconds, and send the next command."
        case .goesOnAfterLateAnswer:
            "Match an answer to its command by the UID, and discard one that comes too late."
        case .goesOnAfterRefusal:
            "Treat an ATT error as the answer to the command, and continue with the next one."
        case .goesOnWithoutName: "Show the app identifier if an answer has no display name."
        case .waitsForConsent:
            "After Write Not Permitted or an error of authorization, wait longer before each "
                + "further attempt."
        case .returnsAfterConsent: "Keep trying from time to time while the phone refuses commands."
        case .sendsLongCommands:
            "Agree on a larger ATT_MTU, so that a command with several attributes or a long "
                + "identifier fits."
        case .agreesOnMTU:
            "Send Exchange MTU with more than 23 octets, or answer the phone's with more."
        case .comesBackWithBond:
            "Store the keys of pairing, and advertise again after the link is lost."
        case .canBeRecognized:
            "Distribute the address that you advertise with, or the key that makes it."
        }
    }
}
