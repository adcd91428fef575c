import BluetoothLE
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// Whom the system connects to next.
@Suite struct ConnectionQueueTests {
    private static let app = ClientID(rawValue: 1)
    private static let other = ClientID(rawValue: 2)

    /// A queue, the time, and what it wants, a word each.
    private struct Bench: ~Copyable {
        var queue = ConnectionQueue()
        var now = MonotonicInstant(nanoseconds: 0)

        init(isReady: Bool = true) {
            if isReady { queue.ready(at: now) }
        }

        mutating func report(
            _ body: (inout ConnectionQueue, MonotonicInstant) -> Void
        ) -> [String] {
            body(&queue, now)
            var words: [String] = []
            while let output = queue.pollOutput() { words.append(Self.word(output)) }
            return words
        }

        mutating func connect(
            _ number: UInt64, by client: ClientID = app, timeout: Duration? = nil,
            heardAgo: Duration? = nil
        ) -> [String] {
            report { queue, now in
                queue.connect(
                    to: peer(number), by: client, timeout: timeout,
                    heard: heardAgo.map { ago in
                        .init(address: address(number), at: now + (.zero - ago))
                    }, at: now)
            }
        }

        mutating func cancel(_ number: UInt64, by client: ClientID = app) -> [String] {
            report { $0.cancel(peer(number), by: client, at: $1) }
        }

        mutating func hear(_ number: UInt64, at place: UInt64? = nil) -> [String] {
            report { $0.heard(peer(number), address(place ?? number), at: $1) }
        }

        /// A link is made; who waited for it comes last.
        mutating func link(_ number: UInt64, asCentral: Bool = true) -> [String] {
            var clients: [ClientID] = []
            let words = report { queue, now in
                clients = queue.linkMade(to: peer(number), asCentral: asCentral, at: now)
            }
            return words + clients.map { "client \($0.rawValue)" }
        }

        mutating func fail(_ failure: Initiator.Failure) -> [String] {
            report { $0.attemptFailed(failure, at: $1) }
        }

        mutating func pass(_ duration: Duration) -> [String] {
            now = now + duration
            return report { $0.handleTimeout(at: $1) }
        }

        private static func word(_ output: ConnectionQueue.Output) -> String {
            switch output {
            case .initiate(_, let address, _): "initiate \(address.rawValue)"
            case .cancelInitiating: "cancel"
            case .startListening: "listen"
            case .stopListening: "quiet"
            case .failed(let peer, let client, let failure):
                "fail \(peer.rawValue) of \(client.rawValue): \(failure)"
            }
        }
    }

    private static func peer(_ number: UInt64) -> PeerKey {
        PeerKey(rawValue: number)
    }

    private static func address(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(number, kind: .random)
    }

    // MARK: One request

    @Test(
        "a peer is scanned for, initiated when it is heard, and reported to the client that asked")
    func life() {
        var bench = Bench()
        #expect(bench.connect(7) == ["listen"])
        #expect(bench.hear(7, at: 70) == ["initiate 70", "quiet"])
        #expect(bench.link(7) == ["client 1"])
        #expect(bench.queue.nextDeadline == nil)
    }

    @Test(
        "a peer that was heard a moment ago is initiated at once, one that was heard earlier is not"
    )
    func freshness() {
        var bench = Bench()
        bench.now = .seconds(100)
        #expect(bench.connect(7, heardAgo: .seconds(10)) == ["initiate 7"])
        bench = Bench()
        bench.now = .seconds(100)
        #expect(
            bench.connect(7, heardAgo: .seconds(10) + .nanoseconds(1)) == ["listen"])
    }

    @Test("a request without a timeout never ends, and tries again whenever the peer is heard")
    func forEver() {
        var bench = Bench()
        _ = bench.connect(7)
        for place in UInt64(1)...20 {
            #expect(bench.hear(7, at: place) == ["initiate \(place)", "quiet"])
            bench.now = bench.now + .seconds(5)
            #expect(bench.fail(.timedOut) == ["listen"])
            #expect(bench.queue.nextDeadline == nil)
        }
    }

    @Test("a request ends at its deadline, with an error that names the attempts")
    func timeout() {
        var bench = Bench()
        _ = bench.connect(7, timeout: .seconds(30))
        #expect(bench.queue.nextDeadline == .seconds(30))
        #expect(bench.pass(.seconds(30) - .nanoseconds(1)).isEmpty)
        #expect(bench.pass(.nanoseconds(1)) == ["fail 7 of 1: timedOut(nil)", "quiet"])
    }

    @Test("a deadline in the middle of an attempt ends the attempt")
    func timeoutWhileInitiating() {
        var bench = Bench()
        #expect(bench.connect(7, timeout: .seconds(3), heardAgo: .zero) == ["initiate 7"])
        #expect(bench.pass(.seconds(3)) == ["fail 7 of 1: timedOut(nil)", "cancel"])
        #expect(bench.connect(8, heardAgo: .zero).isEmpty, "the controller has not given up yet")
        #expect(bench.fail(.cancelled) == ["initiate 8"])
    }

    @Test("after each refusal the pause grows, and the peer must be heard again")
    func refused() {
        var bench = Bench()
        _ = bench.connect(7, timeout: .seconds(60), heardAgo: .zero)
        let refusal = Initiator.Failure.refused(.commandDisallowed)
        for wait in [250, 500, 1000, 2000, 4000, 8000, 8000] {
            #expect(bench.fail(refusal) == ["listen"])
            #expect(bench.hear(7) == ["quiet"])
            #expect(bench.queue.nextDeadline == bench.now + .milliseconds(wait))
            #expect(bench.pass(.milliseconds(wait)) == ["initiate 7"])
        }
        bench.now = .seconds(60)
        let failure = ConnectFailure.timedOut(refusal)
        #expect(bench.pass(.zero) == ["fail 7 of 1: \(failure)", "cancel"])
    }

    @Test("a cancelled request is no longer scanned for, and nothing is reported")
    func cancelled() {
        var bench = Bench()
        _ = bench.connect(7)
        #expect(bench.cancel(7) == ["quiet"])
        _ = bench.connect(7, heardAgo: .zero)
        #expect(bench.cancel(7) == ["cancel"])
        #expect(bench.fail(.cancelled).isEmpty)
        #expect(bench.hear(7).isEmpty)
    }

    @Test("a link that is made after its request was cancelled is not reported")
    func tooLate() {
        var bench = Bench()
        _ = bench.connect(7, heardAgo: .zero)
        _ = bench.cancel(7)
        #expect(bench.link(7).isEmpty)
        #expect(bench.connect(8, heardAgo: .zero) == ["initiate 8"])
    }

    @Test("a request's deadline also counts while other peers have their turn")
    func waitIsOver() {
        var bench = Bench()
        _ = bench.connect(7, heardAgo: .zero)
        _ = bench.connect(8, heardAgo: .zero)
        #expect(bench.fail(.refused(.commandDisallowed)) == ["initiate 8", "listen"])
        _ = bench.hear(7)
        // Peer 8 keeps the controller until nobody believes any more that peer 7 is still there.
        _ = bench.pass(.seconds(11))
        _ = bench.fail(.timedOut)
        #expect(bench.queue.nextDeadline == nil)
        #expect(bench.hear(7) == ["initiate 7"])
    }

    @Test(
        "no sequence of events repeats a deadline that has passed",
        arguments: 1...50 as ClosedRange<UInt64>)
    func clock(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var bench = Bench()
        for _ in 0..<500 {
            let number = UInt64.random(in: 1...3, using: &generator)
            switch Int.random(in: 0...9, using: &generator) {
            case 0: _ = bench.connect(number, timeout: generator.chance(0.5) ? .seconds(20) : nil)
            case 1: _ = bench.cancel(number)
            case 2, 3: _ = bench.hear(number)
            case 4: _ = bench.link(number)
            case 5: _ = bench.fail(.refused(.commandDisallowed))
            case 6: _ = bench.fail(.timedOut)
            case 7:
                let hasRoom = generator.chance(0.7)
                _ = bench.report { $0.roomChanged(hasRoom, at: $1) }
            case 8: _ = bench.report { $0.listeningFailed(at: $1) }
            default:
                if generator.chance(0.2) {
                    _ = bench.report { queue, _ in queue.reset() }
                    _ = bench.report { $0.ready(at: $1) }
                }
            }
            _ = bench.pass(generator.duration(below: .seconds(6)))
            guard let deadline = bench.queue.nextDeadline else { continue }
            #expect(deadline > bench.now, "seed \(seed)")
        }
    }

    // MARK: Several requests

    @Test("two clients share one attempt, and both get the link")
    func shared() {
        var bench = Bench()
        #expect(bench.connect(7) == ["listen"])
        #expect(bench.connect(7, by: Self.other).isEmpty)
        #expect(bench.hear(7) == ["initiate 7", "quiet"])
        #expect(bench.link(7) == ["client 1", "client 2"])
    }

    @Test("each client has its own timeout, and the other one still gets the link")
    func independent() {
        var bench = Bench()
        _ = bench.connect(7, timeout: .seconds(2), heardAgo: .zero)
        _ = bench.connect(7, by: Self.other, timeout: .seconds(9))
        #expect(bench.pass(.seconds(2)) == ["fail 7 of 1: timedOut(nil)"])
        #expect(bench.connect(7).isEmpty)
        #expect(bench.cancel(7).isEmpty)
        #expect(bench.link(7) == ["client 2"])
    }

    @Test("a client that asks twice has one request, with the later timeout")
    func twice() {
        var bench = Bench()
        _ = bench.connect(7, timeout: .seconds(2))
        _ = bench.connect(7, timeout: .seconds(20))
        #expect(bench.pass(.seconds(10)).isEmpty)
        #expect(bench.pass(.seconds(10)) == ["fail 7 of 1: timedOut(nil)", "quiet"])
    }

    @Test("peers take turns: one that is heard but does not answer does not starve the others")
    func turns() {
        var bench = Bench()
        _ = bench.connect(7)
        _ = bench.connect(8)
        _ = bench.hear(8)
        #expect(bench.hear(7) == ["quiet"])
        #expect(bench.fail(.timedOut) == ["initiate 7", "listen"])
        #expect(bench.hear(8) == ["quiet"])
        #expect(bench.fail(.timedOut) == ["initiate 8", "listen"])
    }

    @Test("a peer that was heard earlier is reported again when it is requested during a scan")
    func listensAnew() {
        var bench = Bench()
        #expect(bench.connect(7) == ["listen"])
        #expect(bench.connect(8) == ["listen"])
        #expect(bench.connect(8, by: Self.other).isEmpty)
    }

    // MARK: What else happens

    @Test("a peer that connects by itself fulfils the request")
    func theOtherWayRound() {
        var bench = Bench()
        _ = bench.connect(7)
        #expect(bench.link(7, asCentral: false) == ["quiet", "client 1"])
        _ = bench.connect(8, heardAgo: .zero)
        #expect(bench.link(8, asCentral: false) == ["cancel", "client 1"])
    }

    @Test("requests and their deadlines survive a reset")
    func reset() {
        var bench = Bench()
        _ = bench.connect(7, timeout: .seconds(10), heardAgo: .zero)
        _ = bench.connect(8)
        _ = bench.report { queue, _ in queue.reset() }
        #expect(bench.hear(8).isEmpty)
        #expect(bench.pass(.seconds(10)) == ["fail 7 of 1: timedOut(nil)"])
        #expect(bench.connect(9).isEmpty)
        #expect(bench.report { $0.ready(at: $1) } == ["listen"])
        #expect(bench.hear(9) == ["initiate 9"])
    }

    @Test("requests before the controller is ready wait for it")
    func early() {
        var bench = Bench(isReady: false)
        #expect(bench.connect(7).isEmpty)
        #expect(bench.report { $0.ready(at: $1) } == ["listen"])
    }

    @Test("without room for a link no connection is initiated, and the error states it")
    func noRoom() {
        var bench = Bench()
        _ = bench.report { $0.roomChanged(false, at: $1) }
        #expect(bench.connect(7, timeout: .seconds(5), heardAgo: .zero).isEmpty)
        #expect(bench.pass(.seconds(5)) == ["fail 7 of 1: tooManyConnections"])
        _ = bench.connect(8, heardAgo: .zero)
        #expect(bench.report { $0.roomChanged(true, at: $1) } == ["initiate 8"])
    }

    @Test("a refused scan is started again after a pause")
    func scanningFailed() {
        var bench = Bench()
        _ = bench.connect(7)
        #expect(bench.report { $0.listeningFailed(at: $1) }.isEmpty)
        #expect(bench.queue.nextDeadline == .seconds(5))
        #expect(bench.pass(.seconds(5)) == ["listen"])
    }

    @Test("a request ends when its peer turns out to be connected, even during an attempt")
    func identified() {
        var bench = Bench()
        _ = bench.connect(7)
        _ = bench.connect(8, by: Self.other)
        #expect(bench.hear(8) == ["initiate 8"])
        #expect(bench.link(8, asCentral: false) == ["cancel", "client 2"])
        #expect(bench.hear(8).isEmpty)
        #expect(bench.fail(.cancelled) == [])
        #expect(bench.hear(7) == ["initiate 7", "quiet"])
    }

    @Test("the end is reported to every waiting client")
    func end() {
        var bench = Bench()
        _ = bench.connect(7)
        _ = bench.connect(8, by: Self.other, heardAgo: .zero)
        #expect(
            bench.report { $0.end(at: $1) } == [
                "fail 7 of 1: closed", "fail 8 of 2: closed", "cancel", "quiet",
            ])
    }
}
