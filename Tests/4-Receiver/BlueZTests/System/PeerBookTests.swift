import ANCSEvents
import BluetoothLE
import DBus
import Octets
import Testing

@testable import ANCSKit
@testable import BlueZ

/// The book keeps the place of the peer that was changed last, and peers come and go.
@Suite struct PeerBookTests {
    private static func address(_ number: UInt64) -> DeviceAddress? {
        DeviceAddress(text: "C0:00:00:00:00:\(number < 10 ? "0" : "")\(number)", kind: .random)
    }

    private static func path(_ number: UInt64) -> ObjectPath { Bench.path("dev_\(number)") }

    @Test(arguments: UInt64(0)..<50) func aChangeIsOneOfThatPeer(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var book = PeerBook(known: [], maximumAbsent: 3, identifiers: identifiers(seed))
        // What was written to each peer.
        var written: [PeerKey: Int] = [:]
        for step in 0..<400 {
            let number = UInt64.random(in: 0..<12, using: &generator)
            let address = try #require(Self.address(number))
            let id = PeerKey(rawValue: UInt64.random(in: 1..<40, using: &generator))
            switch Int.random(in: 0..<12, using: &generator) {
            case 0..<3:
                _ = book.appeared(at: Self.path(number), address)
            case 3:
                if let id = book.id(at: Self.path(number)) {
                    _ = book.vanished(id, at: Self.path(number))
                }
            case 4: book.identified(id, as: address)
            case 5: _ = book.recall(address)
            case 6: if step % 7 == 0 { _ = book.allVanished() }
            case _:
                let isKnown = book.peers[id] != nil
                let wasKnown = book.update(id) { $0.connectFailures = step } != nil
                #expect(wasKnown == isKnown)
                if isKnown { written[id] = step }
            }
            for (id, peer) in book.peers {
                #expect(peer.id == id)
                #expect(peer.connectFailures == written[id] ?? 0, "seed \(seed), step \(step)")
            }
        }
    }
}
