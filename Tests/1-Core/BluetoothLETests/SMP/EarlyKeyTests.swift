import BluetoothLE
import Octets
import Testing

/// Keys that the peer distributes, ahead of the controller's Encryption Change.
@Suite struct EarlyKeyTests {
    typealias Role = SecurityManager.Role

    /// A pairing just before Encryption Change reaches the initiator, whose peer has sent its keys.
    private func keysAhead(isSecure: Bool) throws -> PairingBench {
        let security = SecurityConfiguration(.noInputNoOutput, isSecure: isSecure)
        let bench = PairingBench(security, security)
        try bench.initiator.pair(at: bench.now)
        bench.collect()
        while let next = bench.pending.first {
            if case .encryption = next.event, next.receiver == .initiator { break }
            bench.step()
        }
        let change = bench.pending.removeFirst()
        // The keys of the responder come by the other way.
        bench.run()
        bench.pending = [change]
        return bench
    }

    @Test("the keys count once the link is encrypted", arguments: [false, true])
    func keysThenEvent(isSecure: Bool) throws {
        let bench = try keysAhead(isSecure: isSecure)
        #expect(bench.bond(of: .initiator) == nil && bench.failure(of: .initiator) == nil)
        let security = bench.initiator.security
        #expect(!security.isEncrypted)
        bench.run()
        let bond = try #require(bench.bond(of: .initiator))
        #expect(bond.identityResolvingKey == 0x0102_0304_0506_0708_090A_0B0C_0D0E_0F10)
        #expect(bond.peerLongTermKey == bench.bond(of: .responder)?.localLongTermKey)
    }

    @Test(
        "keys, then failure: they are discarded, and the next pairing has its own",
        arguments: [false, true], [0x05, 0x06, 0x3D] as [UInt8])
    func keysThenFailure(isSecure: Bool, status: UInt8) throws {
        let bench = try keysAhead(isSecure: isSecure)
        bench.pending = []
        bench.deliver(.encryption(status: status), to: .initiator)
        bench.collect()
        #expect(
            bench.failure(of: .initiator) == .encryptionFailed(HCIStatus(rawValue: status)))
        let security = bench.initiator.security
        #expect(bench.bond(of: .initiator) == nil && !security.isEncrypted)
        let bond = bench.initiator.bond
        #expect(bond == nil)
        // An event that comes after all says nothing about keys that are gone.
        bench.deliver(.encryption(status: 0), to: .initiator)
        bench.collect()
        #expect(bench.bond(of: .initiator) == nil)
    }

    @Test("keys that arrive before the controller has a key end pairing")
    func beforeTheCommand() throws {
        let bench = PairingBench(
            SecurityConfiguration(.displayYesNo), SecurityConfiguration(.displayYesNo))
        try bench.initiator.pair(at: bench.now)
        bench.collect()
        bench.step()
        bench.deliver(.pdu([0x08] + [UInt8](repeating: 7, count: 16)), to: .initiator)
        bench.collect()
        #expect(bench.failure(of: .initiator) == .refused(.unspecified))
    }

    @Test("a key that is not the next one ends pairing, before the event as after it")
    func wrongKey() throws {
        let bench = try keysAhead(isSecure: true)
        bench.deliver(.pdu([0x08] + [UInt8](repeating: 7, count: 16)), to: .initiator)
        bench.collect()
        #expect(bench.failure(of: .initiator) == .refused(.unspecified))
        bench.run()
        #expect(bench.bond(of: .initiator) == nil)
    }

    @Test("the initiator's keys come after the responder's: ahead of the event they are not its")
    func responder() throws {
        let security = SecurityConfiguration(.noInputNoOutput, isSecure: true)
        let bench = PairingBench(security, security)
        try bench.initiator.pair(at: bench.now)
        bench.collect()
        while let next = bench.pending.first {
            if case .encryption = next.event { break }
            bench.step()
        }
        bench.deliver(.pdu([0x08] + [UInt8](repeating: 7, count: 16)), to: .responder)
        bench.collect()
        #expect(bench.failure(of: .responder) == .refused(.unspecified))
        #expect(bench.bond(of: .responder) == nil)
    }

    @Test("a responder without keys of its own holds those of the initiator")
    func responderWithoutKeys() throws {
        var own = SecurityConfiguration(.noInputNoOutput, isSecure: true)
        own.responderKeys = []
        let bench = PairingBench(
            SecurityConfiguration(.noInputNoOutput, isSecure: true), own)
        try bench.initiator.pair(at: bench.now)
        bench.collect()
        while let next = bench.pending.first {
            if case .encryption = next.event, next.receiver == .responder { break }
            bench.step()
        }
        let change = bench.pending.removeFirst()
        bench.run()
        #expect(bench.bond(of: .responder) == nil && bench.failure(of: .responder) == nil)
        bench.pending = [change]
        bench.run()
        let bond = try #require(bench.bond(of: .responder))
        #expect(bond.identityAddress == PairingBench.centralAddress)
    }
}
