import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// Which accessory has which name for a run.
@Suite struct AccessoryNamesTests {
    private static func peer(_ number: UInt64) -> PeerKey {
        PeerKey(rawValue: number)
    }

    @Test("an accessory keeps its number, and the first one is 1")
    func names() {
        var names = AccessoryNames()
        let first = names.accessory(for: Self.peer(7))
        #expect(first.rawValue == 1)
        #expect(names.accessory(for: Self.peer(8)).rawValue == 2)
        #expect(names.accessory(for: Self.peer(7)) == first)
        #expect(names[first] == Self.peer(7))
        #expect(names[Self.peer(9)] == nil)
    }

    @Test("an accessory that lost its keys and pairs again replaces its earlier entry")
    func pairedAnew() {
        var names = AccessoryNames()
        let before = names.accessory(for: Self.peer(1))
        let stranger = names.accessory(for: Self.peer(2))
        #expect(names.forget(Self.peer(1)) == before)
        #expect(names.accessory(for: Self.peer(2)) == stranger)
        #expect(names[stranger] == Self.peer(2))
        #expect(names[before] == nil)
        #expect(names[Self.peer(1)] == nil)
    }

    @Test("an accessory that is identified as a peer of an earlier run keeps its number")
    func identified() {
        var names = AccessoryNames()
        let accessory = names.accessory(for: Self.peer(2))
        #expect(names.forget(Self.peer(1)) == nil)
        #expect(names[accessory] == Self.peer(2))
    }

    @Test("a flood of strangers stays within the limit, and peers in use are kept")
    func flood() {
        var names = AccessoryNames()
        let needed = names.accessory(for: Self.peer(1))
        var forgotten = 0
        for number in UInt64(1000)..<4000 {
            _ = names.accessory(for: Self.peer(number))
            if names.prune(keeping: { accessory, _ in accessory == needed }) != nil {
                forgotten += 1
            }
        }
        #expect(forgotten == 3001 - 1024)
        #expect(names[needed] == Self.peer(1))
        #expect(names[Self.peer(1000)] == nil)
        #expect(names[Self.peer(3999)] != nil)
    }
}
