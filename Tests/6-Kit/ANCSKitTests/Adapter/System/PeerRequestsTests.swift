import BluetoothLE
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// What clients want of a peer on one link, without a link.
@Suite("Requests of clients to a peer")
struct PeerRequestsTests {
    private static let one = ClientID(rawValue: 1)
    private static let other = ClientID(rawValue: 2)
    private static let descriptor = AttributeHandle(0x11)
    private static let read = GATTProcedure.readValue(AttributeHandle(0x10))
    private static let subscribe = GATTProcedure.writeValue(descriptor, [1, 0])
    private static let unsubscribe = GATTProcedure.writeValue(descriptor, [0, 0])
    private static let refused = GATTFailure.errorResponse(
        .insufficientAuthentication, AttributeHandle(0x10))

    private static func request(_ id: UInt64, by client: ClientID = one) -> ClientRequest {
        ClientRequest(id: .init(rawValue: id), client: client)
    }

    private static func completed(
        _ id: UInt64, _ result: Result<GATTResult, GATTFailure>
    ) -> PeerRequests.Output {
        .completed(.init(rawValue: id), result)
    }

    /// Requests whose bearer takes whatever it is given, and names it by numbers from 1 on.
    private struct Bench {
        var requests = PeerRequests()
        private(set) var started: [GATTProcedure] = []

        /// What comes out after something happened.
        mutating func after(_ body: (inout PeerRequests) -> Void) -> [PeerRequests.Output] {
            body(&requests)
            while let procedure = requests.nextProcedure {
                started.append(procedure)
                requests.started(as: ProcedureID(rawValue: UInt64(started.count)))
            }
            var outputs: [PeerRequests.Output] = []
            while let output = requests.pollOutput() { outputs.append(output) }
            return outputs
        }

        mutating func ended(
            _ number: UInt64, _ result: Result<GATTResult, GATTFailure>
        ) -> [PeerRequests.Output] {
            after { $0.completed(ProcedureID(rawValue: number), result) }
        }

        mutating func subscribe(
            _ configuration: ClientCharacteristicConfiguration, by client: ClientID, as id: UInt64
        ) -> [PeerRequests.Output] {
            after {
                $0.subscribe(
                    configuration, at: descriptor, by: client, for: .init(rawValue: id),
                    pairs: true,
                    isForced: false)
            }
        }
    }

    @Test("ATT_MTU is exchanged once, and all that wait for it are answered")
    func mtu() {
        var bench = Bench()
        #expect(bench.after { $0.exchangeMTU() } == [])
        #expect(bench.after { $0.start(.exchangeMTU, for: Self.request(1), pairs: true) } == [])
        #expect(bench.started == [.exchangeMTU])
        #expect(bench.after { $0.mtuChanged(to: 100) } == [])
        #expect(bench.ended(1, .success(.mtu(100))) == [Self.completed(1, .success(.mtu(100)))])
        let late = bench.after { $0.start(.exchangeMTU, for: Self.request(2), pairs: true) }
        #expect(late == [Self.completed(2, .success(.mtu(100)))])
        #expect(bench.started == [.exchangeMTU])
    }

    @Test("a full bearer gets the next procedure when one has ended")
    func fullBearer() {
        var requests = PeerRequests()
        requests.start(Self.read, for: Self.request(1), pairs: true)
        requests.start(Self.subscribe, for: Self.request(2), pairs: true)
        #expect(requests.nextProcedure == Self.read)
        requests.started(as: ProcedureID(rawValue: 7))
        #expect(requests.nextProcedure == Self.subscribe)
        requests.notStarted(because: .bearer(.queueFull))
        #expect(requests.nextProcedure == nil)
        requests.completed(ProcedureID(rawValue: 7), .success(.value([1])))
        #expect(requests.pollOutput() == Self.completed(1, .success(.value([1]))))
        #expect(requests.nextProcedure == Self.subscribe)
    }

    @Test("an invalid request is reported as the error of a server")
    func faults() {
        var requests = PeerRequests()
        requests.start(Self.read, for: Self.request(1), pairs: true)
        requests.notStarted(because: .bearer(.invalidArgument))
        let error = GATTFailure.errorResponse(.invalidHandle, AttributeHandle(0))
        #expect(requests.pollOutput() == Self.completed(1, .failure(error)))
        #expect(requests.nextProcedure == nil)
    }

    // MARK: Protection

    @Test("a request that is refused for lack of encryption is repeated once the link is encrypted")
    func retry() {
        var bench = Bench()
        _ = bench.after { $0.start(Self.read, for: Self.request(1), pairs: true) }
        #expect(bench.ended(1, .failure(Self.refused)) == [.protect])
        #expect(bench.after { $0.protectionBegan() } == [])
        #expect(bench.started == [Self.read])
        #expect(bench.after { $0.protected() } == [])
        #expect(bench.started == [Self.read, Self.read])
        // It is not asked for again.
        #expect(
            bench.ended(2, .failure(Self.refused)) == [Self.completed(1, .failure(Self.refused))])
    }

    @Test("without encryption the request ends with the refusal, at once or after pairing failed")
    func noProtection() {
        var bench = Bench()
        _ = bench.after { $0.start(Self.read, for: Self.request(1), pairs: true) }
        _ = bench.after { $0.start(Self.read, for: Self.request(2), pairs: true) }
        _ = bench.after { $0.start(Self.read, for: Self.request(3), pairs: false) }
        #expect(bench.ended(1, .failure(Self.refused)) == [.protect])
        _ = bench.after { $0.protectionBegan() }
        #expect(bench.ended(2, .failure(Self.refused)) == [.protect])
        // The first one goes on waiting.
        let impossible = bench.after { $0.protectionImpossible() }
        #expect(impossible == [Self.completed(2, .failure(Self.refused))])
        #expect(
            bench.ended(3, .failure(Self.refused)) == [Self.completed(3, .failure(Self.refused))])
        let failed = bench.after { $0.protectionFailed() }
        #expect(failed == [Self.completed(1, .failure(Self.refused))])
    }

    // MARK: Subscriptions

    @Test(
        "the descriptor is written for the first subscriber, and again when the last one unsubscribes"
    )
    func sharedSubscription() {
        var bench = Bench()
        #expect(bench.subscribe(.notification, by: Self.one, as: 1) == [])
        #expect(bench.subscribe(.notification, by: Self.other, as: 2) == [])
        #expect(bench.started == [Self.subscribe])
        #expect(
            bench.ended(1, .success(.done)) == [
                Self.completed(1, .success(.done)), Self.completed(2, .success(.done)),
            ])
        #expect(
            bench.subscribe([], by: Self.one, as: 3) == [Self.completed(3, .success(.done))])
        #expect(bench.started == [Self.subscribe])
        #expect(bench.after { $0.release(Self.other) } == [])
        #expect(bench.started == [Self.subscribe, Self.unsubscribe])
    }

    @Test("a refused subscription leaves the earlier one")
    func refusedSubscription() {
        var bench = Bench()
        _ = bench.subscribe(.notification, by: Self.one, as: 1)
        let error = GATTFailure.errorResponse(.writeNotPermitted, Self.descriptor)
        #expect(bench.ended(1, .failure(error)) == [Self.completed(1, .failure(error))])
        // Nothing is subscribed to, so nothing is taken back.
        #expect(bench.after { $0.release(Self.one) } == [])
        #expect(bench.started == [Self.subscribe])
        _ = bench.subscribe(.notification, by: Self.other, as: 2)
        #expect(bench.started == [Self.subscribe, Self.subscribe])
    }

    // MARK: Ends

    @Test(
        "a client that releases the peer gets its results, and procedures in flight end unreported")
    func released() {
        var bench = Bench()
        _ = bench.after { $0.start(Self.read, for: Self.request(1), pairs: true) }
        _ = bench.after { $0.start(Self.read, for: Self.request(2, by: Self.other), pairs: true) }
        _ = bench.after { $0.readRSSI(for: Self.request(3)) }
        #expect(
            bench.after { $0.release(Self.one) } == [
                Self.completed(1, .failure(.closed)),
                .rssiRead(.init(rawValue: 3), .failure(.closed)),
            ])
        #expect(bench.ended(1, .failure(Self.refused)) == [])
        #expect(
            bench.ended(2, .success(.value([7]))) == [Self.completed(2, .success(.value([7])))])
    }

    @Test("when a link is replaced by another one, every request ends once")
    func replaced() {
        var bench = Bench()
        _ = bench.after { $0.start(Self.read, for: Self.request(1), pairs: true) }
        _ = bench.ended(1, .failure(Self.refused))
        _ = bench.after { $0.protectionBegan() }
        _ = bench.after { $0.start(Self.read, for: Self.request(2), pairs: true) }
        _ = bench.subscribe(.notification, by: Self.other, as: 3)
        _ = bench.after { $0.start(.exchangeMTU, for: Self.request(4), pairs: true) }
        _ = bench.after { $0.readRSSI(for: Self.request(5)) }
        _ = bench.after { $0.findServices(for: .init(rawValue: 6)) }
        #expect(
            bench.after { $0.ended() } == [
                Self.completed(1, .failure(Self.refused)), Self.completed(2, .failure(.closed)),
                Self.completed(3, .failure(.closed)), Self.completed(4, .failure(.closed)),
                .servicesFound(.init(rawValue: 6), []),
                .rssiRead(.init(rawValue: 5), .failure(.closed)),
            ])
        #expect(bench.ended(2, .success(.value([7]))) == [])
        #expect(bench.after { $0.ended() } == [])
    }

    /// A Generic Attribute service whose Service Changed has its value at 3 and its descriptor at 4.
    private static let generic = Result<GATTResult, GATTFailure>.success(
        .database(.genericAttribute()))
    private static let follow = GATTProcedure.writeValue(AttributeHandle(4), [2, 0])

    @Test("Service Changed is subscribed to once, and clients wait until the peer has confirmed")
    func followed() {
        var bench = Bench()
        _ = bench.after { $0.followServices() }
        #expect(
            bench.after { $0.start(.discoverGenericAttribute, for: Self.request(1), pairs: true) }
                == [])
        #expect(bench.started == [.discoverGenericAttribute])
        #expect(bench.ended(1, Self.generic) == [])
        #expect(bench.started == [.discoverGenericAttribute, Self.follow])
        #expect(bench.ended(2, .success(.done)) == [Self.completed(1, Self.generic)])
        #expect(
            bench.after {
                $0.start(
                    .discoverGenericAttribute, for: Self.request(2, by: Self.other), pairs: true)
            } == [Self.completed(2, Self.generic)])
        #expect(bench.started.count == 2)
    }

    @Test(
        "a client need not write again if an app has subscribed to Service Changed")
    func followedByAnApp() {
        var bench = Bench()
        _ = bench.after {
            $0.subscribe(
                .indication, at: AttributeHandle(4), by: Self.other, for: .init(rawValue: 1),
                pairs: true, isForced: false)
        }
        _ = bench.ended(1, .success(.done))
        _ = bench.after { $0.start(.discoverGenericAttribute, for: Self.request(2), pairs: true) }
        #expect(bench.ended(2, Self.generic) == [Self.completed(2, Self.generic)])
        #expect(bench.started == [Self.follow, .discoverGenericAttribute])
    }

    static let endsOfFollowing: [(GATTFailure, isReported: Bool)] = [
        (.errorResponse(.writeNotPermitted, AttributeHandle(4)), false),
        (.transactionTimedOut, true), (.closed, true),
    ]

    @Test(
        "a peer that refuses the subscription to Service Changed is used all the same, unless its bearer has ended",
        arguments: endsOfFollowing)
    func notFollowed(failure: GATTFailure, isReported: Bool) {
        var bench = Bench()
        _ = bench.after { $0.start(.discoverGenericAttribute, for: Self.request(1), pairs: true) }
        _ = bench.ended(1, Self.generic)
        #expect(
            bench.ended(2, .failure(failure))
                == [Self.completed(1, isReported ? .failure(failure) : Self.generic)])
    }

    @Test("releasing or losing the peer ends the wait for Service Changed")
    func followedNoLonger() {
        var bench = Bench()
        _ = bench.after { $0.start(.discoverGenericAttribute, for: Self.request(1), pairs: true) }
        _ = bench.after {
            $0.start(.discoverGenericAttribute, for: Self.request(2, by: Self.other), pairs: true)
        }
        #expect(
            bench.after { $0.release(Self.one) } == [Self.completed(1, .failure(.closed))])
        _ = bench.ended(1, Self.generic)
        #expect(bench.after { $0.ended() } == [Self.completed(2, .failure(.closed))])
    }

    static let changes: [(value: [UInt8], first: UInt16, last: UInt16)] = [
        ([0x10, 0x00, 0x20, 0x00], 0x10, 0x20), ([0x01, 0x00, 0xFF, 0xFF], 0x01, 0xFFFF),
        // Values that are none may mean anything.
        ([], 0x01, 0xFFFF), ([0x1A, 0x00, 0xFF], 0x01, 0xFFFF),
        ([0x20, 0x00, 0x10, 0x00], 0x01, 0xFFFF), ([0x00, 0x00, 0x00, 0x00], 0x01, 0xFFFF),
    ]

    @Test("an indication of Service Changed names the changed services", arguments: changes)
    func servicesChanged(value: [UInt8], first: UInt16, last: UInt16) {
        var bench = Bench()
        _ = bench.after { $0.followServices() }
        #expect(
            bench.requests.servicesChanged(by: .indication(AttributeHandle(3), value)) == nil,
            "it is not known what that is")
        _ = bench.ended(1, Self.generic)
        let range = bench.requests.servicesChanged(by: .indication(AttributeHandle(3), value))
        #expect(range == AttributeHandleRange(AttributeHandle(first), AttributeHandle(last)))
        for other in [
            ATTBearer.ValueEvent.notification(AttributeHandle(3), value),
            .indication(AttributeHandle(18), value),
        ] {
            #expect(bench.requests.servicesChanged(by: other) == nil)
        }
    }

    private static let gone = GATTFailure.errorResponse(.invalidHandle, descriptor)

    @Test("requests about removed attributes fail, and are not sent")
    func forgotten() {
        var bench = Bench()
        _ = bench.subscribe(.notification, by: Self.one, as: 1)
        _ = bench.ended(1, .success(.done))
        _ = bench.subscribe([], by: Self.one, as: 2)
        let kept = GATTProcedure.writeValue(AttributeHandle(0x30), [1])
        bench.requests.add(.request(Self.request(3)), Self.subscribe)
        bench.requests.add(.request(Self.request(4)), kept)
        let range = AttributeHandleRange(AttributeHandle(0x10), AttributeHandle(0x20))
        let outputs = bench.after { $0.forgetAttributes(in: range) }
        #expect(
            outputs == [
                Self.completed(3, .failure(Self.gone)), Self.completed(2, .failure(Self.gone)),
            ])
        #expect(bench.started == [Self.subscribe, Self.unsubscribe, kept])
        // The outcome of the earlier write is not that of the next subscription.
        #expect(bench.subscribe(.notification, by: Self.one, as: 5) == [])
        #expect(bench.ended(2, .success(.done)) == [])
        #expect(bench.started.last == Self.subscribe)
        #expect(bench.ended(4, .success(.done)) == [Self.completed(5, .success(.done))])
    }

    @Test("a write that waits for protection is not sent after its attribute is gone")
    func forgottenWhileProtecting() {
        var bench = Bench()
        _ = bench.subscribe(.notification, by: Self.one, as: 1)
        #expect(bench.ended(1, .failure(Self.refused)) == [.protect])
        _ = bench.after { $0.protectionBegan() }
        let outputs = bench.after { $0.forgetAttributes(in: .all) }
        #expect(outputs == [Self.completed(1, .failure(Self.gone))])
        #expect(bench.after { $0.protected() } == [])
        #expect(bench.started == [Self.subscribe])
    }

    @Test("Service Changed is subscribed to again if it may have changed itself")
    func followedAgain() {
        var bench = Bench()
        _ = bench.after { $0.followServices() }
        _ = bench.ended(1, Self.generic)
        _ = bench.ended(2, .success(.done))
        let elsewhere = AttributeHandleRange(AttributeHandle(0x10), AttributeHandle(0x20))
        _ = bench.after { $0.forgetAttributes(in: elsewhere) }
        _ = bench.after { $0.followServices() }
        #expect(bench.started.count == 2)
        _ = bench.after { $0.forgetAttributes(in: .all) }
        _ = bench.after { $0.followServices() }
        _ = bench.ended(3, Self.generic)
        #expect(bench.started.suffix(2) == [.discoverGenericAttribute, Self.follow])
    }

    @Test("a peer whose services change at every discovery is accepted in the end")
    func servicesThatAlwaysChange() {
        var bench = Bench()
        let serviceChanged = AttributeHandle(0x09)
        bench.requests.services.following = .done
        bench.requests.services.serviceChanged = serviceChanged
        #expect(bench.after { $0.findServices(for: .init(rawValue: 1)) } == [])
        let service = RemoteDatabase.Service(
            range: AttributeHandleRange(AttributeHandle(1), AttributeHandle(4)), uuid: "180D")
        for number in 1...UInt64(PeerServices.maximumRepetitions + 1) {
            _ = bench.requests.servicesChanged(
                by: .indication(serviceChanged, [1, 0, 255, 255]))
            let isLast = number > PeerServices.maximumRepetitions
            #expect(
                bench.ended(number, .success(.services([service])))
                    == (isLast ? [.servicesFound(.init(rawValue: 1), ["180D"])] : []))
        }
        // What was found is not kept: it has changed.
        #expect(bench.after { $0.findServices(for: .init(rawValue: 2)) } == [])
        #expect(bench.started.count == PeerServices.maximumRepetitions + 2)
    }

    @Test("the RSSI is reported once, or that the controller cannot read it")
    func rssi() {
        var bench = Bench()
        #expect(bench.after { $0.readRSSI(for: Self.request(1)) } == [.readRSSI])
        #expect(bench.after { $0.readRSSI(for: Self.request(2, by: Self.other)) } == [.readRSSI])
        #expect(
            bench.after { $0.rssiRead(-40) } == [
                .rssiRead(.init(rawValue: 1), .success(-40)),
                .rssiRead(.init(rawValue: 2), .success(-40)),
            ])
        _ = bench.after { $0.readRSSI(for: Self.request(3)) }
        #expect(
            bench.after { $0.rssiNotRead(because: .notSupported) } == [
                .rssiRead(.init(rawValue: 3), .failure(.unknown))
            ])
    }
}
