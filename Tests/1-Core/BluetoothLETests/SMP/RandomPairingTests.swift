import BluetoothLE
import Octets
import Testing

/// Pairings over a link that loses, repeats, reorders and corrupts PDUs. L2CAP does not, but a peer can.
@Suite struct RandomPairingTests {
    @Test(
        "no sequence of PDUs makes either side trap, and an encrypted link has one key",
        arguments: 0..<120 as Range<UInt64>)
    func chaos(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let scenario = HostilePairingTests.scenarios.indices.randomElement(using: &generator) ?? 0
        let bench = HostilePairingTests.bench(scenario)
        try bench.initiator.pair(at: bench.now)
        var steps = 0
        var faults = 2
        while bench.step(), steps < 400 {
            steps += 1
            guard faults > 0, !bench.pending.isEmpty, Int.random(in: 0..<8, using: &generator) == 0
            else { continue }
            faults -= 1
            disturb(&bench.pending, using: &generator)
        }
        #expect(steps < 400, "seed \(seed)")
        let bonds = (bench.bond(of: .initiator), bench.bond(of: .responder))
        if let own = bonds.0, let peer = bonds.1 {
            #expect(own.usesSecureConnections == peer.usesSecureConnections, "seed \(seed)")
            #expect(own.isAuthenticated == peer.isAuthenticated, "seed \(seed)")
            #expect(own.keySize == peer.keySize, "seed \(seed)")
            if own.usesSecureConnections {
                #expect(own.peerLongTermKey == peer.localLongTermKey, "seed \(seed)")
            }
        }
        // Whoever waits for the other gives up in the end.
        bench.now = bench.now + .seconds(31)
        bench.initiator.handleTimeout(at: bench.now)
        bench.responder.handleTimeout(at: bench.now)
        let busy = (bench.initiator.isBusy, bench.responder.isBusy)
        #expect(!busy.0 && !busy.1, "seed \(seed)")
    }

    private func disturb(
        _ pending: inout [PairingBench.Delivery], using generator: inout SeededGenerator
    ) {
        let index = pending.indices.randomElement(using: &generator) ?? 0
        guard case .pdu(var pdu) = pending[index].event else { return }
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: pending.remove(at: index)
        case 1: pending.insert(pending[index], at: index)
        case 2: pending.append(pending.remove(at: index))
        case 3:
            let position = pdu.indices.randomElement(using: &generator) ?? 0
            pdu[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            pending[index].event = .pdu(pdu)
        default:
            pending[index].event = .pdu(
                Array(pdu.prefix(Int.random(in: 0...pdu.count, using: &generator))))
        }
    }
}
