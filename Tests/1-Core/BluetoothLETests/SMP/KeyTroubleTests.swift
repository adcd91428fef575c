@testable import BluetoothLE
import Octets
import Testing

/// What goes wrong with the keys of a bond, as the Peripheral sees it, and what it says about the bond.
@Suite("Trouble with the keys of a bond") struct KeyTroubleTests {
    /// A bonded pair that is connected, whose Central has changed its bond.
    private static func link(
        _ change: (inout Bond) -> Void = { _ in }
    ) throws -> HostLink {
        let first = try HostLink.bonded()
        var bonds = first.central.bonds
        change(&bonds[0].bond)
        let link = HostLink(centralBonds: bonds, peripheralBonds: first.peripheral.bonds) {
            $0.isPairable = false
        }
        try link.connect()
        link.forget()
        return link
    }

    private static func failures(_ bench: HostBench) -> [SecurityFailure] {
        bench.takeOutputs().compactMap { output in
            if case .security(_, .failed(let failure)) = output { failure } else { nil }
        }
    }

    @Test(
        "a different key ends the link, is reported as a different key, and leaves the bond",
        arguments: [false, true])
    func different(isRequested: Bool) throws {
        let link = try Self.link { $0.peerLongTermKey?.value ^= 1 }
        let bonds = link.peripheral.bonds
        if isRequested { try link.peripheral.host.pair(link.handle, at: link.peripheral.now) }
        try link.secure()
        let outputs = link.peripheral.takeOutputs()
        #expect(
            outputs == [
                .security(link.handle, .failed(.keysDiffer)),
                .link(link.handle, .disconnected(.micFailure)),
            ])
        #expect(link.peripheral.bonds == bonds)
    }

    @Test("a key that was never given is refused this time, and nothing else is advised")
    func unknown() throws {
        let link = try Self.link {
            $0.peerLongTermKey?.ediversifier = 0x1234
            $0.peerLongTermKey?.random = 0x5678
        }
        let bonds = link.peripheral.bonds
        try link.secure()
        #expect(Self.failures(link.peripheral) == [.otherBondRequested])
        #expect(link.peripheral.bonds == bonds)
        let message = SecurityFailure.otherBondRequested.message
        #expect(message.contains("this time") && !message.contains("forget"))
        #expect(!message.contains("remove"))
        // The same link works as soon as the Central uses the key of this bond.
        let key = try #require(bonds.first?.bond.localLongTermKey)
        link.peripheral.enqueue(
            HCI.LELongTermKeyRequest(
                handle: link.handle, random: key.random, encryptedDiversifier: key.ediversifier))
        link.run()
        #expect(Self.failures(link.peripheral).isEmpty)
    }

    @Test("a refusal is reported once, even if the controller reports it as well")
    func once() throws {
        let bench = PairingBench(responderBond: Self.bond)
        bench.deliver(.longTermKeyRequest(random: 1, ediversifier: 1), to: .responder)
        bench.deliver(.encryption(status: 0x06), to: .responder)
        bench.collect()
        #expect(bench.failures(of: .responder) == [.otherBondRequested])
    }

    @Test(
        "a Central without the key of the bond, reported by its controller or its host",
        arguments: [true, false])
    func missing(isEvent: Bool) throws {
        let bench = PairingBench(responderBond: Self.bond)
        try bench.responder.pair(at: bench.now)
        if isEvent {
            bench.deliver(.encryption(status: 0x06), to: .responder)
        } else {
            bench.responder.linkEnded(status: 0x06)
        }
        bench.collect()
        #expect(bench.failures(of: .responder) == [.peerLostBond])
    }

    @Test(
        "other ends of a link are reported without mention of keys",
        arguments: [0x05, 0x08, 0x13, 0x16, 0x3D, 0x3E])
    func otherEnds(status: UInt8) throws {
        for isRequested in [true, false] {
            let bench = PairingBench(responderBond: Self.bond)
            if isRequested { try bench.responder.pair(at: bench.now) }
            bench.responder.linkEnded(status: status)
            bench.collect()
            #expect(bench.failures(of: .responder).isEmpty)
        }
        // Nor does the end of a link that was encrypted.
        let bench = PairingBench(initiatorBond: Self.bond, responderBond: Self.bond)
        try bench.pair()
        #expect(bench.responder.security.isEncrypted)
        bench.responder.linkEnded(status: status)
        bench.collect()
        #expect(bench.failures(of: .responder).isEmpty)
    }

    @Test(
        "the end of a link on which nobody asked for encryption says nothing of keys",
        arguments: [0x05, 0x06, 0x3D], [true, false])
    func unrequestedEnds(status: UInt8, isBonded: Bool) throws {
        let bond = isBonded ? Self.bond : nil
        let bench = PairingBench(initiatorBond: bond, responderBond: bond)
        bench.initiator.linkEnded(status: status)
        bench.responder.linkEnded(status: status)
        bench.collect()
        #expect(bench.failures(of: .initiator).isEmpty)
        #expect(bench.failures(of: .responder).isEmpty)
    }

    @Test(
        "a Pairing Failed that crosses the encryption does not count as a failure, before and after the key",
        arguments: [PairingFailureReason.pairingNotSupported, .brEdrPairingInProgress], [0, 1, 2])
    func crossing(reason: PairingFailureReason, steps: Int) throws {
        let bench = PairingBench(initiatorBond: Self.bond, responderBond: Self.bond)
        try bench.responder.pair(at: bench.now)
        bench.collect()
        bench.pending = []
        // The Central encrypts on its own, and answers the request while it does.
        try bench.initiator.pair(at: bench.now)
        for _ in 0..<steps { bench.step() }
        bench.deliver(.pdu(SecurityManagerPDU.pairingFailed(reason).octets), to: .responder)
        bench.run()
        #expect(bench.failures(of: .responder).isEmpty)
        #expect(bench.responder.security.isEncrypted && bench.responder.security.isBonded)
        #expect(bench.responder.nextDeadline == nil)
    }

    @Test("no Pairing Failed stops an encryption that has begun")
    func begun() throws {
        let bench = PairingBench(initiatorBond: Self.bond, responderBond: Self.bond)
        try bench.responder.pair(at: bench.now)
        bench.collect()
        bench.pending = []
        try bench.initiator.pair(at: bench.now)
        bench.step()
        bench.deliver(.pdu(SecurityManagerPDU.pairingFailed(.unspecified).octets), to: .responder)
        bench.run()
        #expect(bench.failures(of: .responder).isEmpty)
        #expect(bench.responder.security.isEncrypted)
    }

    @Test("without the encryption that it seemed to cross, the limit of 30 seconds holds")
    func notCrossing() throws {
        let bench = PairingBench(responderBond: Self.bond)
        try bench.responder.pair(at: bench.now)
        bench.deliver(
            .pdu(SecurityManagerPDU.pairingFailed(.pairingNotSupported).octets), to: .responder)
        bench.responder.handleTimeout(at: .zero + .seconds(30))
        bench.collect()
        #expect(bench.failures(of: .responder) == [.encryptionTimedOut])
        #expect(!SecurityFailure.encryptionTimedOut.message.contains("remove"))
    }

    @Test("a stranger's Pairing Failed is a failure")
    func stranger() throws {
        let bench = PairingBench()
        try bench.responder.pair(at: bench.now)
        bench.deliver(
            .pdu(SecurityManagerPDU.pairingFailed(.pairingNotSupported).octets), to: .responder)
        bench.collect()
        #expect(bench.failures(of: .responder) == [.refusedByPeer(.pairingNotSupported)])
    }

    @Test("a stalled pairing is reported with the side whose user may have a question")
    func stalls() throws {
        let bench = PairingBench(
            SecurityConfiguration(.displayYesNo), SecurityConfiguration(.displayYesNo))
        try bench.initiator.pair(at: bench.now)
        while !bench.pending.contains(where: { $0.event == .confirmation(true) }) { bench.step() }
        // The users look at their digits; only the one of the Central never answers.
        let answers = bench.pending.filter { $0.event == .confirmation(true) }
        try #require(answers.count == 1)
        let first = answers[0].receiver
        bench.pending = []
        let limit = MonotonicInstant.zero + .seconds(30)
        bench.initiator.handleTimeout(at: limit)
        bench.responder.handleTimeout(at: limit)
        bench.collect()
        let other: SecurityManager.Role = first == .initiator ? .responder : .initiator
        #expect(bench.failures(of: first) == [.notAnswered])
        #expect(bench.failures(of: other) == [.timedOut])
        #expect(SecurityFailure.timedOut.message.contains("its user"))
        #expect(!SecurityFailure.timedOut.message.contains("disconnect"))
    }

    // MARK: What is news

    @Test("trouble is news once, and once more after three links over a minute")
    func news() {
        var record = KeyTroubleRecord()
        #expect(record.note(.different, at: .zero) == KeyTrouble(.different))
        for second in 1..<60 {
            #expect(record.note(.different, at: .zero + .seconds(second)) == nil)
        }
        let lasting = KeyTrouble(.different, isLasting: true)
        #expect(record.note(.different, at: .zero + .seconds(60)) == lasting)
        #expect(record.note(.different, at: .zero + .seconds(61)) == nil)
        #expect(record.note(.unknown, at: .zero + .seconds(62)) == nil)
    }

    @Test("two links are never lasting, and neither are requests for the key of another bond")
    func notLasting() {
        var record = KeyTroubleRecord()
        #expect(record.note(.missing, at: .zero) == KeyTrouble(.missing))
        #expect(record.note(.missing, at: .zero + .seconds(7200)) == nil)
        var other = KeyTroubleRecord()
        #expect(other.note(.unknown, at: .zero) == KeyTrouble(.unknown))
        for minute in 1...100 {
            #expect(other.note(.unknown, at: .zero + .seconds(60 * minute)) == nil)
        }
    }

    @Test("a device that fails in every way in turn is news five times")
    func turns() {
        var record = KeyTroubleRecord()
        var count = 0
        for second in 0..<600 {
            let kind: KeyTrouble.Kind = [.missing, .different, .unknown][second % 3]
            if record.note(kind, at: .zero + .seconds(second)) != nil { count += 1 }
        }
        #expect(count == 5)
    }

    @Test("the pauses grow from 2 to 30 seconds")
    func pauses() {
        var record = KeyTroubleRecord()
        for seconds in [2, 4, 8, 16, 30, 30, 30] {
            let now = record.pauseEnd
            _ = record.note(.different, at: now)
            #expect(record.pauseEnd == now + .seconds(seconds))
        }
    }

    private static let bond = Bond(
        identityAddress: PairingBench.centralAddress,
        localIdentityAddress: PairingBench.peripheralAddress,
        localLongTermKey: .init(value: 7), peerLongTermKey: .init(value: 7), keySize: 16,
        isAuthenticated: false, usesSecureConnections: true)
}

extension PairingBench {
    fileprivate func failures(of role: SecurityManager.Role) -> [SecurityFailure] {
        (events[role] ?? []).compactMap { output in
            if case .failed(let failure) = output { failure } else { nil }
        }
    }
}
