import ANCS
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver
@testable import BluetoothLE

/// A link to a phone, from the connection to ANCS: who asks for what, and in which order.
@Suite struct ProviderLinkTests {
    static let all = ProviderLink.Output.available(hasControlPoint: true, hasDataSource: true)
    static let search = ProviderLink.Output.start(
        .discoverDatabase(service: .ancs), .discoverANCS)

    @Test("a phone is secured, prepared, searched and available")
    func wholeWay() {
        var link = ProviderLink(isBonded: false, cached: nil, at: .zero)
        #expect(link.drain() == [.requestSecurity])
        #expect(link.encrypted() == [.start(.exchangeMTU, .exchangeMTU)])
        #expect(
            link.end(of: .exchangeMTU, .success(.mtu(185))) == [
                .start(.discoverDatabase(service: .genericAttribute), .discoverGenericAttribute)
            ])
        #expect(
            link.end(of: .discoverGenericAttribute, .success(.database(.genericAttribute())))
                == [.start(.readByUUID(.all, .databaseHash), .readDatabaseHash)])
        #expect(link.end(of: .readDatabaseHash, .hash([9])) == [Self.search])
        #expect(
            link.end(of: .discoverANCS, .success(.database(.ancs()))) == [
                .keep(.ancs(hash: [9])), Self.all,
            ])
        let deadline = link.nextDeadline
        #expect(deadline == nil)
    }

    @Test("a bonded phone has two seconds to encrypt before it is asked to")
    func bondedPatience() {
        var link = ProviderLink(isBonded: true, cached: nil, at: .zero)
        #expect(link.drain().isEmpty)
        let deadline = link.nextDeadline
        #expect(deadline == .seconds(2))
        #expect(link.timePasses(to: MonotonicInstant(nanoseconds: 1_999_999_999)).isEmpty)
        #expect(link.timePasses(to: .seconds(2)) == [.requestSecurity])
        #expect(link.timePasses(to: .seconds(3)).isEmpty)
    }

    @Test("while pairing is closed, a device with a phone's address has ten seconds to encrypt")
    func claimedAddress() {
        var link = ProviderLink(isBonded: true, mayPair: false, cached: nil, at: .zero)
        #expect(link.timePasses(to: .seconds(2)) == [.requestSecurity])
        #expect(link.timePasses(to: .seconds(10)) == [.disconnect(.notSecured)])
    }

    @Test("a pairing request that was made too soon is repeated when it is allowed")
    func delayedRequest() {
        var link = ProviderLink.securing()
        link.securityDelayed(until: .seconds(8))
        let deadline = link.nextDeadline
        #expect(deadline == .seconds(8))
        #expect(link.timePasses(to: .seconds(8)) == [.requestSecurity])
        _ = link.encrypted()
        link.securityDelayed(until: .seconds(9))
        #expect(link.timePasses(to: .seconds(9)).isEmpty)
    }

    @Test("a link that is not secured is disconnected after 90 s", arguments: [false, true])
    func securingLimit(isBonded: Bool) {
        var link = ProviderLink(isBonded: isBonded, cached: nil, at: .zero)
        _ = link.timePasses(to: .seconds(2))
        #expect(link.timePasses(to: MonotonicInstant(nanoseconds: 89_999_999_999)).isEmpty)
        #expect(link.timePasses(to: .seconds(90)) == [.disconnect(.notSecured)])
        #expect(link.encrypted().isEmpty)
        let deadline = link.nextDeadline
        #expect(deadline == nil)
    }

    @Test("a link that is not encrypted is not secured")
    func notEncrypted() {
        var link = ProviderLink.securing()
        #expect(link.after { $0.securityChanged(LinkSecurity(isBonded: true)) }.isEmpty)
    }

    struct Preparation: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var database: RemoteDatabase?
        var next: ProviderLink.Output
    }

    static let preparations: [Preparation] = [
        .init(
            testDescription: "there is no Generic Attribute service", database: .init(),
            next: search),
        .init(testDescription: "discovery failed", database: nil, next: search),
        .init(
            testDescription: "no Service Changed, no hash",
            database: .genericAttribute(hasServiceChanged: false, hasHash: false), next: search),
        .init(
            testDescription: "Service Changed cannot be followed, no hash",
            database: .genericAttribute(hasConfiguration: false, hasHash: false), next: search),
        .init(
            testDescription: "a hash only", database: .genericAttribute(hasServiceChanged: false),
            next: .start(.readByUUID(.all, .databaseHash), .readDatabaseHash)),
    ]

    @Test("steps for which a phone has no characteristic are left out", arguments: preparations)
    func preparation(_ row: Preparation) {
        var link = ProviderLink.preparing()
        _ = link.end(of: .exchangeMTU, .failure(.errorResponse(.requestNotSupported, .first)))
        let result: Result<GATTResult, GATTFailure> =
            row.database.map { .success(.database($0)) } ?? .failure(.malformedResponse)
        #expect(link.end(of: .discoverGenericAttribute, result) == [row.next])
    }

    @Test("without a database hash no services are stored")
    func noHash() {
        var link = ProviderLink.searching(hash: nil)
        #expect(link.end(of: .discoverANCS, .success(.database(.ancs()))) == [Self.all])
    }

    @Test("stored services are used if the hash is the same; otherwise the phone is searched")
    func cachedHandles() {
        let kept = RemoteDatabase.ancs(hash: [9])
        var link = ProviderLink.preparing(cached: kept)
        _ = link.end(of: .exchangeMTU)
        _ = link.end(of: .discoverGenericAttribute, .success(.database(.genericAttribute())))
        #expect(link.end(of: .readDatabaseHash, .hash([9])) == [.keep(kept), Self.all])

        var other = ProviderLink.preparing(cached: kept)
        _ = other.end(of: .exchangeMTU)
        _ = other.end(of: .discoverGenericAttribute, .success(.database(.genericAttribute())))
        #expect(other.end(of: .readDatabaseHash, .hash([8])) == [Self.search])
    }

    @Test(
        "a Service Changed during preparation discards the stored services, with the same hash too")
    func changedWhilePreparing() {
        var link = ProviderLink.preparing(cached: .ancs(hash: [9]))
        _ = link.end(of: .exchangeMTU)
        _ = link.end(of: .discoverGenericAttribute, .success(.database(.genericAttribute())))
        #expect(link.serviceChanged().isEmpty)
        #expect(link.end(of: .readDatabaseHash, .hash([9])) == [Self.search])
    }

    @Test("a phone whose stored services lack ANCS is searched")
    func keptWithoutANCS() {
        var link = ProviderLink.preparing(cached: RemoteDatabase(hash: [9]))
        _ = link.end(of: .exchangeMTU)
        _ = link.end(of: .discoverGenericAttribute, .success(.database(.genericAttribute())))
        #expect(link.end(of: .readDatabaseHash, .hash([9])) == [Self.search])
    }

    // MARK: The service

    struct Layout: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var database: RemoteDatabase
        /// `nil` where this is no ANCS.
        var output: ProviderLink.Output?
    }

    static let layouts: [Layout] = [
        .init(
            testDescription: "no Control Point (R8)", database: .ancs(controlPoint: false),
            output: .available(hasControlPoint: false, hasDataSource: true)),
        .init(
            testDescription: "no Data Source (R8)", database: .ancs(dataSource: false),
            output: .available(hasControlPoint: true, hasDataSource: false)),
        .init(
            testDescription: "a Data Source that cannot be subscribed to",
            database: .ancs(dataConfiguration: false),
            output: .available(hasControlPoint: true, hasDataSource: false)),
        .init(
            testDescription: "a Notification Source that cannot be subscribed to (S31)",
            database: .ancs(sourceConfiguration: false), output: nil),
        .init(
            testDescription: "no Notification Source", database: .ancs(notificationSource: false),
            output: nil),
        .init(testDescription: "no service", database: RemoteDatabase(), output: nil),
    ]

    @Test(
        "missing characteristics are reported, and without a Notification Source the service is not ANCS",
        arguments: layouts)
    func layout(_ row: Layout) {
        var link = ProviderLink.searching()
        let outputs = link.end(of: .discoverANCS, .success(.database(row.database)))
        #expect(outputs.last == row.output ?? .waiting)
        let deadline = link.nextDeadline
        #expect((deadline == nil) == (row.output != nil))
    }

    @Test("a phone without ANCS is searched again, with pauses that double")
    func growingInterval() {
        var link = ProviderLink.waiting()
        var now = MonotonicInstant.zero
        for seconds in [2, 4, 8, 16, 30, 30] {
            let due = now + .seconds(seconds)
            let deadline = link.nextDeadline
            #expect(deadline == due)
            now = due
            #expect(link.timePasses(to: now) == [Self.search])
            #expect(
                link.end(of: .discoverANCS, .success(.database(RemoteDatabase())), at: now)
                    == [.waiting])
        }
        // Service Changed is a reason to look at once, and often again.
        #expect(link.serviceChanged() == [Self.search])
        _ = link.end(of: .discoverANCS, .failure(.malformedResponse), at: now)
        let deadline = link.nextDeadline
        #expect(deadline == now + .seconds(2))
    }
}
