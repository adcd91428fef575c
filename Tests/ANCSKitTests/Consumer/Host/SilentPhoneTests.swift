import ANCS
import BluetoothLE
import Octets
import Testing

@testable import ANCSKit

@Suite("Phones that change without a word")
struct SilentPhoneTests {
    @Test("a subscription is read, ended and made again by its descriptor")
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

    @Test("handles that are wrong although nobody said so are searched for again (R5)")
    func moved() {
        var link = ProviderLink.available()
        let failure = GATTFailure.errorResponse(.invalidHandle, AttributeHandle(21))
        #expect(
            link.end(of: .request(.writeControlPoint([])), .failure(failure)) == [
                .report(.controlPointWritten(ControlPointError(rawValue: 0x01))), .unavailable,
                .start(.discoverDatabase(service: .ancs), .discoverANCS),
            ])
    }

    @Test("the phone is asked for its name when all else is done, and once")
    func name() {
        var link = ProviderLink.available()
        for round in 1...2 {
            let outputs = link.end(of: .request(.subscribe(.notificationSource)))
            #expect(outputs.first == .report(.subscribed(.notificationSource)))
            #expect(outputs.count == (round == 1 ? 2 : 1))
        }
        let name = GATTResult.values([.init(handle: AttributeHandle(3), value: Array("Ada".utf8))])
        #expect(link.end(of: .readName, .success(name)) == [.named("Ada")])
        #expect(link.end(of: .readName, .success(.values([]))).isEmpty)
    }
}
