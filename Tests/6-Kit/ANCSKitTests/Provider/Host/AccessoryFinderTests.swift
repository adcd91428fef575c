import BluetoothLE
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// Whom a phone connects to, and when.
@Suite struct AccessoryFinderTests {
    /// A finder, the time, and what it wants, a word each.
    struct Bench: ~Copyable {
        var finder: AccessoryFinder
        var now = MonotonicInstant(nanoseconds: 0)

        init(allowed: [String] = [], maximumLinks: Int = 3) {
            finder = AccessoryFinder(
                configuration: .init(allowed: allowed, maximumLinks: maximumLinks))
        }

        mutating func report(
            _ body: (inout AccessoryFinder, MonotonicInstant) -> Void
        ) -> [String] {
            body(&finder, now)
            return drain()
        }

        mutating func hear(
            _ number: UInt64, name: String? = "N", isConnectable: Bool = true,
            solicitsANCS: Bool = true, isBonded: Bool = false, isComplete: Bool = true
        ) -> [String] {
            report { finder, now in
                finder.heard(
                    .init(
                        peer: peer(number), addresses: [address(number).text],
                        isBonded: isBonded, name: name, isConnectable: isConnectable,
                        solicitsANCS: solicitsANCS,
                        isComplete: isComplete), at: now)
            }
        }

        mutating func start() -> [String] { report { $0.start(at: $1) } }

        mutating func connect(_ number: UInt64) -> [String] {
            report { $0.connected(peer(number), at: $1) }
        }

        mutating func lose(_ number: UInt64, wasUseful: Bool) -> [String] {
            report { $0.disconnected(peer(number), wasUseful: wasUseful, at: $1) }
        }

        /// Time passes until the finder has something to do.
        mutating func wait() throws -> Duration {
            let next = finder.nextDeadline
            let deadline = try #require(next)
            let waited = deadline - now
            now = deadline
            return waited
        }

        mutating func timeout() -> [String] { report { $0.handleTimeout(at: $1) } }

        private mutating func drain() -> [String] {
            var words: [String] = []
            while let output = finder.pollOutput() {
                switch output {
                case .startScanning: words.append("scan")
                case .stopScanning: words.append("rest")
                case .cancelConnecting: words.append("cancel")
                case .discovered(let sighting): words.append("discovered \(sighting.number)")
                case .connect(let sighting): words.append("connect \(sighting.number)")
                }
            }
            return words
        }
    }

    @Test("an accessory that solicits ANCS is connected, and the search continues")
    func solicitation() {
        var bench = Bench()
        #expect(bench.start() == ["scan"])
        #expect(bench.hear(1) == ["discovered 1", "rest", "connect 1"])
        #expect(bench.hear(2) == ["discovered 2"])
        #expect(bench.connect(1) == ["connect 2"])
        #expect(bench.connect(2) == ["scan"])
        #expect(bench.hear(1) == [])
    }

    @Test(
        "accessories that do not solicit ANCS, are not connectable, or are not allowed are ignored")
    func unwanted() {
        var bench = Bench(allowed: ["Mine", "c0:00:00:00:00:05"])
        #expect(bench.start() == ["scan"])
        #expect(bench.hear(1, name: "Mine", solicitsANCS: false) == [])
        #expect(bench.hear(1, name: "Mine", isConnectable: false) == [])
        #expect(bench.hear(2, name: "Other") == [])
        #expect(bench.hear(3, name: nil) == [])
        #expect(bench.hear(4, name: "Mine") == ["discovered 4", "rest", "connect 4"])
        #expect(bench.connect(4) == ["scan"])
        #expect(bench.hear(5, name: nil) == ["discovered 5", "rest", "connect 5"])
    }

    @Test("a bonded accessory need not solicit")
    func bonded() {
        var bench = Bench()
        #expect(bench.start() == ["scan"])
        #expect(
            bench.hear(7, solicitsANCS: false, isBonded: true) == [
                "discovered 7", "rest", "connect 7",
            ])
        #expect(bench.connect(7) == ["scan"])
        #expect(bench.hear(7, solicitsANCS: false, isBonded: true) == [])
    }

    @Test(
        "a known accessory that is already connected under another address is not connected twice")
    func identified() {
        var bench = Bench()
        #expect(bench.start() == ["scan"])
        #expect(bench.hear(1, isBonded: true) == ["discovered 1", "rest", "connect 1"])
        #expect(bench.connect(1) == ["scan"])
        #expect(bench.lose(1, wasUseful: true) == ["rest", "scan"])
        #expect(bench.hear(7) == ["discovered 7", "rest", "connect 7"])
        #expect(bench.connect(7) == ["scan"])
        #expect(bench.report { finder, _ in finder.merged(peer(1)) } == [])
        #expect(bench.finder.candidates.count == 1)
        #expect(bench.hear(7, isBonded: true) == [])
        #expect(bench.lose(7, wasUseful: true) == ["rest", "scan"])
        #expect(bench.hear(7, isBonded: true) == ["discovered 7"])
    }

    @Test("the scan response is waited for, with a limit")
    func scanResponse() throws {
        var bench = Bench()
        #expect(bench.start() == ["scan"])
        #expect(bench.hear(1, name: nil, isComplete: false) == [])
        #expect(bench.hear(1, name: "Late") == ["discovered 1", "rest", "connect 1"])
        #expect(bench.connect(1) == ["scan"])
        #expect(bench.hear(2, name: nil, isComplete: false) == [])
        #expect(try bench.wait() == .milliseconds(200))
        #expect(bench.timeout() == ["discovered 2", "rest", "connect 2"])
    }

    @Test("each attempt that fails makes the next one wait twice as long, up to a limit")
    func backOff() throws {
        var bench = Bench()
        #expect(bench.start() == ["scan"])
        #expect(bench.hear(1) == ["discovered 1", "rest", "connect 1"])
        for seconds in [1, 2, 4, 8, 8, 8] {
            #expect(bench.report { $0.connectingFailed(at: $1) } == ["scan"])
            #expect(bench.hear(1) == [])
            #expect(try bench.wait() == .seconds(seconds))
            #expect(bench.timeout() == ["rest", "connect 1"])
        }
    }

    @Test("a link without a session counts as a failure")
    func usefulness() throws {
        var bench = Bench()
        #expect(bench.start() == ["scan"])
        #expect(bench.hear(1) == ["discovered 1", "rest", "connect 1"])
        for seconds in [1, 2] {
            #expect(bench.connect(1) == ["scan"])
            #expect(bench.lose(1, wasUseful: false) == ["rest", "scan"])
            #expect(bench.hear(1).filter { $0 != "discovered 1" } == [])
            #expect(try bench.wait() == .seconds(seconds))
            #expect(bench.timeout() == ["rest", "connect 1"])
        }
        #expect(bench.connect(1) == ["scan"])
        #expect(bench.lose(1, wasUseful: true) == ["rest", "scan"])
        #expect(bench.hear(1) == ["discovered 1"])
        #expect(try bench.wait() == .milliseconds(250))
        #expect(bench.timeout() == ["rest", "connect 1"])
    }

    @Test("an accessory that is forgotten while it waits may return at once, as a stranger")
    func forgotten() {
        var bench = Bench()
        #expect(bench.start() == ["scan"])
        #expect(bench.hear(1, isBonded: true) == ["discovered 1", "rest", "connect 1"])
        #expect(bench.connect(1) == ["scan"])
        #expect(bench.lose(1, wasUseful: false) == ["rest", "scan"])
        #expect(bench.hear(1, isBonded: true) == ["discovered 1"])
        #expect(bench.report { $0.forget(peer(1), at: $1) } == ["rest", "scan"])
        #expect(bench.hear(1) == ["rest", "connect 1"])
    }

    @Test("no scan runs while the limit of links is reached")
    func full() {
        var bench = Bench(maximumLinks: 1)
        #expect(bench.start() == ["scan"])
        #expect(bench.hear(1) == ["discovered 1", "rest", "connect 1"])
        #expect(bench.connect(1) == [])
        #expect(bench.hear(2) == ["discovered 2"])
        #expect(bench.lose(1, wasUseful: true) == ["connect 2"])
    }

    @Test(
        "stopping cancels what is in progress, and after a controller reset the search starts again"
    )
    func stopping() {
        var bench = Bench()
        #expect(bench.start() == ["scan"])
        #expect(bench.report { finder, _ in finder.stop() } == ["rest"])
        #expect(bench.start() == ["scan"])
        #expect(bench.hear(1) == ["discovered 1", "rest", "connect 1"])
        #expect(bench.report { finder, _ in finder.stop() } == ["cancel"])
        #expect(bench.hear(2) == ["discovered 2"])
        #expect(bench.start() == ["connect 2"])
    }

    @Test("a scan that the controller refuses is started again after five seconds")
    func scanningFailed() throws {
        var bench = Bench()
        #expect(bench.start() == ["scan"])
        #expect(bench.report { $0.scanningFailed(at: $1) } == [])
        #expect(try bench.wait() == .seconds(5))
        #expect(bench.timeout() == ["scan"])
    }

    @Test(
        "a flood of strangers stays within the limit, and connected accessories are kept")
    func flood() {
        var bench = Bench()
        #expect(bench.start() == ["scan"])
        #expect(bench.hear(1) == ["discovered 1", "rest", "connect 1"])
        for number in UInt64(2)...2000 { _ = bench.hear(number) }
        _ = bench.connect(1)
        for number in UInt64(2)...2000 { _ = bench.hear(number) }
        #expect(bench.finder.candidates.count == 64)
        #expect(bench.lose(1, wasUseful: true).allSatisfy { !$0.hasSuffix(" 1") })
    }
}

private func address(_ number: UInt64) -> DeviceAddress {
    DeviceAddress(0xC000_0000_0000 | number, kind: .random)
}

private func peer(_ number: UInt64) -> PeerKey {
    PeerKey(rawValue: number)
}

extension AccessoryFinder.Sighting {
    fileprivate var number: UInt64 { UInt64(peer.rawValue) }
}
