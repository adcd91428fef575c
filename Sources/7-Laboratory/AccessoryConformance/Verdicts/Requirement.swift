/// A requirement that an accessory can be judged by. `R` numbers are requirements of ANCS, `S` numbers the behavior of
/// iPhones where ANCS leaves it open, `M` numbers are requirements of the Apple Media Service, and the others are about
/// the link; see `Documentation/Development/Requirements.md`. The tables of what is graded are made of the ``row`` of each.
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

    /// M1: it comes back when AMS does.
    case followsMedia
    /// M1: it goes on without a part of AMS that is missing.
    case usesMediaInParts
    /// M1: it goes on when AMS vanishes during a read.
    case goesOnAfterMediaVanished
    /// M2: it takes the list of commands as replacing the one before.
    case replacesCommands
    /// M2: it goes on when a command of an old list is refused.
    case goesOnWithOldCommands
    /// M3: it registers after subscribing.
    case registersAfterSubscribing
    /// M3: it survives a burst of values.
    case survivesMediaBurst
    /// M4: it reads truncated values whole.
    case readsTruncatedValues
    /// M4: it survives a value that ends within a character.
    case survivesCutCharacters
    /// M5: it reads one value at a time.
    case readsOneValueAtATime
    /// M7: it sends no reserved command to the player.
    case sendsKnownMediaCommands
    /// M8: it asks for no reserved attribute.
    case asksForKnownMedia
    /// M9: it asks for less after a registration that lost the link.
    case asksForLessMedia
    /// M9: it survives numbers with a decimal comma.
    case survivesDecimalComma
    /// M12: it survives values that jump, stay away or come alone.
    case survivesOddMedia
    /// M12: it does not poll for the position.
    case computesPosition
    /// M13: what it writes is whole.
    case sendsWholeMediaWrites
    /// M14: it sends only what the player supports.
    case sendsSupportedCommands

    /// L1: the shortest interval that it asks for.
    case shortestInterval
    /// L2: the longest interval that it asks for.
    case longestInterval
    /// L3: only a Human Interface Device asks for 11.25 ms.
    case humanInterface
    /// L4: the latency that it asks for.
    case latency
    /// L5: the supervision timeout that it asks for.
    case supervisionTimeout
    /// L6: how long it may be silent.
    case longestSilence
    /// L7: the supervision timeout is longer than three silences.
    case timeoutBeyondSilence
    /// L8: it asks for connection parameters soon.
    case asksSoon
    /// L9: it copes with any answer to its request.
    case acceptsAnAnswer
    /// A1: it advertises at one of Apple's intervals.
    case advertisingInterval
    /// A2: its advertising accepts connections.
    case connectable
    /// A3: what its advertising data have.
    case advertisingData
    /// P1: it knows a bonded phone whose address has changed.
    case knowsChangedAddress
    /// P2: its services are discovered without pairing.
    case discoverableWithoutPairing
    /// P3: it asks for security only after a refusal.
    case waitsWithSecurity
    /// P4: its identity resolving key is its own.
    case hasOwnIdentityKey
    /// K1: it slows down after lost links.
    case slowsDown

    /// The number that documents and reports use, as `R25`.
    public var number: String { row.number }

    /// The behavior of an accessory that fulfills it, as *subscribes to Service Changed*.
    public var statement: String { row.statement }

    /// What to change in an accessory that does not fulfill it, in a sentence.
    public var remedy: String { row.remedy }

    /// Whether it is about the use of the Apple Media Service. Only those that use it are judged by it.
    public var isOfMedia: Bool { row.source == .ams }

    /// Whether it is about the link of any accessory, and not about the use of ANCS.
    public var isOfLink: Bool { row.source.isOfLink }
}
