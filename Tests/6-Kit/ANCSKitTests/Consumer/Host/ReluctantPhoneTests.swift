import ANCS
import BluetoothLE
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite("Phones whose ANCS is incomplete, or refused")
struct ReluctantPhoneTests {
    /// A link that is encrypted and waits for what the search brings.
    private static func searching() -> ProviderLink {
        var link = ProviderLink(isBonded: false, cached: nil, at: .zero)
        link.securityChanged(LinkSecurity(isEncrypted: true))
        link.completed(.exchangeMTU, .failure(.malformedResponse), at: .zero)
        link.completed(.discoverGenericAttribute, .failure(.malformedResponse), at: .zero)
        while link.pollOutput() != nil {}
        return link
    }

    private static func service(
        _ first: UInt16, notificationSource: Bool
    ) -> RemoteDatabase.Service {
        let range = AttributeHandleRange(
            AttributeHandle(rawValue: first), AttributeHandle(rawValue: first + 3))
        let source = RemoteDatabase.Characteristic(
            declaration: AttributeHandle(rawValue: first + 1),
            value: AttributeHandle(rawValue: first + 2), properties: .notify,
            uuid: .notificationSource,
            descriptors: [
                .init(
                    handle: AttributeHandle(rawValue: first + 3),
                    type: .clientCharacteristicConfiguration)
            ])
        return RemoteDatabase.Service(
            range: range, uuid: .ancs, characteristics: notificationSource ? [source] : [])
    }

    @Test("a service without a Notification Source does not hide the one behind it")
    func emptyServiceFirst() {
        var link = Self.searching()
        let database = RemoteDatabase(services: [
            Self.service(0x10, notificationSource: false),
            Self.service(0x20, notificationSource: true),
        ])

        link.completed(.discoverANCS, .success(.database(database)), at: .zero)
        #expect(link.pollOutput() == .available(hasControlPoint: false, hasDataSource: false))

        link.request(.subscribe(.notificationSource))
        #expect(
            link.pollOutput()
                == .start(
                    .writeValue(AttributeHandle(rawValue: 0x23), [0x01, 0x00]),
                    .request(.subscribe(.notificationSource))))
    }

    @Test("services without a Notification Source do not count as ANCS, and the search continues")
    func onlyEmptyServices() {
        var link = Self.searching()
        let database = RemoteDatabase(services: [
            Self.service(0x10, notificationSource: false)
        ])

        link.completed(.discoverANCS, .success(.database(database)), at: .zero)
        #expect(link.pollOutput() == .waiting)
        #expect(link.nextDeadline != nil)
    }

    @Test("a phone that refuses the Notification Source is asked again, later each time")
    func refusedSubscription() {
        var link = Self.searching()
        let database = RemoteDatabase(services: [Self.service(0x20, notificationSource: true)])
        let refusal = GATTFailure.errorResponse(
            .insufficientAuthentication, AttributeHandle(rawValue: 0x23))
        var now = MonotonicInstant.zero
        for patience in [2, 4, 8, 16, 30, 30] {
            link.completed(.discoverANCS, .success(.database(database)), at: now)
            #expect(link.pollOutput() == .available(hasControlPoint: false, hasDataSource: false))
            link.completed(.request(.subscribe(.notificationSource)), .failure(refusal), at: now)
            #expect(
                link.pollOutput()
                    == .report(.subscriptionRefused(.notificationSource, errorCode: 0x05)))
            #expect(link.pollOutput() == .unavailable)
            #expect(link.pollOutput() == .waiting)

            now = now + .seconds(patience)
            #expect(link.nextDeadline == now)
            link.handleTimeout(at: now)
            #expect(
                link.pollOutput() == .start(.discoverDatabase(service: .ancs), .discoverANCS))
        }
    }

    @Test("when the bearer ends, the link is disconnected and nothing is reported as refused")
    func endOfBearer() {
        var link = Self.searching()
        let database = RemoteDatabase(services: [Self.service(0x20, notificationSource: true)])
        link.completed(.discoverANCS, .success(.database(database)), at: .zero)
        #expect(link.pollOutput() == .available(hasControlPoint: false, hasDataSource: false))

        link.completed(.request(.writeControlPoint([])), .failure(.transactionTimedOut), at: .zero)
        #expect(link.pollOutput() == .disconnect(.notAnswered))
        link.completed(.request(.writeControlPoint([])), .failure(.closed), at: .zero)
        #expect(link.pollOutput() == nil)
        #expect(link.nextDeadline == nil)
    }

    @Test(
        "a Data Source whose subscription is refused for lack of rights is tried again later",
        arguments: [0x05, 0x0F])
    func forbiddenDataSource(_ code: UInt8) {
        var link = ProviderLink.available()
        let refused = GATTFailure.errorResponse(
            ATTErrorCode(rawValue: code), AttributeHandle(rawValue: 24))
        link.completed(.request(.subscribe(.dataSource)), .failure(refused), at: .zero)
        #expect(link.pollOutput() == .unavailable)
        #expect(link.pollOutput() == .waiting)
        #expect(link.pollOutput() == nil)

        link.handleTimeout(at: .zero + .seconds(2))
        #expect(link.pollOutput() == .start(.discoverDatabase(service: .ancs), .discoverANCS))
    }

    @Test("without a subscription to the Data Source the session has no content")
    func uselessDataSource() {
        var link = ProviderLink.available()
        let refused = GATTFailure.errorResponse(.attributeNotFound, AttributeHandle(rawValue: 24))
        link.completed(.request(.subscribe(.dataSource)), .failure(refused), at: .zero)
        #expect(link.pollOutput() == .report(.subscriptionRefused(.dataSource, errorCode: 0x0A)))
        #expect(link.pollOutput() == nil)
    }
}
