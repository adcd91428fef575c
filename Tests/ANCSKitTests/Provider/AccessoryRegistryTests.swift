import BluetoothLE
import Testing

@testable import ANCSKit

/// Which accessory has which name.
@Suite struct AccessoryRegistryTests {
    static func address(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(0x4000_0000_0000 | number, kind: .random)
    }

    @Test("a bonded accessory keeps its name under every private address")
    func privateAddresses() {
        var registry = AccessoryRegistry()
        let identity = Self.address(100)
        let stranger = registry.entry(address: Self.address(1), identity: nil, name: "Watch")
        #expect(registry.identify(stranger.id, as: identity) == nil)
        let back = registry.entry(address: Self.address(2), identity: identity)
        #expect(back.id == stranger.id)
        #expect(back.name == "Watch")
        #expect(back.description.address == Self.address(2).text)
        #expect(registry.entries.count == 1)
    }

    @Test("who lost its keys and pairs anew takes the place of who it was")
    func pairedAnew() {
        var registry = AccessoryRegistry()
        let identity = Self.address(100)
        let before = registry.entry(address: Self.address(1), identity: identity)
        let stranger = registry.entry(address: Self.address(2), identity: nil)
        #expect(before.id != stranger.id)
        #expect(registry.identify(stranger.id, as: identity) == before.id)
        #expect(registry.entry(address: Self.address(3), identity: identity).id == stranger.id)
        #expect(registry[before.id] == nil)
    }

    @Test("an accessory that was forgotten is a stranger under another address")
    func forgotten() {
        var registry = AccessoryRegistry()
        let entry = registry.entry(address: Self.address(1), identity: Self.address(100))
        registry.forget(entry.id)
        #expect(registry.entry(address: Self.address(1), identity: nil).id == entry.id)
        #expect(registry.entry(address: Self.address(2), identity: nil).id != entry.id)
    }

    @Test("strangers without number take no more room than there is; who is needed stays")
    func flood() {
        var registry = AccessoryRegistry()
        let bonded = registry.entry(address: Self.address(1), identity: Self.address(100))
        for number in UInt64(1000)..<4000 {
            _ = registry.entry(address: Self.address(number), identity: nil)
            _ = registry.prune { $0.identity != nil }
        }
        #expect(registry.entries.count == 1024)
        #expect(registry[bonded.id]?.id == bonded.id)
    }
}
