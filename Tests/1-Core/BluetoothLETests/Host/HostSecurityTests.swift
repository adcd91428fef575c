@testable import BluetoothLE
import Octets
import Testing

/// Two hosts pair, bond, part and meet again.
@Suite struct HostSecurityTests {
    @Test("two hosts pair by Just Works and bond")
    func justWorks() throws {
        let link = HostLink()
        try link.connect()
        link.forget()
        try link.secure()
        for bench in [link.central, link.peripheral] {
            #expect(
                bench.story() == [
                    "40 encrypted", "40 encrypted, bonded", "bond changed", "40 paired",
                ])
            #expect(bench.bonds.count == 1)
        }
    }

    @Test("two hosts compare six digits, and the link is authenticated")
    func numericComparison() throws {
        let link = HostLink(
            central: SecurityConfiguration(.displayYesNo),
            peripheral: SecurityConfiguration(.displayYesNo))
        try link.connect()
        link.forget()
        try link.secure()
        let asked = try link.comparisons()
        #expect(asked.central == asked.peripheral)
        for bench in [link.central, link.peripheral] {
            try bench.host.confirmPairing(link.handle, true, at: bench.now)
        }
        link.run()
        for bench in [link.central, link.peripheral] {
            #expect(bench.story().last == "40 paired")
            let security = bench.host.security(of: link.handle)
            #expect(security?.isAuthenticated == true)
        }
    }

    @Test("digits that differ end pairing on both sides, and no bond is made")
    func comparisonRefused() throws {
        let link = HostLink(
            central: SecurityConfiguration(.displayYesNo),
            peripheral: SecurityConfiguration(.displayYesNo))
        try link.connect()
        try link.secure()
        link.forget()
        try link.peripheral.host.confirmPairing(link.handle, false, at: link.peripheral.now)
        link.run()
        #expect(
            link.peripheral.takeOutputs() == [
                .security(link.handle, .failed(.refused(.numericComparisonFailed)))
            ])
        #expect(
            link.central.takeOutputs() == [
                .security(link.handle, .failed(.refusedByPeer(.numericComparisonFailed)))
            ])
        #expect(link.central.bonds.isEmpty && link.peripheral.bonds.isEmpty)
    }

    @Test("a bonded pair encrypts again after a restart, without pairing")
    func restart() throws {
        let link = try HostLink.bonded()
        link.forget()
        try link.connect()
        #expect(
            link.peripheral.story() == ["on air", "40 connected to bonded", "off air: connected"])
        // The Peripheral asks, the Central encrypts.
        try link.peripheral.host.pair(link.handle, at: link.peripheral.now)
        link.run()
        // Once, each learns that the other knows its table as it is now.
        #expect(link.peripheral.story() == ["bond changed", "40 encrypted, bonded"])
        #expect(
            link.central.story() == [
                "40 connected to bonded", "bond changed", "40 encrypted, bonded",
            ])
        link.lose()
        try link.connect()
        link.forget()
        try link.secure()
        for bench in [link.central, link.peripheral] {
            #expect(bench.story() == ["40 encrypted, bonded"])
        }
    }

    @Test("a Central that has lost its bond pairs again, and the old bond is replaced")
    func centralLostBond() throws {
        let link = try HostLink.bonded(keepsCentral: false)
        let old = try #require(link.peripheral.bonds.first)
        try link.connect()
        try link.secure()
        #expect(link.peripheral.bonds.count == 1)
        let new = try #require(link.peripheral.bonds.first)
        #expect(new.bond.identityAddress == old.bond.identityAddress)
        #expect(new.bond.localLongTermKey != old.bond.localLongTermKey)
        #expect(link.central.bonds.first?.bond.peerLongTermKey == new.bond.localLongTermKey)
    }

    @Test("the loss of a Peripheral's bond is reported on both sides")
    func peripheralLostBond() throws {
        let link = try HostLink.bonded(keepsPeripheral: false)
        try link.connect()
        link.forget()
        try link.secure()
        #expect(link.peripheral.takeOutputs() == [.security(link.handle, .failed(.bondMissing))])
        #expect(link.central.takeOutputs() == [.security(link.handle, .failed(.peerLostBond))])
        // They can pair again on the same link.
        try link.secure(replacingBond: true)
        #expect(link.peripheral.story().last == "40 paired")
    }

    @Test("a Peripheral with another key ends the link, and the Central learns why")
    func otherKey() throws {
        let first = try HostLink.bonded()
        var bonds = first.peripheral.bonds
        bonds[0].bond.localLongTermKey = Bond.LongTermKey(value: 1)
        let link = HostLink(centralBonds: first.central.bonds, peripheralBonds: bonds)
        try link.connect()
        link.forget()
        try link.secure()
        #expect(
            link.central.takeOutputs() == [
                .security(link.handle, .failed(.keysDiffer)),
                .link(link.handle, .disconnected(.micFailure)),
            ])
        // A link that is merely lost says nothing about keys.
        try link.connect()
        link.peripheral.commandSent = { _ in }
        link.forget()
        try link.secure()
        link.lose()
        #expect(
            link.central.takeOutputs() == [
                .link(link.handle, .disconnected(.connectionTimeout))
            ])
    }

    @Test(
        "a peer that reports a missing key has lost the bond; for another failure the cause is unknown",
        arguments: [HCIStatus.authenticationFailure, .pinOrKeyMissing])
    func keyMissing(status: HCIStatus) throws {
        let link = try HostLink.bonded()
        try link.connect()
        link.central.commandSent = { _ in }
        link.forget()
        try link.secure()
        link.central.inject(
            HCI.EncryptionChange(status: status, handle: link.handle, isEnabled: false))
        let failure: SecurityManager.Failure =
            status == .pinOrKeyMissing ? .peerLostBond : .keysDiffer
        #expect(link.central.takeOutputs() == [.security(link.handle, .failed(failure))])
    }

    @Test("a Peripheral that asks for security is paired with when the user agrees")
    func securityRequest() throws {
        var asking = SecurityConfiguration()
        asking.pairing = .ask
        let link = HostLink(central: asking)
        try link.connect()
        link.forget()
        try link.peripheral.host.pair(link.handle, at: link.peripheral.now)
        link.run()
        #expect(link.central.takeOutputs() == [.security(link.handle, .ask(.confirmPairing))])
        try link.central.host.confirmPairing(link.handle, false, at: link.central.now)
        link.run()
        #expect(
            link.peripheral.takeOutputs() == [
                .security(link.handle, .failed(.refusedByPeer(.pairingNotSupported)))
            ])
        try link.peripheral.host.pair(link.handle, at: link.peripheral.now)
        link.run()
        link.forget()
        try link.central.host.confirmPairing(link.handle, true, at: link.central.now)
        link.run()
        #expect(link.central.story().last == "40 paired")
    }

    @Test("encryption that the controller refuses fails at once")
    func encryptionRefused() throws {
        let link = try HostLink.bonded()
        try link.connect()
        link.forget()
        link.central.controller.answers[.leEnableEncryption] = .status(.unsupportedRemoteFeature)
        link.central.commandSent = { _ in }
        try link.secure()
        #expect(
            link.central.takeOutputs() == [
                .security(link.handle, .failed(.encryptionFailed(HCIStatus(rawValue: 0x1A))))
            ])
    }

    @Test("a link that ends in the middle of pairing leaves nothing behind")
    func lostWhilePairing() throws {
        let link = HostLink(
            central: SecurityConfiguration(.displayYesNo),
            peripheral: SecurityConfiguration(.displayYesNo))
        try link.connect()
        try link.secure()
        link.forget()
        link.lose()
        for bench in [link.central, link.peripheral] {
            #expect(bench.story() == ["40 disconnected: 08"])
            let deadline = bench.host.nextDeadline
            #expect(deadline == nil)
            #expect(throws: HostUsageError.unknownConnection) {
                try bench.host.confirmPairing(link.handle, true, at: bench.now)
            }
        }
        // Meeting again, they pair from the beginning.
        try link.connect()
        try link.secure()
        _ = try link.comparisons()
    }

    @Test("pairing without progress for 30 s ends, and has no deadline afterwards")
    func pairingTimeout() throws {
        let link = HostLink(
            central: SecurityConfiguration(.displayYesNo),
            peripheral: SecurityConfiguration(.displayYesNo))
        try link.connect()
        try link.secure()
        link.forget()
        link.peripheral.advance(by: .seconds(30) - .nanoseconds(1))
        #expect(link.peripheral.story().isEmpty)
        link.peripheral.advance(by: .nanoseconds(1))
        #expect(
            link.peripheral.takeOutputs() == [.security(link.handle, .failed(.notAnswered))])
        #expect(throws: HostUsageError.security(.closed)) {
            try link.peripheral.host.pair(link.handle, at: link.peripheral.now)
        }
    }

    @Test("wrong guesses have to wait, on the next link as well")
    func throttled() throws {
        let link = HostLink(
            central: SecurityConfiguration(.displayYesNo),
            peripheral: SecurityConfiguration(.displayYesNo))
        try link.connect()
        try link.secure()
        try link.peripheral.host.confirmPairing(link.handle, false, at: link.peripheral.now)
        link.run()
        link.lose()
        try link.connect()
        do throws(HostUsageError) {
            try link.peripheral.host.pair(link.handle, at: link.peripheral.now)
            Issue.record("it may try again at once")
        } catch {
            guard case .security(.tooSoon(let instant)) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(instant > link.peripheral.now)
        }
    }

}
