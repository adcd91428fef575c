import ANCS
import BluetoothLE
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite("Phones that change silently")
struct SilentPhoneTests {
    @Test("a subscription is read, disabled and enabled by its descriptor")
    func descriptors() {
        var link = ProviderLink.available()
        let handle = AttributeHandle(19)
        #expect(
            link.after { $0.request(.readSubscription(.notificationSource)) }
                == [.start(.readValue(handle), .request(.readSubscription(.notificationSource)))])
        for (value, isSubscribed) in [([1, 0], true), ([0, 0], false)] as [([UInt8], Bool)] {
            #expect(
                link.end(
                    of: .request(.readSubscription(.notificationSource)), .success(.value(value)))
                    == [.report(.subscriptionRead(.notificationSource, isSubscribed: isSubscribed))]
            )
        }
        // A phone that does not let us read it has said nothing about it.
        #expect(
            link.end(
                of: .request(.readSubscription(.notificationSource)),
                .failure(.errorResponse(.readNotPermitted, handle))
            ).isEmpty)
        #expect(
            link.after { $0.request(.unsubscribe(.notificationSource)) } == [
                .start(.writeValue(handle, [0, 0]), .request(.unsubscribe(.notificationSource)))
            ])
        #expect(
            link.end(of: .request(.unsubscribe(.notificationSource))) == [
                .report(.unsubscribed(.notificationSource))
            ])
    }

    @Test("wrong handles are searched for again, though no Service Changed was received (R5)")
    func moved() {
        var link = ProviderLink.available()
        let failure = GATTFailure.errorResponse(.invalidHandle, AttributeHandle(21))
        #expect(
            link.end(of: .request(.writeControlPoint([])), .failure(failure)) == [
                .report(.controlPointWritten([], ControlPointError(rawValue: 0x01))), .unavailable,
                .start(.discoverDatabase(service: .ancs), .discoverANCS),
            ])
    }

    @Test("a phone whose handles stay wrong is searched after longer and longer pauses")
    func movesForEver() {
        var link = ProviderLink.available()
        let failure = GATTFailure.errorResponse(.invalidHandle, AttributeHandle(21))
        var now = MonotonicInstant.zero
        var pauses: [Duration] = []
        _ = link.end(of: .request(.writeControlPoint([])), .failure(failure))
        for _ in 1...6 {
            _ = link.end(of: .discoverANCS, .success(.database(.ancs())), at: now)
            _ = link.end(of: .request(.subscribe(.notificationSource)), at: now)
            let outputs = link.end(
                of: .request(.writeControlPoint([])), .failure(failure), at: now)
            #expect(outputs.suffix(2) == [.unavailable, .waiting])
            let deadline = link.nextDeadline ?? now
            pauses.append(deadline - now)
            now = deadline
            #expect(
                link.timePasses(to: now) == [
                    .start(.discoverDatabase(service: .ancs), .discoverANCS)
                ])
        }
        #expect(pauses == [2, 4, 8, 16, 30, 30].map { .seconds($0) })
        // What takes a command is at its place again, and may move once more.
        _ = link.end(of: .discoverANCS, .success(.database(.ancs())), at: now)
        _ = link.end(of: .request(.writeControlPoint([])), at: now)
        #expect(
            link.end(of: .request(.writeControlPoint([])), .failure(failure), at: now).last
                == .start(.discoverDatabase(service: .ancs), .discoverANCS))
    }

    @Test("the phone's name is read last, and once")
    func name() {
        var link = ProviderLink.available()
        for round in 1...2 {
            let outputs = link.end(of: .request(.subscribe(.notificationSource)))
            #expect(outputs.first == .report(.subscribed(.notificationSource)))
            #expect(outputs.count == (round == 1 ? 2 : 1))
        }
        let name = GATTResult.values([.init(handle: AttributeHandle(3), value: Array("Ada".utf8))])
        #expect(link.end(of: .readName, .success(name)) == [.named(Array("Ada".utf8))])
        #expect(link.end(of: .readName, .success(.values([]))).isEmpty)
    }
}
