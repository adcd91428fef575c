import ANCSEvents
import DBus
import Octets
import Testing

@testable import BlueZ

@Suite struct PairingWindowTests {
    private static let isOpen = Bench.Line.event(.pairingWindow(isOpen: true))
    private static let isClosed = Bench.Line.event(.pairingWindow(isOpen: false))

    private static func bench(_ window: PairingWindow) -> Bench {
        var configuration = BlueZAccessory.Configuration(name: "desk lamp")
        configuration.pairingWindow = window
        configuration.maximumPhones = 3
        let bench = Bench(configuration)
        bench.begin()
        return bench
    }

    @Test func itIsOpenUntilAPhoneIsPairedThatHasANCS() {
        let bench = Self.bench(.untilPhoneIsBonded)
        bench.addDevice()
        bench.changeDevice("dev_1", ["Paired": .bool(true)])
        #expect(!bench.answer("Pair dev_1").contains(Self.isClosed))
        #expect(bench.addANCS().contains(Self.isClosed))
        // There is no place for another one now, so what connects has not come for it.
        #expect(bench.addDevice("dev_2").phoneEvents.isEmpty)
    }

    @Test func aPhoneThatIsPairedFromBeforeIsOne() {
        let bench = Bench()
        bench.addAdapter()
        bench.addPairedPhone()
        #expect(bench.daemonBegins().contains(Self.isClosed))
    }

    @Test func itOpensWhenThePhoneIsRemovedAndThoseThatAreConnectedPair() {
        let bench = Self.bench(.untilPhoneIsBonded)
        #expect(bench.addPairedPhone().contains(Self.isClosed))
        bench.addDevice("dev_2")
        let lines = bench.remove(Bench.path("dev_1"))
        #expect(lines.contains(Self.isOpen))
        #expect(lines.calls.contains("Pair dev_2"))
    }

    @Test func itIsOpenedForATime() {
        let bench = Self.bench(.closed)
        #expect(
            bench.input { $0.openPairingWindow(for: .seconds(60), at: $1) }.first == Self.isOpen)
        bench.goOnAir()
        #expect(bench.nextDeadline == bench.now + .seconds(60))
        #expect(bench.addDevice().calls == ["Pair dev_1", "UnregisterAdvertisement hci0"])
        // What is under way goes on.
        #expect(bench.wait(.seconds(60)).contains(Self.isClosed))
        #expect(
            bench.answer("Pair dev_1").phoneEvents == [
                .paired(identity: "DA:00:00:00:00:01"), .waiting,
            ])
        #expect(bench.addDevice("dev_2").calls.isEmpty)
    }

    @Test func itIsOpenedUntilItIsClosed() {
        let bench = Self.bench(.closed)
        bench.input { $0.openPairingWindow(for: nil, at: $1) }
        bench.goOnAir()
        #expect(bench.wait(.seconds(86_400)).isEmpty)
        #expect(bench.input { $0.closePairingWindow(at: $1) }.first == Self.isClosed)
    }

    @Test func thatItIsAlwaysOpenIsNotWorthAWordAndThatItIsClosedIs() {
        var configuration = BlueZAccessory.Configuration(name: "desk lamp")
        configuration.pairingWindow = .open
        let bench = Bench(configuration)
        bench.addAdapter()
        #expect(!bench.daemonBegins().contains(Self.isOpen))
        bench.goOnAir()
        #expect(bench.input { $0.closePairingWindow(at: $1) }.first == Self.isClosed)
        bench.goOnAir()
        #expect(bench.addDevice().calls.isEmpty)
        let lines = bench.input { $0.openPairingWindow(for: nil, at: $1) }
        #expect(lines.contains(Self.isOpen))
        #expect(lines.calls.contains("Pair dev_1"))
    }

    @Test func aPhoneThatMayNotPairIsReportedSo() {
        let bench = Self.bench(.closed)
        #expect(
            bench.addDevice().phoneEvents == [
                .connected(address: "DA:00:00:00:00:01", identity: nil), .pairingRefused,
            ])
    }

    @Test func aPhoneThatMayNotPairIsServedWhenTheDesktopPairsIt() {
        let bench = Self.bench(.closed)
        bench.addDevice()
        #expect(
            bench.changeDevice("dev_1", ["Paired": .bool(true)]).phoneEvents == [
                .paired(identity: "DA:00:00:00:00:01"), .waiting,
            ])
        #expect(bench.addANCS().last == .available(1))
    }
}
