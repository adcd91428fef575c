import ANCSEvents
import DBus
import Octets
import Testing

@testable import BlueZ

@Suite("The advertising interval")
struct AdvertisingIntervalTests {
    private static let register = "RegisterAdvertisement hci0"
    private static let unregister = "UnregisterAdvertisement hci0"

    /// The interval that bluetoothd reads now, in milliseconds.
    private static func interval(_ bench: Bench) throws -> UInt32 {
        let lines = bench.call(
            Advertisement.path, ObjectTree.propertiesInterface, "GetAll",
            .string(Advertisement.interface))
        guard case .answer(_, .success(let values)) = lines.first,
            let properties = values.first?.properties,
            case .uint32(let least) = properties["MinInterval"],
            case .uint32(let most) = properties["MaxInterval"]
        else {
            Issue.record("no answer: \(lines)")
            return 0
        }
        // bluetoothd refuses an advertisement whose minimum is above its maximum.
        #expect(least == most)
        return least
    }

    /// On air for two phones, so that the first one does not end advertising.
    private static func onAir() -> Bench {
        var configuration = BlueZAccessory.Configuration(name: "desk lamp")
        configuration.maximumPhones = 2
        let bench = Bench(configuration)
        bench.begin()
        return bench
    }

    @Test("Pairing is open: 20 ms; a phone is paired: 760 ms, registered again")
    func aPhoneIsPaired() throws {
        let bench = Self.onAir()
        #expect(try Self.interval(bench) == 20)
        let lines = bench.addPairedPhone()
        #expect(lines.contains(.event(.pairingWindow(isOpen: false))))
        #expect(lines.calls == [Self.unregister])
        #expect(bench.answer(Self.unregister) == [.call(Self.register)])
        #expect(try Self.interval(bench) == 760)
        #expect(bench.answer(Self.register) == [.call("Get ActiveInstances hci0")])
        // It was never reported as off air.
        #expect(bench.answer("Get ActiveInstances hci0", .byte(1)).isEmpty)
    }

    @Test("A name that nobody has chosen is on air only while phones may pair")
    func nameOfTheMachine() throws {
        var configuration = BlueZAccessory.Configuration(name: "desk lamp")
        configuration.maximumPhones = 2
        for showsNameAlways in [true, false] {
            configuration.showsNameAlways = showsNameAlways
            let bench = Bench(configuration)
            func name() -> BusValue? {
                let lines = bench.call(
                    Advertisement.path, ObjectTree.propertiesInterface, "GetAll",
                    .string(Advertisement.interface))
                guard case .answer(_, .success(let values)) = lines.first else { return nil }
                return values.first?.properties?["LocalName"]
            }
            bench.begin()
            #expect(name() == .string("desk lamp"))
            bench.addPairedPhone()
            bench.goOnAir()
            #expect(name() == (showsNameAlways ? .string("desk lamp") : nil))
        }
    }

    @Test("The user opens pairing for a minute: 20 ms, then 760 ms again")
    func theUserOpensPairing() throws {
        let bench = Self.onAir()
        bench.addPairedPhone()
        bench.goOnAir()
        let lines = bench.input { $0.openPairingWindow(for: .seconds(60), at: $1) }
        #expect(lines.calls == [Self.unregister])
        bench.goOnAir()
        #expect(try Self.interval(bench) == 20)
        #expect(bench.wait(.seconds(59)).isEmpty)
        #expect(bench.wait(.seconds(1)).calls == [Self.unregister])
        bench.goOnAir()
        #expect(try Self.interval(bench) == 760)
        #expect(bench.pending.isEmpty)
    }

    @Test("An interval that changes while bluetoothd registers is registered afterwards")
    func whileItIsRegistered() throws {
        let bench = Bench()
        bench.addAdapter()
        bench.daemonBegins()
        #expect(try Self.interval(bench) == 20)
        #expect(bench.addPairedPhone().calls.isEmpty)
        #expect(bench.answer(Self.register) == [.call(Self.unregister)])
        #expect(bench.answer(Self.unregister) == [.call(Self.register)])
        #expect(try Self.interval(bench) == 760)
    }

    @Test("A refused advertisement is not tried earlier because the interval changes")
    func refused() {
        let bench = Bench()
        bench.addAdapter()
        bench.daemonBegins()
        bench.refuse(Self.register, "NotPermitted")
        #expect(bench.addPairedPhone().calls.isEmpty)
        #expect(bench.wait(.seconds(2)).calls == [Self.unregister])
    }
}
