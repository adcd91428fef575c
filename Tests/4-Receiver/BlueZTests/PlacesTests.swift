import ANCSEvents
import ANCS
import BluetoothLE
import DBus
import Octets
import Testing

@testable import BlueZ

/// Every phone that is paired has a place, and none has to leave for another one.
@Suite struct PlacesTests {
    private static func daemon() -> Bench {
        var configuration = BlueZAccessory.Configuration(name: "desk lamp")
        configuration.pairingWindow = .closed
        let bench = Bench(configuration)
        bench.begin()
        return bench
    }

    /// A new phone is connected while the window is open, is paired, and shows ANCS.
    private static func pair(_ name: String, of phone: UInt64, on bench: Bench) {
        bench.input { $0.openPairingWindow(for: .seconds(120), at: $1) }
        bench.goOnAir()
        bench.addDevice(name)
        bench.changeDevice(name, ["Paired": .bool(true)])
        bench.answer("Pair \(name)")
        bench.addANCS(to: name)
        bench.resolve(name)
        bench.subscribe(name, of: phone)
        bench.input { $0.closePairingWindow(at: $1) }
        bench.answer("UnregisterAdvertisement hci0")
    }

    @Test func aStrangerThatPairedOnceDoesNotKeepThePhoneOfTheOwnerOut() {
        let bench = Self.daemon()
        // It shows an ANCS of its own, and stays for ever.
        Self.pair("dev_1", of: 1, on: bench)
        Self.pair("dev_2", of: 2, on: bench)
        #expect(
            bench.broadcast([1], of: "dev_2/service0010/char0011") == [
                .report(2, .notificationSource([1]))
            ])
        bench.disconnect("dev_2")
        bench.goOnAir()
        #expect(bench.connect("dev_2").phoneEvents.count == 1)
        #expect(bench.resolve("dev_2") == [.available(3)])
        bench.subscribe("dev_2", of: 3)
        #expect(
            bench.broadcast([2], of: "dev_2/service0010/char0011") == [
                .report(3, .notificationSource([2]))
            ])
        #expect(
            bench.broadcast([3], of: "dev_1/service0010/char0011") == [
                .report(1, .notificationSource([3]))
            ])
    }

    @Test func itAdvertisesBesideAPhoneWhileAnotherIsAwayAndNotWhenAllAreThere() {
        let bench = Self.daemon()
        bench.addPairedPhone("dev_1")
        bench.addPairedPhone("dev_2")
        #expect(!bench.connect("dev_1").contains(.event(.advertising(false))))
        bench.resolve("dev_1")
        let lines = bench.connect("dev_2")
        #expect(lines.contains(.event(.advertising(false))))
        bench.answer("UnregisterAdvertisement hci0")
        #expect(
            bench.disconnect("dev_1").calls.contains("RegisterAdvertisement hci0"))
    }

    @Test func fourPhonesAreServedAndTheFifthWaitsWithoutEndingTheLinkOfAny() {
        let bench = Self.daemon()
        for number in UInt64(1)...4 { bench.serve("dev_\(number)", of: number) }
        bench.addPairedPhone("dev_5")
        let lines = bench.connect("dev_5") + bench.resolve("dev_5")
        #expect(lines.calls.isEmpty && lines.last == .phone(5, .peer(.unserved(.noPlace))))
        #expect(bench.connectedPhones.count == 5)
        #expect(bench.disconnect("dev_3").contains(.available(5)))
    }

    @Test func anOldPhoneAndANewOneAlternateForAnHour() {
        let bench = Self.daemon()
        for name in ["dev_1", "dev_2"] { bench.addPairedPhone(name) }
        var phone: UInt64 = 0
        for minute in 0..<60 {
            let name = "dev_\(minute % 2 + 1)"
            phone += 1
            bench.connect(name)
            #expect(bench.resolve(name).contains(.available(phone)))
            bench.subscribe(name, of: phone)
            #expect(
                bench.broadcast([1], of: "\(name)/service0010/char0011").contains(
                    .report(phone, .notificationSource([1]))))
            bench.wait(.seconds(59))
            bench.disconnect(name)
            bench.goOnAir()
            bench.wait(.seconds(1))
        }
        #expect(phone == 60 && bench.connectedPhones.isEmpty)
    }

    @Test func whatIsReceivedDoesNotCountThePhonesAgain() {
        let bench = Self.daemon()
        bench.serve("dev_1", of: 1)
        bench.input { accessory, _ in #expect(accessory.pairedPhoneCount == 1) }
        bench.broadcast([1])
        bench.input { accessory, _ in #expect(accessory.pairedPhoneCount == 1) }
    }
}
