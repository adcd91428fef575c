import BluetoothTypes
import Testing

@testable import ANCS
@testable import ANCSEvents
@testable import ANCSKit
@testable import AccessoryConformance

/// What accessories do, and which requirement each story keeps or breaks.
extension ConformanceTests {
    struct Story: Sendable, CustomTestStringConvertible {
        var requirement: Requirement
        /// `nil` where the story says nothing about the requirement.
        var isKept: Bool?
        var testDescription: String
        var before = #"{"wait":"subscribed"}"#
        var happen: @Sendable (ScenarioBench) -> Void

        init(
            _ requirement: Requirement, _ isKept: Bool?, _ text: String,
            before: String = #"{"wait":"subscribed"}"#,
            _ happen: @escaping @Sendable (ScenarioBench) -> Void
        ) {
            self.requirement = requirement
            self.isKept = isKept
            testDescription = text
            self.before = before
            self.happen = happen
        }
    }

    static let sessions: [Story] = [
        .init(.subscribesDataSourceFirst, false, "Notification Source first") { bench in
            bench.connect()
            bench.hear(.session(watch, .subscriptionChanged(.notificationSource, true)))
            bench.hear(.session(watch, .started))
            bench.hear(.session(watch, .subscriptionChanged(.dataSource, true)))
        },
        .init(.subscribesToServiceChanged, false, "no Service Changed") { bench in
            bench.connect()
            bench.hear(.session(watch, .subscriptionChanged(.dataSource, true)))
            bench.hear(.session(watch, .subscriptionChanged(.notificationSource, true)))
            bench.hear(.session(watch, .started))
        },
        .init(.subscribesToServiceChanged, nil, "a bond that is older than the run") { bench in
            bench.connect()
            bench.hear(.peer(watch, .bondRestored))
            bench.hear(.session(watch, .subscriptionChanged(.dataSource, true)))
            bench.hear(.session(watch, .subscriptionChanged(.notificationSource, true)))
            bench.hear(.session(watch, .started))
        },
        .init(.subscribesToServiceChanged, true, "a confirmed Service Changed") { bench in
            bench.connect()
            bench.hear(.peer(watch, .bondRestored))
            bench.hear(.session(watch, .subscriptionChanged(.dataSource, true)))
            bench.hear(.session(watch, .subscriptionChanged(.notificationSource, true)))
            bench.hear(.session(watch, .started))
            bench.hear(.session(watch, .serviceChangedConfirmed))
        },
        .init(.writesWithResponse, false, "a Write Command") { bench in
            bench.subscribe()
            bench.hear(.session(watch, .commandWithoutResponse(ScenarioBench.fetch(0))))
        },
        .init(.usesAnnouncedIdentifiers, false, "a UID of nowhere") { bench in
            bench.subscribe()
            bench.write(ScenarioBench.fetch(9), outcome: .refused(.invalidParameter))
        },
        .init(.forgetsEarlierSessions, false, "a UID of the session before") { bench in
            bench.subscribe()
            bench.announce("a", uid: 5)
            bench.hear(.session(watch, .ended))
            bench.hear(.session(watch, .started))
            bench.write(ScenarioBench.fetch(5), outcome: .refused(.invalidParameter))
        },
        .init(.forgetsEarlierSessions, true, "the same number, announced again") { bench in
            bench.subscribe()
            bench.announce("a", uid: 5)
            bench.hear(.session(watch, .ended))
            bench.hear(.session(watch, .started))
            bench.announce("b", uid: 5)
            bench.write(ScenarioBench.fetch(5))
        },
        .init(.asksNothingAboutRemoved, false, "a fetch after Removed") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.announce("a", uid: 0, .removed)
            bench.wait(.seconds(3))
            bench.write(ScenarioBench.fetch(0), outcome: .refused(.invalidParameter))
        },
        .init(.asksNothingAboutRemoved, true, "a fetch that crosses Removed") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.announce("a", uid: 0, .removed)
            bench.write(ScenarioBench.fetch(0), outcome: .refused(.invalidParameter))
        },
        .init(.asksNothingAboutRemoved, false, "what was answered, because it is gone") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0))
            bench.announce("a", uid: 0, .removed)
            bench.write(ScenarioBench.fetch(0), outcome: .refused(.invalidParameter))
        },
        .init(.asksNothingAboutRemoved, false, "a part of what was answered, because it is gone") {
            bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write([0, 0, 0, 0, 0, 1, 64, 0, 5])
            bench.announce("a", uid: 0, .removed)
            bench.write([0, 0, 0, 0, 0, 5], outcome: .refused(.invalidParameter))
        },
        .init(.asksNothingAboutRemoved, true, "another part than was answered crosses Removed") {
            bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write([0, 0, 0, 0, 0, 1, 64, 0])
            bench.announce("a", uid: 0, .removed)
            bench.write([0, 0, 0, 0, 0, 5], outcome: .refused(.invalidParameter))
        },
        .init(.asksNothingAboutRemoved, true, "what Modified has made new crosses Removed") {
            bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0))
            bench.announce("a", uid: 0, .modified)
            bench.announce("a", uid: 0, .removed)
            bench.write(ScenarioBench.fetch(0), outcome: .refused(.invalidParameter))
        },
        .init(.fetchesOnce, true, "what is removed is not unchanged") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0))
            bench.announce("a", uid: 0, .removed)
            bench.write(ScenarioBench.fetch(0), outcome: .refused(.invalidParameter))
        },
        .init(.asksNothingWithoutSession, false, "a command after unsubscribing") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.hear(.session(watch, .subscriptionChanged(.notificationSource, false)))
            bench.hear(.session(watch, .ended))
            bench.write(ScenarioBench.fetch(0), outcome: .refused(.invalidParameter))
        },
        .init(.asksOnlyWithDataSource, false, "no Data Source") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.hear(.session(watch, .subscriptionChanged(.dataSource, false)))
            bench.write(ScenarioBench.fetch(0), outcome: .withheld)
        },
        .init(.comesBackWithBond, false, "a second pairing", before: returning) { bench in
            bench.subscribe()
            bench.hear(.peer(watch, .disconnected(.link(.connectionTimeout))))
            bench.subscribe()
        },
        .init(.comesBackWithBond, true, "the bond", before: returning) { bench in
            bench.subscribe()
            bench.hear(.peer(watch, .disconnected(.link(.connectionTimeout))))
            comeBack(bench)
        },
        .init(.comesBackWithBond, false, "the bond, and no session", before: returning) { bench in
            bench.subscribe()
            bench.hear(.peer(watch, .disconnected(.link(.connectionTimeout))))
            bench.connect()
            bench.hear(.peer(watch, .bondRestored))
        },
        .init(.comesBackWithBond, nil, "the bond, and another lost link", before: returning) {
            bench in
            bench.subscribe()
            bench.hear(.peer(watch, .disconnected(.link(.connectionTimeout))))
            bench.connect()
            bench.hear(.peer(watch, .bondRestored))
            bench.wait(.seconds(2))
            bench.hear(.peer(watch, .disconnected(.link(.connectionTimeout))))
        },
        .init(.comesBackWithBond, false, "it never comes back", before: returning) { bench in
            bench.subscribe()
            bench.hear(.peer(watch, .disconnected(.link(.connectionTimeout))))
        },
        .init(
            .comesBackWithBond, false, "a session, and no command, as it sent before",
            before: returning
        ) { bench in
            bench.subscribe()
            bench.announce("a", uid: 1)
            bench.write(ScenarioBench.fetch(1))
            bench.hear(.peer(watch, .disconnected(.link(.connectionTimeout))))
            comeBack(bench)
            bench.announce("b", uid: 1)
        },
        .init(
            .comesBackWithBond, true, "a session, and no command about what it left aside before",
            before: returning
        ) { bench in
            bench.subscribe()
            bench.announce("a", uid: 1)
            bench.write(ScenarioBench.fetch(1))
            bench.hear(.peer(watch, .disconnected(.link(.connectionTimeout))))
            comeBack(bench)
            bench.announce("b", uid: 1, category: .email)
        },
        .init(.subscribesDataSourceFirst, nil, "Notification Source alone, and no command") {
            bench in
            bench.connect()
            bench.hear(.session(watch, .subscriptionChanged(.notificationSource, true)))
            bench.hear(.session(watch, .started))
            bench.announce("a", uid: 1, flags: .negativeAction)
            bench.write([2, 1, 0, 0, 0, 1], outcome: .performed)
        },
        .init(.subscribesDataSourceFirst, false, "Notification Source alone, and a command") {
            bench in
            bench.connect()
            bench.hear(.session(watch, .subscriptionChanged(.notificationSource, true)))
            bench.hear(.session(watch, .started))
            bench.announce("a", uid: 1)
            bench.write(ScenarioBench.fetch(1), outcome: .withheld)
        },
        .init(.comesBackWithBond, false, "no bonding, so no bond", before: returning) { bench in
            bench.subscribe(isBonded: false)
            bench.hear(.peer(watch, .disconnected(.link(.connectionTimeout))))
            bench.subscribe(isBonded: false)
        },
        .init(
            .comesBackWithBond, false, "without the keys of its bond", before: returning
        ) { bench in
            bench.subscribe()
            bench.hear(.peer(watch, .disconnected(.link(.connectionTimeout))))
            bench.connect()
            bench.hear(.peer(watch, .securityFailed(.peerLostBond)))
        },
        .init(.followsService, false, "no session after it returned", before: vanishing) { bench in
            bench.subscribe()
            bench.hear(.session(watch, .ended))
        },
        .init(.followsService, true, "a session after it returned", before: vanishing) { bench in
            bench.subscribe()
            bench.hear(.session(watch, .ended))
            bench.hear(.session(watch, .started))
        },
    ]

    /// A link with the bond, and a session.
    static func comeBack(_ bench: ScenarioBench) {
        bench.connect()
        bench.hear(.peer(watch, .bondRestored))
        bench.hear(.session(watch, .subscriptionChanged(.dataSource, true)))
        bench.hear(.session(watch, .subscriptionChanged(.notificationSource, true)))
        bench.hear(.session(watch, .started))
    }

    /// A link that the accessory ends after so many answers about three notifications from before.
    static func leave(_ bench: ScenarioBench, after count: UInt8) {
        for (index, name) in ["a", "b", "c"].enumerated() {
            bench.announce(name, uid: UInt32(index), flags: .preExisting)
        }
        for uid in 0..<count { bench.write(ScenarioBench.fetch(uid)) }
        bench.wait(.seconds(1))
        bench.hear(.session(watch, .ended))
        bench.hear(.peer(watch, .disconnected(.link(.remoteUserTerminatedConnection))))
    }

    static let returning = #"{"wait":"subscribed"},{"disconnect":true}"#
    static let vanishing =
        #"{"wait":"subscribed"},{"unpublish":true},{"wait":"sessionEnded"},{"publish":true}"#
    static func fault(_ fault: String) -> String {
        #"{"wait":"subscribed"},{"inject":{"fault":\#(fault)}}"#
    }

    static let fetches: [Story] = [
        .init(.fetchesOnce, false, "twice the same") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0))
            bench.write(ScenarioBench.fetch(0))
        },
        .init(.fetchesOnce, true, "again after a refusal") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0), outcome: .refused(.writeNotPermitted))
            bench.write(ScenarioBench.fetch(0))
        },
        .init(.fetchesOnce, true, "again, as Modified came before the answer") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            let fetch = bench.write(ScenarioBench.fetch(0), outcome: nil)
            bench.announce("a", uid: 0, .modified)
            bench.hear(.session(watch, .answered(fetch, .sent(octets: 20))))
            bench.write(ScenarioBench.fetch(0))
        },
        .init(.fetchesOnce, true, "again, as the answer was a header") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0), outcome: .sent(octets: 5))
            bench.write(ScenarioBench.fetch(0))
        },
        .init(
            .acceptsAnyOrder, false, "twice, as the order was another",
            before: #"{"wait":"subscribed"},{"set":{"attributeOrder":"reversed"}}"#
        ) { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0))
            bench.write(ScenarioBench.fetch(0))
        },
        .init(
            .acceptsAnyOrder, true, "twice, as it fetches everything twice",
            before: #"{"wait":"subscribed"},{"expect":{"command":"any"}},"#
                + #"{"set":{"attributeOrder":"reversed"}}"#
        ) { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0))
            bench.write(ScenarioBench.fetch(0))
            bench.announce("b", uid: 1)
            bench.write(ScenarioBench.fetch(1))
            bench.write(ScenarioBench.fetch(1))
        },
        .init(.asksForNamesOnce, false, "a name twice") { bench in
            bench.subscribe()
            bench.write([1, 0x61, 0, 0])
            bench.write([1, 0x61, 0, 0])
        },
        .init(.asksForNamesOnce, true, "again, as there was no name") { bench in
            bench.subscribe()
            bench.write([1, 0x61, 0, 0], outcome: .sent(octets: 3))
            bench.write([1, 0x61, 0, 0], outcome: .sent(octets: 3))
        },
        .init(.fetchesModifiedAgain, false, "Modified and nothing") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0))
            bench.announce("a", uid: 0, .modified)
        },
        .init(.fetchesModifiedAgain, false, "Modified and nothing, until it is removed") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0))
            bench.announce("a", uid: 0, .modified)
            bench.wait(.seconds(10))
            bench.announce("a", uid: 0, .removed)
        },
        .init(.fetchesModifiedAgain, nil, "Modified, and removed at once") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0))
            bench.announce("a", uid: 0, .modified)
            bench.announce("a", uid: 0, .removed)
        },
        .init(.handlesLargeIdentifiers, true, "it stopped later, for another reason") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1 << 31)
            bench.write([0, 0, 0, 0, 0x80, 0, 1, 64, 0, 3, 64, 0])
            bench.announce("b", uid: (1 << 31) + 1)
            bench.wait(.seconds(10))
            bench.hear(.session(watch, .ended))
            bench.hear(.session(watch, .started))
            bench.announce("c", uid: 2)
            bench.write(ScenarioBench.fetch(2))
        },
        .init(
            .handlesIdentifierZero, nil, "a UID of the session before, which is announced meanwhile"
        ) { bench in
            bench.subscribe()
            bench.announce("a", uid: 1)
            bench.announce("b", uid: 7)
            bench.write(ScenarioBench.fetch(1))
            bench.hear(.session(watch, .ended))
            bench.hear(.session(watch, .started))
            bench.write(ScenarioBench.fetch(7), outcome: .refused(.invalidParameter))
            bench.hear(.session(watch, .ended))
            bench.hear(.session(watch, .started))
            bench.announce("a", uid: 0)
            bench.announce("b", uid: 1)
            bench.write(ScenarioBench.fetch(1))
            bench.wait(.seconds(8))
        },
        .init(.handlesIdentifierZero, false, "all but UID 0") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.announce("b", uid: 1)
            bench.write(ScenarioBench.fetch(1))
        },
        .init(.handlesIdentifierZero, true, "UID 0, but not where others crowd it out") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.announce("b", uid: 1)
            bench.write(ScenarioBench.fetch(1))
            bench.wait(.seconds(10))
            bench.hear(.session(watch, .ended))
            bench.hear(.session(watch, .started))
            bench.announce("c", uid: 0)
            bench.write(ScenarioBench.fetch(0))
        },
        .init(.acceptsReservedFlags, false, "all but the one with bit 5") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1, flags: .observedBit5)
            bench.announce("b", uid: 2)
            bench.write(ScenarioBench.fetch(2))
        },
        .init(.acceptsReservedCategories, false, "all but category 12") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1, category: .activeCall)
            bench.announce("b", uid: 2)
            bench.write(ScenarioBench.fetch(2))
        },
        .init(.handlesLargeIdentifiers, false, "all but the large one") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1 << 31)
            bench.announce("b", uid: 2)
            bench.write(ScenarioBench.fetch(2))
        },
        .init(.sendsOneCommandAtATime, false, "two commands at once") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0), outcome: nil)
            bench.write([1, 0x61, 0, 0])
        },
        .init(.sendsOneCommandAtATime, nil, "one that was given up") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0), outcome: nil)
            bench.wait(.seconds(10))
            bench.write([1, 0x61, 0, 0])
        },
        .init(.actsOnlyWithFlag, false, "an action that is not there") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0, flags: .positiveAction)
            bench.write([2, 0, 0, 0, 0, 1], outcome: .refused(.actionFailed))
        },
        .init(.actsOnlyWhenAsked, false, "an action that nobody asked for") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0, flags: .positiveAction)
            bench.write([2, 0, 0, 0, 0, 0], outcome: .performed)
        },
    ]

    /// Accessories that fetch some notifications, by kinds that have nothing to do with the requirement.
    static let choices: [Story] = [
        .init(.handlesIdentifierZero, nil, "what was there before is left alone") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0, flags: .preExisting)
            bench.announce("b", uid: 1)
            bench.write(ScenarioBench.fetch(1))
        },
        .init(.handlesIdentifierZero, false, "all that was there before but UID 0") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0, flags: .preExisting)
            bench.announce("b", uid: 1, flags: .preExisting)
            bench.write(ScenarioBench.fetch(1))
        },
        .init(.handlesIdentifierZero, nil, "a category that is left alone") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0, category: .email)
            bench.announce("b", uid: 1)
            bench.announce("c", uid: 2, category: .email)
            bench.write(ScenarioBench.fetch(1))
        },
        .init(.handlesIdentifierZero, nil, "what is silent is left alone") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0, flags: .silent)
            bench.announce("b", uid: 1)
            bench.write(ScenarioBench.fetch(1))
        },
        .init(.acceptsReservedFlags, nil, "what is not important is left alone") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1, flags: EventFlags(rawValue: 1 << 5))
            bench.announce("b", uid: 2, flags: .important)
            bench.write(ScenarioBench.fetch(2))
        },
        .init(.acceptsReservedCategories, nil, "only one category of two is fetched") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1, category: .activeCall)
            bench.announce("b", uid: 2)
            bench.announce("c", uid: 3, category: .incomingCall)
            bench.write(ScenarioBench.fetch(2))
        },
        .init(.acceptsReservedCategories, nil, "what was there before is left alone") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1, flags: .preExisting, category: .activeCall)
            bench.announce("b", uid: 2)
            bench.write(ScenarioBench.fetch(2))
        },
        .init(.handlesLargeIdentifiers, false, "a session of large ones amid others") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1)
            bench.write(ScenarioBench.fetch(1))
            bench.hear(.session(watch, .ended))
            bench.hear(.session(watch, .started))
            bench.announce("b", uid: 1 << 31)
            bench.wait(.seconds(6))
            bench.hear(.session(watch, .ended))
            bench.hear(.session(watch, .started))
            bench.announce("c", uid: 1)
            bench.write(ScenarioBench.fetch(1))
        },
        .init(.handlesLargeIdentifiers, nil, "an accessory that fetches nothing more") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1)
            bench.write(ScenarioBench.fetch(1))
            bench.hear(.session(watch, .ended))
            bench.hear(.session(watch, .started))
            bench.announce("b", uid: 1 << 31)
        },
        .init(
            .handlesLargeIdentifiers, nil, "announced where commands are refused",
            before: #"{"wait":"subscribed"},{"consent":false}"#
        ) { bench in
            bench.subscribe()
            bench.announce("a", uid: 1 << 31)
            bench.announce("b", uid: 2)
            bench.write(ScenarioBench.fetch(2), outcome: .refused(.writeNotPermitted))
        },
        .init(.goesOnAfterRefusal, nil, "nothing but a Removed after 0xA2") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0), outcome: .refused(.invalidParameter))
            bench.announce("a", uid: 0, .removed)
        },
        .init(.goesOnAfterRefusal, nil, "nothing but what was there before after 0xA2") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1)
            bench.write(ScenarioBench.fetch(1), outcome: .refused(.invalidParameter))
            bench.announce("b", uid: 2, flags: .preExisting)
        },
        .init(.goesOnAfterRefusal, nil, "0xA2, and the end a second after more work") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1)
            bench.write(ScenarioBench.fetch(1), outcome: .refused(.invalidParameter))
            bench.wait(.seconds(20))
            bench.announce("b", uid: 2)
            bench.wait(.seconds(1))
            bench.interrupt()
        },
    ]

    static let troubles: [Story] = [
        .init(.goesOnAfterLostAnswer, false, "nothing follows", before: fault(#""lost""#)) {
            bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0), outcome: .withheld)
            bench.announce("b", uid: 1)
        },
        .init(.goesOnAfterLostAnswer, true, "the next one follows", before: fault(#""lost""#)) {
            bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0), outcome: .withheld)
            bench.announce("b", uid: 1)
            bench.wait(.seconds(10))
            bench.write(ScenarioBench.fetch(1))
        },
        .init(
            .goesOnAfterLateAnswer, false, "gone after a late answer",
            before: fault(#""late","by":12"#)
        ) { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0))
            bench.wait(.seconds(1))
            bench.hear(.peer(watch, .disconnected(.link(.connectionTimeout))))
        },
        .init(.goesOnAfterRefusal, false, "silent after 0xA2 until its next session") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0), outcome: .refused(.invalidParameter))
            bench.announce("b", uid: 1)
            bench.wait(.seconds(20))
            bench.hear(.session(watch, .ended))
            bench.hear(.session(watch, .started))
            bench.announce("c", uid: 2)
            bench.write(ScenarioBench.fetch(2))
        },
        .init(.goesOnAfterRefusal, false, "gone after 0xA2") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            bench.write(ScenarioBench.fetch(0), outcome: .refused(.invalidParameter))
            bench.wait(.seconds(1))
            bench.hear(.peer(watch, .disconnected(.link(.connectionTimeout))))
        },
        .init(.goesOnWithoutName, false, "hangs after a header without attributes") { bench in
            bench.subscribe()
            bench.write([1, 0x61, 0, 0], outcome: .sent(octets: 3))
            bench.announce("a", uid: 0)
        },
        .init(.goesOnAfterRefusal, nil, "what it could ask about was removed") { bench in
            bench.subscribe()
            bench.announce("a", uid: 1)
            bench.write(ScenarioBench.fetch(1), outcome: .refused(.invalidParameter))
            bench.announce("b", uid: 2)
            bench.wait(.seconds(3))
            bench.announce("b", uid: 2, .removed)
        },
        .init(.goesOnAfterRefusal, false, "what it could ask about was removed much later") {
            bench in
            bench.subscribe()
            bench.announce("a", uid: 1)
            bench.write(ScenarioBench.fetch(1), outcome: .refused(.invalidParameter))
            bench.announce("b", uid: 2)
            bench.wait(.seconds(6))
            bench.announce("b", uid: 2, .removed)
        },
        .init(.survivesExisting, false, "gone after its first answer, again and again") { bench in
            bench.subscribe()
            leave(bench, after: 1)
            comeBack(bench)
            leave(bench, after: 1)
        },
        .init(.survivesExisting, true, "gone after its first answer, once") { bench in
            bench.subscribe()
            leave(bench, after: 1)
            comeBack(bench)
            leave(bench, after: 3)
        },
        .init(.survivesExisting, true, "gone once it has asked about all, again and again") {
            bench in
            bench.subscribe()
            leave(bench, after: 3)
            comeBack(bench)
            leave(bench, after: 3)
        },
        .init(.survivesExisting, false, "gone in the burst") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0, flags: .preExisting)
            bench.wait(.seconds(1))
            bench.hear(.peer(watch, .disconnected(.link(.connectionTimeout))))
        },
        .init(.waitsForConsent, false, "eleven commands in a second") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            for _ in 0..<11 {
                bench.write(ScenarioBench.fetch(0), outcome: .refused(.writeNotPermitted))
            }
        },
        .init(.waitsForConsent, true, "a command each five seconds") { bench in
            bench.subscribe()
            bench.announce("a", uid: 0)
            for _ in 0..<11 {
                bench.write(ScenarioBench.fetch(0), outcome: .refused(.writeNotPermitted))
                bench.wait(.seconds(5))
            }
        },
    ]
}
