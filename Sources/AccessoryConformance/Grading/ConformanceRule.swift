internal import Terminal

/// A rule that the phone can check an accessory against. `R` numbers are requirements of ANCS, `S` numbers
/// the behavior of iPhones where ANCS leaves it open; see `Documentation/Rules.md`.
package enum ConformanceRule: CaseIterable, Hashable, Sendable {
    case subscribesToServiceChanged
    case followsService
    case writesWithResponse
    case usesKnownCommands
    case sendsWholeNotificationCommands
    case givesMaximaWhereNeeded
    case asksForKnownAttributes
    case asksForAttributes
    case asksForOctets
    case sendsWholeAppCommands
    case asksForKnownAppAttributes
    case sendsWholeActions
    case performsKnownActions
    case actsOnlyWithFlag
    case actsOnlyWhenAsked
    case usesAnnouncedIdentifiers
    case forgetsEarlierSessions
    case asksNothingAboutRemoved
    case survivesExisting
    case handlesIdentifierZero
    case handlesLargeIdentifiers
    case acceptsReservedFlags
    case acceptsReservedCategories
    case fetchesOnce
    case asksForNamesOnce
    case fetchesModifiedAgain
    case subscribesDataSourceFirst
    case asksOnlyWithDataSource
    case asksNothingWithoutSession
    case sendsOneCommandAtATime
    case acceptsAnyOrder
    case goesOnAfterLostAnswer
    case goesOnAfterLateAnswer
    case goesOnAfterRefusal
    case goesOnWithoutName
    case waitsForConsent
    case returnsAfterConsent
    case sendsLongCommands
    case agreesOnMTU
    case comesBackWithBond
    case canBeRecognized

    /// The number that documents and reports use.
    package var number: String {
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

    /// The behavior of an accessory that follows the rule.
    package var statement: String {
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

/// The results for all rules.
struct Scorecard: Hashable, Sendable {
    /// The number of findings that are kept for each rule.
    private static let maximumEvidence = 5

    private struct Entry: Hashable {
        var evidence: [String] = []
        var failures = 0
    }

    private var entries: [ConformanceRule: Entry] = [:]

    /// Records that the rule was tested and followed.
    package mutating func pass(_ rule: ConformanceRule) {
        entries[rule, default: Entry()] = self[rule]
    }

    /// Records that the rule was broken.
    package mutating func fail(_ rule: ConformanceRule, _ evidence: String) {
        var entry = self[rule]
        entry.failures += 1
        if entry.failures <= Self.maximumEvidence { entry.evidence.append(evidence) }
        entries[rule] = entry
    }

    private subscript(rule: ConformanceRule) -> Entry { entries[rule] ?? Entry() }

    /// All rules, in the order of their declaration.
    package var verdicts: [RuleVerdict] {
        ConformanceRule.allCases.map { rule in
            guard let entry = entries[rule] else {
                return RuleVerdict(rule: rule, result: .notExercised)
            }
            guard entry.failures > 0 else { return RuleVerdict(rule: rule, result: .passed) }
            let more = entry.failures - entry.evidence.count
            return RuleVerdict(
                rule: rule,
                result: .failed(
                    evidence: entry.evidence
                        + (more > 0 ? ["and \(counted(more, "time")) more"] : [])))
        }
    }
}
