import ANCSEvents
import DBus
import Octets
import Testing

@testable import BlueZ

@Suite("What is missing while bluetoothd starts or ends")
struct PatienceTests {
    private static let hci0: ObjectPath = "/org/bluez/hci0"

    /// An adapter appears that is on and cannot advertise yet.
    @discardableResult
    private static func addHalf(to bench: Bench, isPowered: Bool = true) -> [Bench.Line] {
        bench.add(hci0, Bench.adapter, ["Powered": .bool(isPowered)])
    }

    private static func complete(_ bench: Bench) -> [Bench.Line] {
        bench.add(hci0, Bench.advertisingManager, ["ActiveInstances": .byte(0)])
    }

    @Test("Each step of a start has five seconds")
    func steps() {
        let bench = Bench()
        bench.daemonBegins()
        #expect(bench.wait(.milliseconds(4_900)).isEmpty)
        #expect(Self.addHalf(to: bench, isPowered: false).isEmpty)
        #expect(bench.wait(.milliseconds(4_900)).isEmpty)
        #expect(bench.power(true).isEmpty)
        #expect(bench.wait(.milliseconds(4_900)).isEmpty)
        #expect(Self.complete(bench).first == .event(.ready(adapter: "hci0")))
        #expect(
            bench.wait(.seconds(3_600)).filter { $0 == .event(.failed(.noAdapter("any"))) }.isEmpty)
    }

    @Test("The last step of a start fails with its own reason")
    func lastStep() {
        let bench = Bench()
        bench.daemonBegins()
        bench.wait(.seconds(4))
        #expect(Self.addHalf(to: bench).isEmpty)
        #expect(bench.wait(.milliseconds(4_999)).isEmpty)
        #expect(
            bench.wait(.milliseconds(1)) == [.event(.failed(.cannotAdvertise(adapter: "hci0")))])
    }

    @Test("An adapter that comes and goes does not prolong the start")
    func flapping() {
        let bench = Bench()
        bench.daemonBegins()
        var lines: [Bench.Line] = []
        for _ in 0..<20 where lines.isEmpty {
            lines += bench.wait(.seconds(1))
            lines += Self.addHalf(to: bench, isPowered: false)
            lines += bench.power(true)
            lines += bench.remove(Self.hci0)
        }
        #expect(lines == [.event(.failed(.noAdapter("any")))])
        #expect(bench.now <= .zero + .seconds(8))
    }

    @Test("An adapter that has no advertising manager yet after a restart does not lack Low Energy")
    func restart() {
        let bench = Bench()
        bench.begin()
        #expect(bench.daemonEnds().last == .event(.resetting(.ended)))
        bench.daemonBegins(Bench.secondOwner)
        #expect(Self.addHalf(to: bench).isEmpty)
        #expect(bench.wait(.milliseconds(4_999)).isEmpty)
        #expect(Self.complete(bench).first == .event(.ready(adapter: "hci0")))
        #expect(bench.wait(.seconds(3_600)).isEmpty)
    }

    @Test("After a restart, missing objects are reported, and the session does not end")
    func restartWithoutLowEnergy() {
        let bench = Bench()
        bench.begin()
        bench.daemonEnds()
        bench.daemonBegins(Bench.secondOwner)
        Self.addHalf(to: bench)
        #expect(
            bench.wait(.seconds(5)) == [.event(.resetting(.cannotAdvertise(adapter: "hci0")))])
        #expect(bench.wait(.seconds(3_600)).isEmpty)
        #expect(Self.complete(bench).first == .event(.ready(adapter: "hci0")))
    }

    @Test("bluetoothd that ends takes its interfaces away one by one: no other adapter is needed")
    func ending() {
        let bench = Bench()
        bench.begin()
        let lines =
            bench.signal(
                .root, "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved",
                [.objectPath(Self.hci0), .strings([Bench.advertisingManager])])
            + bench.wait(.seconds(1)) + bench.remove(Self.hci0) + bench.wait(.seconds(1))
            + bench.daemonEnds()
        #expect(
            lines == [
                .event(.advertising(false)), .event(.resetting(.adapterLost(adapter: "hci0"))),
                .event(.resetting(.ended)),
            ])
        // However long it takes to come back.
        #expect(bench.wait(.seconds(3_600)).isEmpty)
    }

    @Test("A time that was given before the end of bluetoothd does not count after it")
    func endDuringPatience() {
        let bench = Bench()
        bench.begin()
        bench.remove(Self.hci0)
        bench.wait(.seconds(4))
        #expect(bench.daemonEnds() == [.event(.resetting(.ended))])
        #expect(bench.nextDeadline == nil)
        bench.daemonBegins(Bench.secondOwner)
        #expect(bench.wait(.milliseconds(4_999)).isEmpty)
        #expect(bench.wait(.milliseconds(1)) == [.event(.resetting(.noAdapter("any")))])
    }
}
