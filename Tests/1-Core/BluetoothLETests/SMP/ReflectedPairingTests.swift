import BluetoothLE
import Octets
import Testing

/// A peer that only sends back what it receives knows no passkey, and gets no key. Core Vol 3, Part H,
/// 2.3.5.5.
@Suite struct ReflectedPairingTests {
    static let inputs: [IOCapability] = [.noInputNoOutput, .keyboardOnly]

    /// The initiator pairs with a mirror: Pairing Confirm and Pairing Random come back as they were sent.
    @Test("legacy pairing with a mirror fails with Confirm Value Failed", arguments: inputs)
    func mirror(_ io: IOCapability) throws {
        let configuration = SecurityConfiguration(io, isSecure: false)
        let bench = PairingBench(configuration)
        try bench.initiator.pair(at: bench.now)
        bench.collect()
        bench.pending = []
        let response: [UInt8] = [0x02, 0x04, 0x00, 0x05, 0x10, 0x03, 0x03]
        bench.deliver(.pdu(response), to: .initiator)
        bench.collect()
        if io == .keyboardOnly { bench.deliver(.passkey(123_456), to: .initiator) }
        bench.collect()
        for _ in 1...4 {
            let sent = bench.pending.compactMap { delivery in
                if case .pdu(let pdu) = delivery.event { pdu } else { nil }
            }
            bench.pending = []
            for pdu in sent where pdu[0] != 0x05 { bench.deliver(.pdu(pdu), to: .initiator) }
            bench.collect()
        }
        #expect(bench.failure(of: .initiator) == .refused(.confirmValueFailed))
        let encrypts = bench.events[.initiator]?.contains { event in
            if case .startEncryption = event { true } else { false }
        }
        #expect(encrypts == false)
        // Nor may it try again at once, as after any guess (2.3.6).
        #expect(throws: SecurityManager.UsageError.self) {
            try bench.initiator.pair(at: bench.now)
        }
    }
}
