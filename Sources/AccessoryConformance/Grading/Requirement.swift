/// A requirement that the phone can check an accessory against. `R` numbers are requirements of ANCS, `S` numbers
/// the behavior of iPhones where ANCS leaves it open; see `Documentation/Rules.md`.
public enum Requirement: CaseIterable, Hashable, Sendable {
    /// R5: it subscribes to Service Changed, so it learns that ANCS appears or disappears.
    case subscribesToServiceChanged
    /// R5: it subscribes again when ANCS returns.
    case followsService
    /// R21: it writes commands to the Control Point with Write Request.
    case writesWithResponse
    /// R23: it sends no reserved command.
    case usesKnownCommands
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
    public var number: String {
        switch self {
        case .subscribesToServiceChanged, .followsService: "R5"
        case .writesWithResponse: "R21"
        case .usesKnownCommands: "R23"
        case .sendsWholeNotificationCommands: "R24"
        case .givesMaximaWhereNeeded: "R25"
        case .asksForKnownAttributes: "R26"
        case .asksForAttributes: "S8"
        case .asksForOctets: "S9"
        case .sendsWholeAppCommands: "R35"
        case .asksForKnownAppAttributes: "R39"
        case .sendsWholeActions: "R40"
        case .performsKnownActions: "R41"
        case .actsOnlyWithFlag: "R43"
        case .actsOnlyWhenAsked: "R48"
        case .usesAnnouncedIdentifiers: "R18"
        case .forgetsEarlierSessions: "R51"
        case .asksNothingAboutRemoved: "R19"
        case .survivesExisting: "R53"
        case .handlesIdentifierZero, .handlesLargeIdentifiers: "S18"
        case .acceptsReservedFlags: "S14"
        case .acceptsReservedCategories: "S15"
        case .fetchesOnce: "R55"
        case .asksForNamesOnce: "R56"
        case .fetchesModifiedAgain: "S22"
        case .subscribesDataSourceFirst: "S3"
        case .asksOnlyWithDataSource: "S25"
        case .asksNothingWithoutSession: "R49"
        case .sendsOneCommandAtATime: "S4"
        case .acceptsAnyOrder: "R32"
        case .goesOnAfterLostAnswer, .goesOnAfterLateAnswer: "S26"
        case .goesOnAfterRefusal: "S28"
        case .goesOnWithoutName: "S23"
        case .waitsForConsent, .returnsAfterConsent: "S1"
        case .sendsLongCommands: "S24"
        case .agreesOnMTU: "R30"
        case .comesBackWithBond: "S30"
        case .canBeRecognized: "S33"
        }
    }

    /// The behavior of an accessory that fulfills it, as *subscribes to Service Changed*.
    public var statement: String {
        switch self {
        case .subscribesToServiceChanged: "subscribes to Service Changed"
        case .followsService: "subscribes again when the service returns"
        case .writesWithResponse: "writes commands with Write Request"
        case .usesKnownCommands: "sends no reserved command"
        case .sendsWholeNotificationCommands: "sends complete GetNotificationAttributes commands"
        case .givesMaximaWhereNeeded: "gives title, subtitle and message a maximum, others none"
        case .asksForKnownAttributes: "requests no reserved attribute of a notification"
        case .asksForAttributes: "requests at least one attribute"
        case .asksForOctets: "requests at least one octet of a text"
        case .sendsWholeAppCommands:
            "sends complete GetAppAttributes commands, with NUL after the identifier"
        case .asksForKnownAppAttributes: "requests no reserved attribute of an app"
        case .sendsWholeActions: "sends PerformNotificationAction with six octets"
        case .performsKnownActions: "performs no reserved action"
        case .actsOnlyWithFlag: "performs only actions that the flags offer"
        case .actsOnlyWhenAsked: "performs no action on its own"
        case .usesAnnouncedIdentifiers: "uses only UIDs that were announced"
        case .forgetsEarlierSessions: "uses no UID of an earlier session"
        case .asksNothingAboutRemoved: "requests nothing about a removed notification"
        case .survivesExisting: "survives the notifications that exist at subscription"
        case .handlesIdentifierZero: "fetches the notification with UID 0"
        case .handlesLargeIdentifiers: "fetches notifications with UIDs of 2147483648 and more"
        case .acceptsReservedFlags: "fetches notifications with a reserved flag"
        case .acceptsReservedCategories: "fetches notifications with a reserved category"
        case .fetchesOnce: "fetches the same attributes once, unless they change"
        case .asksForNamesOnce: "requests the name of an app once in a session"
        case .fetchesModifiedAgain: "fetches modified notifications again"
        case .subscribesDataSourceFirst: "subscribes to the Data Source first"
        case .asksOnlyWithDataSource: "sends commands only while subscribed to the Data Source"
        case .asksNothingWithoutSession: "sends no command outside a session"
        case .sendsOneCommandAtATime: "waits for an answer before the next command"
        case .acceptsAnyOrder: "accepts attributes in any order, without asking twice"
        case .goesOnAfterLostAnswer: "continues after a lost answer"
        case .goesOnAfterLateAnswer: "continues after a late answer"
        case .goesOnAfterRefusal: "continues after a refused command"
        case .goesOnWithoutName: "continues after an answer without the name of an app"
        case .waitsForConsent: "does not hammer a phone that refuses"
        case .returnsAfterConsent: "tries again once the user allows it"
        case .sendsLongCommands: "sends commands that are longer than 20 octets"
        case .agreesOnMTU: "agrees on an ATT_MTU above 23"
        case .comesBackWithBond: "reconnects with its bond after a lost link"
        case .canBeRecognized: "advertises as the identity that it distributes"
        }
    }
}
