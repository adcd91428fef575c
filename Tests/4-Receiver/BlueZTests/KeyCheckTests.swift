import ANCSEvents
import ANCS
import BluetoothLE
import DBus
import Octets
import Testing

@testable import BlueZ

@Suite("A phone that forgot this machine")
struct KeyCheckTests {
    private static let missing = PhoneEvent.keyTrouble(KeyTrouble(.missing))

    /// A paired phone is connected, and the kernel says this of its link.
    private static func connected(isEncrypted: Bool?) -> Bench {
        let bench = Bench()
        bench.begin()
        bench.addPairedPhone()
        bench.isEncrypted = isEncrypted
        bench.connect()
        return bench
    }

    @Test("A link that is not encrypted for eight seconds is one of a phone without keys")
    func staysUnencrypted() {
        let bench = Self.connected(isEncrypted: false)
        #expect(bench.wait(.milliseconds(7_999)).phoneEvents.isEmpty)
        #expect(bench.wait(.milliseconds(1)).phoneEvents == [Self.missing])
        #expect(bench.wait(.seconds(600)).phoneEvents.isEmpty)
        #expect(bench.disconnect().phoneEvents == [.disconnected(.linkEnded)])
    }

    @Test("ANCS that such a phone hides is not reported as missing")
    func hidden() {
        let bench = Self.connected(isEncrypted: false)
        bench.removeANCS()
        let lines = bench.resolve() + bench.wait(.seconds(60))
        #expect(lines.phoneEvents == [Self.missing])
    }

    @Test("Of one with its keys it is said at once", arguments: [true, nil])
    func withKeys(_ isEncrypted: Bool?) {
        let bench = Self.connected(isEncrypted: isEncrypted)
        bench.removeANCS()
        #expect(bench.resolve().phoneEvents == [.waiting])
        #expect(bench.wait(.seconds(60)).phoneEvents.isEmpty)
    }

    @Test("Encryption that comes late is served")
    func late() {
        let bench = Self.connected(isEncrypted: false)
        bench.removeANCS()
        bench.resolve()
        bench.wait(.seconds(5))
        bench.isEncrypted = true
        #expect(bench.wait(.seconds(2)).phoneEvents == [.waiting])
        #expect(bench.addANCS().last == .available(1))
    }

    @Test("A session that cannot stand ends, and nothing more is asked of bluetoothd")
    func available() {
        let bench = Self.connected(isEncrypted: false)
        #expect(bench.resolve().last == .available(1))
        bench.request(.subscribe(.dataSource))
        let lines = bench.wait(.seconds(8))
        #expect(lines.phoneEvents == [.unavailable, Self.missing])
        bench.goOnAir()
        // The call from before is not answered.
        #expect(bench.lose("AcquireNotify dev_1/service0010/char0016").calls.isEmpty)
        #expect(bench.resolve().isEmpty)
        #expect(bench.wait(.seconds(600)).calls.isEmpty)
        // The user has paired it again.
        bench.isEncrypted = true
        #expect(bench.wait(.seconds(2)).contains(.available(1)))
    }

    @Test("A session that stands is not looked at")
    func serving() {
        let bench = Self.connected(isEncrypted: false)
        bench.resolve()
        bench.subscribe()
        #expect(bench.wait(.seconds(600)).phoneEvents.isEmpty)
    }

    @Test("Links that are soon ended count together, until one is encrypted")
    func briefLinks() {
        let bench = Self.connected(isEncrypted: false)
        for isLast in [false, false, false, true] {
            #expect(bench.wait(.seconds(3)).phoneEvents == (isLast ? [Self.missing] : []))
            bench.disconnect()
            bench.connect()
        }
        let briefer = Self.connected(isEncrypted: false)
        for isLast in [false, false, false, true] {
            #expect(briefer.wait(.seconds(1)).phoneEvents.isEmpty)
            #expect(
                briefer.disconnect().phoneEvents
                    == (isLast ? [Self.missing] : []) + [.disconnected(.linkEnded)])
            briefer.connect()
        }
        let other = Self.connected(isEncrypted: false)
        for round in 1...7 {
            other.isEncrypted = round == 4
            #expect(other.wait(.seconds(3)).phoneEvents.isEmpty)
            other.disconnect()
            other.connect()
        }
    }

    // MARK: What bluetoothd says (5.83 and later)

    @discardableResult
    private static func end(_ bench: Bench, because reason: String) -> [Bench.Line] {
        bench.signal(
            Bench.path("dev_1"), Bench.device, "Disconnected",
            [.string(reason), .string("a text")])
    }

    @Test("A link that ends because of its keys is reported with that reason")
    func authentication() {
        let bench = Self.connected(isEncrypted: nil)
        let lines = Self.end(bench, because: "org.bluez.Reason.Authentication")
        #expect(lines.phoneEvents == [Self.missing])
        #expect(bench.disconnect().phoneEvents == [.disconnected(.linkEnded)])
    }

    @Test("One that is ended here counts only if it was not encrypted")
    func local() {
        let bench = Self.connected(isEncrypted: false)
        #expect(Self.end(bench, because: "org.bluez.Reason.Local").phoneEvents.isEmpty)
        bench.disconnect()
        bench.connect()
        bench.wait(.seconds(3))
        #expect(
            Self.end(bench, because: "org.bluez.Reason.Local").phoneEvents == [Self.missing])
    }

    @Test(
        "Other ends are reported without mention of keys",
        arguments: [
            "org.bluez.Reason.Remote", "org.bluez.Reason.Timeout", "org.bluez.Reason.",
            "Authentication",
        ])
    func otherReasons(_ reason: String) {
        let bench = Self.connected(isEncrypted: false)
        bench.wait(.seconds(3))
        #expect(Self.end(bench, because: reason).phoneEvents.isEmpty)
    }

    @Test("A phone that was served, and one that is not paired, have no such end")
    func served() {
        let bench = Self.connected(isEncrypted: true)
        bench.resolve()
        bench.subscribe()
        #expect(Self.end(bench, because: "org.bluez.Reason.Authentication").phoneEvents.isEmpty)
        let stranger = Bench()
        stranger.begin()
        stranger.addDevice()
        #expect(Self.end(stranger, because: "org.bluez.Reason.Authentication").phoneEvents.isEmpty)
    }
}
