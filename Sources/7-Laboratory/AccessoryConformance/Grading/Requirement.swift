/// A requirement that the phone can check an accessory against. `R` numbers are requirements of ANCS, `S` numbers
/// the behavior of iPhones where ANCS leaves it open; see `Documentation/Requirements.md`.
public enum Requirement: CaseIterable, Hashable, Sendable {
    /// R5: it subscribes to Service Changed, so it learns that ANCS appears or disappears.
    case subscribesToServiceChanged
    /// R5: it subscribes again when ANCS returns.
    case followsService
    /// R21: it writes commands to the Control Point with Write Request.
    case writesWithResponse
    /// R23: it sends no reserved command.
    case usesKnownCommands
    /// R1: it sends numbers with the least significant octet first.
    case keepsOctetOrder
    /// R24: its GetNotificationAttributes commands are complete.
    case sendsWholeNotificationCommands
    /// R25: it gives title, subtitle and message a maximum length, and no other attribute.
    case givesMaximaWhereNeeded
    /// R26: it requests no reserved attribute of a notification.
    case asksForKnownAttributes
    /// S8: it requests at least one attribute.
    case asksForAttributes
    /// S9: it requests at least one octet of a text.
    case asksForOctets
    /// R35: its GetAppAttributes commands are complete, with NUL after the identifier of the app.
    case sendsWholeAppCommands
    /// R39: it requests no reserved attribute of an app.
    case asksForKnownAppAttributes
    /// R40: its PerformNotificationAction commands have six octets.
    case sendsWholeActions
    /// R41: it performs no reserved action.
    case performsKnownActions
    /// R43: it performs only actions that the flags of the notification offer.
    case actsOnlyWithFlag
    /// R48: it performs no action unless its user asks for one.
    case actsOnlyWhenAsked
    /// R18: it uses only UIDs that were announced.
    case usesAnnouncedIdentifiers
    /// R51: it uses no UID of an earlier session.
    case forgetsEarlierSessions
    /// R19: it requests nothing about a notification that was removed.
    case asksNothingAboutRemoved
    /// R53: it copes with the notifications that exist when it subscribes.
    case survivesExisting
    /// S18: it fetches the notification with UID 0.
    case handlesIdentifierZero
    /// S18: it fetches notifications with UIDs of 2147483648 and more.
    case handlesLargeIdentifiers
    /// S14: it fetches notifications with a reserved flag.
    case acceptsReservedFlags
    /// S15: it fetches notifications with a reserved category.
    case acceptsReservedCategories
    /// R55: it fetches the same attributes once, unless they change.
    case fetchesOnce
    /// R56: it requests the name of an app once in a session.
    case asksForNamesOnce
    /// S22: it fetches a modified notification again.
    case fetchesModifiedAgain
    /// S3: it subscribes to the Data Source before the Notification Source.
    case subscribesDataSourceFirst
    /// S25: it sends commands only while it is subscribed to the Data Source.
    case asksOnlyWithDataSource
    /// R49: it sends no command outside a session.
    case asksNothingWithoutSession
    /// S4: it waits for an answer before it sends the next command.
    case sendsOneCommandAtATime
    /// R31: it takes an answer for complete when all its fragments have arrived.
    case joinsFragments
    /// R32: it accepts attributes in any order, without requesting them twice.
    case acceptsAnyOrder
    /// S26: it continues after an answer was lost.
    case goesOnAfterLostAnswer
    /// S26: it continues after an answer was late.
    case goesOnAfterLateAnswer
    /// S28: it continues after a command was refused.
    case goesOnAfterRefusal
    /// S23: it continues after an answer without the name of an app.
    case goesOnWithoutName
    /// S1: it does not repeat commands quickly while the phone refuses them.
    case waitsForConsent
    /// S1: it tries again once the phone's user allows it.
    case returnsAfterConsent
    /// S24: it sends commands of more than 20 octets.
    case sendsLongCommands
    /// R30: it agrees on an ATT_MTU above 23 octets.
    case agreesOnMTU
    /// S30: it reconnects with its bond after a lost link.
    case comesBackWithBond
    /// S33: it advertises as the identity address that it distributes.
    case canBeRecognized

    /// The number that documents and reports use, as `R25`.
    public var number: String { row.number }

    /// The behavior of an accessory that fulfills it, as *subscribes to Service Changed*.
    public var statement: String { row.statement }

    private var row: (number: String, statement: String) {
        switch self {
        case .subscribesToServiceChanged: ("R5", "subscribes to Service Changed")
        case .followsService: ("R5", "subscribes again when the service returns")
        case .writesWithResponse: ("R21", "writes commands with Write Request")
        case .usesKnownCommands: ("R23", "sends no reserved command")
        case .keepsOctetOrder: ("R1", "sends numbers with the least significant octet first")
        case .sendsWholeNotificationCommands:
            ("R24", "sends complete GetNotificationAttributes commands")
        case .givesMaximaWhereNeeded:
            ("R25", "gives title, subtitle and message a maximum, others none")
        case .asksForKnownAttributes: ("R26", "requests no reserved attribute of a notification")
        case .asksForAttributes: ("S8", "requests at least one attribute")
        case .asksForOctets: ("S9", "requests at least one octet of a text")
        case .sendsWholeAppCommands:
            ("R35", "sends complete GetAppAttributes commands, with NUL after the identifier")
        case .asksForKnownAppAttributes: ("R39", "requests no reserved attribute of an app")
        case .sendsWholeActions: ("R40", "sends PerformNotificationAction with six octets")
        case .performsKnownActions: ("R41", "performs no reserved action")
        case .actsOnlyWithFlag: ("R43", "performs only actions that the flags offer")
        case .actsOnlyWhenAsked: ("R48", "performs no action on its own")
        case .usesAnnouncedIdentifiers: ("R18", "uses only UIDs that were announced")
        case .forgetsEarlierSessions: ("R51", "uses no UID of an earlier session")
        case .asksNothingAboutRemoved: ("R19", "requests nothing about a removed notification")
        case .survivesExisting: ("R53", "survives the notifications that exist at subscription")
        case .handlesIdentifierZero: ("S18", "fetches the notification with UID 0")
        case .handlesLargeIdentifiers:
            ("S18", "fetches notifications with UIDs of 2147483648 and more")
        case .acceptsReservedFlags: ("S14", "fetches notifications with a reserved flag")
        case .acceptsReservedCategories: ("S15", "fetches notifications with a reserved category")
        case .fetchesOnce: ("R55", "fetches the same attributes once, unless they change")
        case .asksForNamesOnce: ("R56", "requests the name of an app once in a session")
        case .fetchesModifiedAgain: ("S22", "fetches modified notifications again")
        case .subscribesDataSourceFirst: ("S3", "subscribes to the Data Source first")
        case .asksOnlyWithDataSource:
            ("S25", "sends commands only while subscribed to the Data Source")
        case .asksNothingWithoutSession: ("R49", "sends no command outside a session")
        case .sendsOneCommandAtATime: ("S4", "waits for an answer before the next command")
        case .joinsFragments: ("R31", "joins the fragments of an answer")
        case .acceptsAnyOrder: ("R32", "accepts attributes in any order, without asking twice")
        case .goesOnAfterLostAnswer: ("S26", "continues after a lost answer")
        case .goesOnAfterLateAnswer: ("S26", "continues after a late answer")
        case .goesOnAfterRefusal: ("S28", "continues after a refused command")
        case .goesOnWithoutName: ("S23", "continues after an answer without the name of an app")
        case .waitsForConsent: ("S1", "does not hammer a phone that refuses")
        case .returnsAfterConsent: ("S1", "tries again once the user allows it")
        case .sendsLongCommands: ("S24", "sends commands that are longer than 20 octets")
        case .agreesOnMTU: ("R30", "agrees on an ATT_MTU above 23")
        case .comesBackWithBond: ("S30", "reconnects with its bond after a lost link")
        case .canBeRecognized: ("S33", "advertises as the identity that it distributes")
        }
    }
}
