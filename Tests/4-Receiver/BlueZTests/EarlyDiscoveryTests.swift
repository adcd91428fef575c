import ANCSEvents
import DBus
import Octets
import Testing

@testable import BlueZ

/// An iPhone shows ANCS only when it is paired (S2), which bluetoothd may be too early for.
@Suite struct EarlyDiscoveryTests {
    /// A phone was just paired, and its services were found before that, without ANCS.
    private static func pairedTooLate() -> Bench {
        let bench = Bench()
        bench.begin()
        bench.addDevice()
        bench.answer("UnregisterAdvertisement hci0")
        bench.resolve()
        bench.changeDevice("dev_1", ["Paired": .bool(true)])
        bench.answer("Pair dev_1")
        return bench
    }

    @Test func theLinkIsEndedOnceAndThePhoneComesBackWithANCS() {
        let bench = Self.pairedTooLate()
        #expect(bench.wait(.milliseconds(9_900)).isEmpty)
        let lines = bench.wait(.milliseconds(200))
        #expect(lines.phoneEvents == [.discoveredEarly])
        #expect(lines.calls == ["Disconnect dev_1"])
        bench.answer("Disconnect dev_1")
        #expect(bench.disconnect().phoneEvents == [.disconnected(.discoveredEarly)])
        bench.connect()
        bench.addANCS()
        #expect(bench.resolve().last == .available(2))
    }

    @Test func aPhoneThatReportsItByItselfKeepsItsLink() {
        let bench = Self.pairedTooLate()
        bench.wait(.seconds(5))
        #expect(bench.addANCS().last == .available(1))
        #expect(!bench.wait(.seconds(600)).calls.contains("Disconnect dev_1"))
    }

    @Test func aPhoneThatComesBackWithoutANCSIsWaitedFor() {
        let bench = Self.pairedTooLate()
        bench.wait(.seconds(10))
        bench.answer("Disconnect dev_1")
        bench.disconnect()
        bench.connect()
        bench.resolve()
        let lines = bench.wait(.seconds(3_600))
        #expect(!lines.calls.contains("Disconnect dev_1"))
    }

    @Test func aPhoneWhoseLinkStaysIsWaitedFor() {
        let bench = Self.pairedTooLate()
        bench.wait(.seconds(10))
        bench.refuse("Disconnect dev_1", "Failed")
        #expect(bench.addANCS().last == .available(1))
    }

    @Test func aDeviceThatNeverShowsANCSGivesItsPlaceToAPhone() {
        let bench = Self.pairedTooLate()
        bench.wait(.seconds(10))
        bench.answer("Disconnect dev_1")
        bench.disconnect()
        bench.goOnAir()
        bench.connect()
        bench.answer("UnregisterAdvertisement hci0")
        bench.resolve()
        #expect(!bench.wait(.seconds(170)).calls.contains("RegisterAdvertisement hci0"))
        #expect(bench.wait(.seconds(11)).calls == ["RegisterAdvertisement hci0"])
    }

    @Test func aPhoneThatWasPairedBeforeIsNotDisconnected() {
        let bench = Bench()
        bench.begin()
        bench.addPairedPhone()
        bench.connect()
        bench.resolve()
        bench.removeANCS()
        #expect(!bench.wait(.seconds(3_600)).calls.contains("Disconnect dev_1"))
    }
}
