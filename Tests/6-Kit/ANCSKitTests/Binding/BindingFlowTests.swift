import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// The flow of binding as a machine: the documents' steps, and what may come between them.
@Suite struct BindingFlowTests {
    private static let band = PeerIdentifier(rawValue: 1)
    private static let other = PeerIdentifier(rawValue: 2)
    private static let start = MonotonicInstant(nanoseconds: 0)
    private static let bound = StoredBinding.bound(band, name: "Band")

    /// A flow of an app that was launched while Bluetooth is on, and what it did first.
    private struct Bench: ~Copyable {
        var flow: BindingFlow
        var now = BindingFlowTests.start

        init(_ stored: StoredBinding = .unbound) {
            flow = BindingFlow(stored: stored)
            flow.powerChanged(isOn: true, at: now)
            _ = outputs()
        }

        /// What it does next, but for what it tells.
        mutating func outputs() -> [BindingFlow.Output] {
            all().filter { if case .report = $0 { false } else { true } }
        }

        mutating func all() -> [BindingFlow.Output] {
            var outputs: [BindingFlow.Output] = []
            while let output = flow.pollOutput() { outputs.append(output) }
            return outputs
        }

        mutating func pass(_ duration: Duration) {
            now = now + duration
            flow.handleTimeout(at: now)
        }

        /// Bound, connected for a minute.
        static func connected() -> Bench {
            var bench = Bench(BindingFlowTests.bound)
            bench.flow.launch()
            bench.flow.retrieved(isKnown: true)
            bench.flow.connected(BindingFlowTests.band, name: "Band", at: bench.now)
            bench.now = bench.now + .seconds(60)
            _ = bench.outputs()
            return bench
        }
    }

    @Test("a peripheral that may have the service is queried, and skipped if it lacks the service")
    func uncertainCandidate() {
        var bench = Bench()
        bench.flow.launch()
        bench.flow.retrievedConnected([])
        bench.flow.discovered(Self.other, rssi: -40, isCertain: false, at: bench.now)
        bench.pass(.milliseconds(500))
        bench.flow.connected(Self.other, name: nil, at: bench.now)
        #expect(bench.outputs().last == .verify(Self.other))
        #expect(bench.flow.stored == .unbound)
        bench.flow.verified(Self.other, false, at: bench.now)
        #expect(bench.outputs() == [.cancel(Self.other)])
        bench.pass(.seconds(1))
        bench.flow.retrievedConnected([])
        // It is still the strongest, but known by now.
        bench.flow.discovered(Self.other, rssi: -40, isCertain: false, at: bench.now)
        bench.flow.discovered(Self.band, rssi: -80, isCertain: false, at: bench.now)
        bench.pass(.milliseconds(500))
        bench.flow.connected(Self.band, name: "Band", at: bench.now)
        bench.flow.verified(Self.band, true, at: bench.now)
        #expect(bench.outputs().last == .store(Self.bound))
        #expect(bench.flow.publicState == .connected(Self.band))
    }

    @Test("a peripheral that disconnects while it is asked is searched for again")
    func lossWhileVerifying() {
        var bench = Bench()
        bench.flow.launch()
        bench.flow.retrievedConnected([])
        bench.flow.discovered(Self.band, rssi: -40, isCertain: false, at: bench.now)
        bench.pass(.milliseconds(500))
        bench.flow.connected(Self.band, name: nil, at: bench.now)
        bench.flow.disconnected(Self.band, at: bench.now)
        bench.flow.verified(Self.band, false, at: bench.now)
        _ = bench.outputs()
        bench.pass(.seconds(1))
        bench.flow.retrievedConnected([])
        bench.flow.discovered(Self.band, rssi: -40, isCertain: false, at: bench.now)
        bench.pass(.milliseconds(500))
        #expect(bench.outputs().last == .connect(Self.band, timeout: .seconds(10)))
    }

    @Test(
        "a first launch looks among connected peripherals, then scans, and remembers the strongest")
    func firstLaunch() {
        var bench = Bench()
        bench.flow.launch()
        #expect(bench.outputs() == [.retrieveConnected])
        bench.flow.retrievedConnected([])
        #expect(bench.outputs() == [.startScanning])
        bench.flow.discovered(Self.other, rssi: -80, at: bench.now)
        bench.flow.discovered(Self.band, rssi: -40, at: bench.now)
        bench.flow.discovered(Self.other, rssi: -60, at: bench.now)
        #expect(bench.outputs().isEmpty)
        bench.pass(.milliseconds(500))
        #expect(bench.outputs() == [.stopScanning, .connect(Self.band, timeout: .seconds(10))])
        bench.flow.connected(Self.band, name: "Band", at: bench.now)
        #expect(bench.outputs() == [.store(Self.bound)])
        #expect(bench.flow.publicState == .connected(Self.band))
    }

    @Test("the first connected peripheral with the service is bound without a scan")
    func connectedToTheSystem() {
        var bench = Bench()
        bench.flow.launch()
        bench.flow.retrievedConnected([Self.band, Self.other])
        #expect(
            bench.outputs() == [.retrieveConnected, .connect(Self.band, timeout: .seconds(10))])
    }

    @Test("a bound accessory is retrieved by its identifier, and its connection never times out")
    func laterLaunch() {
        var bench = Bench(Self.bound)
        #expect(bench.flow.publicState == .bound(Self.band))
        bench.flow.launch()
        #expect(bench.outputs() == [.retrieve(Self.band)])
        bench.flow.retrieved(isKnown: true)
        #expect(bench.outputs() == [.connect(Self.band, timeout: nil)])
        bench.flow.connected(Self.band, name: nil, at: bench.now)
        #expect(bench.outputs().isEmpty, "it is remembered already, and keeps its name")
    }

    @Test("a bound accessory that the system does not know is replaced by one that is found")
    func unknown() {
        var bench = Bench(Self.bound)
        bench.flow.launch()
        bench.flow.retrieved(isKnown: false)
        let outputs = bench.all()
        #expect(outputs.contains(.report(.accessoryUnknown(Self.band))))
        #expect(outputs.last == .report(.stateChanged(.searching)))
        #expect(bench.flow.stored == Self.bound)
        bench.flow.retrievedConnected([Self.other])
        bench.flow.connected(Self.other, name: nil, at: bench.now)
        #expect(bench.flow.stored == .bound(Self.other, name: nil))
    }

    @Test("after the user has unbound it a launch does nothing; a request clears that mark first")
    func justUnbound() {
        var bench = Bench(.justUnbound)
        bench.flow.launch()
        #expect(bench.all() == [.report(.justUnbound)])
        #expect(bench.flow.publicState == .justUnbound)
        bench.flow.bind()
        #expect(bench.outputs() == [.store(.unbound), .retrieveConnected])
    }

    @Test("a link that was established is connected again at once, by its identifier")
    func reconnects() {
        var bench = Bench.connected()
        bench.flow.disconnected(Self.band, at: bench.now)
        #expect(bench.outputs() == [.retrieve(Self.band)])
    }

    @Test("links that fail are connected again after 1, 2, 4 and at most 30 s")
    func pauses() {
        var bench = Bench.connected()
        bench.flow.disconnected(Self.band, at: bench.now)
        for seconds in [1, 2, 4, 8, 16, 30, 30] {
            bench.flow.retrieved(isKnown: true)
            bench.flow.connected(Self.band, name: nil, at: bench.now)
            bench.flow.disconnected(Self.band, at: bench.now)
            _ = bench.outputs()
            bench.pass(.seconds(seconds) - .nanoseconds(1))
            #expect(bench.outputs().isEmpty)
            bench.pass(.nanoseconds(1))
            #expect(bench.outputs() == [.retrieve(Self.band)])
        }
    }

    @Test("an accessory that refuses the connection is searched for again")
    func candidateFails() {
        var bench = Bench()
        bench.flow.launch()
        bench.flow.retrievedConnected([Self.other])
        bench.flow.connectingFailed(Self.other, at: bench.now)
        _ = bench.outputs()
        bench.pass(.seconds(1))
        #expect(bench.outputs() == [.retrieveConnected])
        #expect(bench.flow.stored == .unbound)
    }

    @Test("unbinding cancels what is in progress, and nothing is retried")
    func unbinds() {
        var connected = Bench.connected()
        connected.flow.unbind()
        #expect(connected.outputs() == [.cancel(Self.band)])
        connected.flow.disconnected(Self.band, at: connected.now)
        connected.pass(.seconds(60))
        #expect(connected.outputs().isEmpty)
        #expect(connected.flow.stored == .justUnbound)

        var scanning = Bench()
        scanning.flow.launch()
        scanning.flow.retrievedConnected([])
        scanning.flow.unbind()
        #expect(scanning.outputs().last == .stopScanning)

        var connecting = Bench(Self.bound)
        connecting.flow.launch()
        connecting.flow.retrieved(isKnown: true)
        connecting.flow.unbind()
        #expect(connecting.outputs().last == .cancel(Self.band))
        connecting.flow.connected(Self.band, name: nil, at: connecting.now)
        #expect(connecting.flow.stored == .justUnbound, "a link that comes too late binds nothing")
    }

    @Test("an accessory that was unbound is bound again on request")
    func bindsAgain() {
        var bench = Bench.connected()
        bench.flow.unbind()
        bench.flow.bind()
        #expect(
            bench.outputs() == [.cancel(Self.band), .store(.unbound), .retrieveConnected])
        bench.flow.retrievedConnected([Self.band])
        bench.flow.connected(Self.band, name: "Band", at: bench.now)
        #expect(bench.flow.stored == Self.bound)
    }

    @Test(
        "nothing is in progress while Bluetooth is off, and everything starts again when it is on")
    func power() {
        var bench = Bench(Self.bound)
        bench.flow.launch()
        bench.flow.retrieved(isKnown: true)
        bench.flow.powerChanged(isOn: false, at: bench.now)
        #expect(bench.outputs().last == .cancel(Self.band))
        #expect(bench.flow.nextDeadline == nil)
        bench.flow.powerChanged(isOn: true, at: bench.now)
        #expect(bench.outputs() == [.retrieve(Self.band)])
    }

    @Test("an app that was not launched does nothing when Bluetooth is switched on")
    func notLaunched() {
        var bench = Bench(Self.bound)
        bench.flow.powerChanged(isOn: false, at: bench.now)
        bench.flow.powerChanged(isOn: true, at: bench.now)
        #expect(bench.outputs().isEmpty)
    }

    @Test("an accessory that pairing identifies is remembered by its known identifier")
    func identified() {
        var bench = Bench.connected()
        bench.flow.identified(Self.band, as: Self.other)
        #expect(bench.outputs() == [.store(.bound(Self.other, name: "Band"))])
        #expect(bench.flow.publicState == .connected(Self.other))
        bench.flow.disconnected(Self.other, at: bench.now)
        #expect(bench.outputs() == [.retrieve(Self.other)])
    }
}
