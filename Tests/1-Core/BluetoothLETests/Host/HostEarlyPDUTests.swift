@testable import BluetoothLE
import Octets
import Testing

/// ATT PDUs and keys that are ahead of the event about the encryption of their link.
@Suite struct HostEarlyPDUTests {
    static let limit = HostEarlyPacketTests.limit

    /// A device that has bonded, on a new link, with a protected value; the controllers say nothing about
    /// encryption unless they are told to.
    private struct Scene {
        let role: LinkRole
        let bench: HostBench
        let value: AttributeHandle
        let handle = HostBench.handle

        init(as role: LinkRole) throws {
            self.role = role
            let link = try HostLink.bonded()
            bench = role == .central ? link.central : link.peripheral
            let service = try bench.host.addService(HostAttributeTests.protected, at: bench.now)
            value = try #require(service.characteristics.first).value
            try link.connect()
            bench.commandSent = { _ in }
            bench.dataSent = { _ in }
            bench.forget()
        }

        /// The controller is given the key.
        func beginEncryption() throws {
            if role == .central {
                try bench.host.pair(handle, at: bench.now)
                bench.run()
                #expect(bench.opcodes().contains(.leEnableEncryption))
            } else {
                bench.inject(
                    HCI.LELongTermKeyRequest(handle: handle, random: 0, encryptedDiversifier: 0))
                #expect(bench.opcodes().contains(.leLongTermKeyRequestReply))
            }
        }

        func endEncryption(_ status: HCIStatus = .success) {
            bench.inject(
                HCI.EncryptionChange(
                    status: status, handle: handle, isEnabled: status == .success))
        }

        /// The peer reads the protected value.
        func read() {
            bench.receive(
                [0x0A, UInt8(truncatingIfNeeded: value.rawValue), 0x00], on: .attributeProtocol)
        }

        func readOpen() {
            // The Device Name.
            bench.receive([0x0A, 0x03, 0x00], on: .attributeProtocol)
        }

        var answers: [[UInt8]] { bench.sent(on: .attributeProtocol) }

        /// What the peer is answered when it is served, and when it has to encrypt first.
        var served: [UInt8] { [0x0B, 100] }
        var refused: [UInt8] {
            [0x01, 0x0A, UInt8(truncatingIfNeeded: value.rawValue), 0x00, 0x0F]
        }
        let name: [UInt8] = [0x0B] + Array("Bench".utf8)
    }

    static let roles: [LinkRole] = [.central, .peripheral]

    @Test(
        "a request ahead of Encryption Change is served as on an encrypted link", arguments: roles)
    func ahead(role: LinkRole) throws {
        let scene = try Scene(as: role)
        try scene.beginEncryption()
        scene.read()
        scene.bench.advance(by: Self.limit - .nanoseconds(1))
        #expect(scene.answers.isEmpty)
        scene.endEncryption()
        #expect(scene.bench.story().contains("40 encrypted, bonded"))
        #expect(scene.answers == [scene.served])
    }

    @Test("0x06 after a held request: it is answered, as on a link without encryption")
    func keyMissing() throws {
        let scene = try Scene(as: .central)
        try scene.beginEncryption()
        scene.read()
        scene.readOpen()
        #expect(scene.answers.isEmpty)
        scene.endEncryption(.pinOrKeyMissing)
        #expect(scene.answers == [scene.refused, scene.name])
        let security = scene.bench.host.security(of: scene.handle)
        #expect(security?.isEncrypted == false)
        #expect(scene.bench.story().first == "40 failed: peerLostBond")
    }

    @Test(
        "after any failure held requests are answered in order, and later ones at once",
        arguments: roles)
    func failure(role: LinkRole) throws {
        for status in [HCIStatus.authenticationFailure, .pinOrKeyMissing, .unspecifiedError] {
            let scene = try Scene(as: role)
            try scene.beginEncryption()
            scene.readOpen()
            scene.read()
            scene.endEncryption(status)
            #expect(scene.answers == [scene.name, scene.refused])
            scene.read()
            #expect(scene.answers == [scene.refused])
        }
    }

    @Test(
        "a request whose event is later than the limit is answered in clear, in time",
        arguments: roles)
    func limit(role: LinkRole) throws {
        let scene = try Scene(as: role)
        try scene.beginEncryption()
        scene.read()
        scene.bench.advance(by: Self.limit - .nanoseconds(1))
        #expect(scene.answers.isEmpty)
        scene.bench.advance(by: .nanoseconds(1))
        #expect(scene.answers == [scene.refused])
        scene.endEncryption()
        #expect(scene.answers.isEmpty)
        // A request after the event needs no wait.
        scene.read()
        #expect(scene.answers == [scene.served])
    }

    @Test("each request has its own limit, and none overtakes another", arguments: roles)
    func order(role: LinkRole) throws {
        let scene = try Scene(as: role)
        try scene.beginEncryption()
        scene.read()
        scene.bench.advance(by: Self.limit / 2)
        scene.readOpen()
        scene.read()
        scene.bench.advance(by: Self.limit / 2)
        #expect(scene.answers == [scene.refused])
        scene.endEncryption()
        #expect(scene.answers == [scene.name, scene.served])
    }

    @Test(
        "a request in clear, before the controller has a key, is not held and not served",
        arguments: roles)
    func inClear(role: LinkRole) throws {
        let scene = try Scene(as: role)
        scene.read()
        #expect(scene.answers == [scene.refused])
        let deadline = scene.bench.host.nextDeadline
        #expect(deadline == nil)
    }

    @Test("a link that is lost while its encryption changes answers nothing more", arguments: roles)
    func lost(role: LinkRole) throws {
        let scene = try Scene(as: role)
        try scene.beginEncryption()
        scene.read()
        scene.bench.disconnect(reason: .micFailure)
        scene.endEncryption()
        scene.bench.advance(by: Self.limit * 2)
        #expect(scene.answers.isEmpty)
        let deadline = scene.bench.host.nextDeadline
        #expect(deadline == nil)
    }

    @Test("a flood while encryption changes is answered, all of it, in clear", arguments: roles)
    func flood(role: LinkRole) throws {
        let scene = try Scene(as: role)
        try scene.beginEncryption()
        for _ in 0..<1000 { scene.read() }
        #expect(scene.answers == [[UInt8]](repeating: scene.refused, count: 992))
        scene.endEncryption()
        #expect(scene.answers == [[UInt8]](repeating: scene.served, count: 8))
        // Long PDUs: 2 KB at most.
        let other = try Scene(as: role)
        try other.beginEncryption()
        for _ in 0..<6 {
            other.bench.receive(
                [0x52, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 509), on: .attributeProtocol)
        }
        other.read()
        other.bench.advance(by: Self.limit)
        #expect(other.answers == [other.refused])
    }

    @Test("an idle link holds no PDU, encrypted or not")
    func rest() throws {
        let scene = try Scene(as: .peripheral)
        try scene.beginEncryption()
        scene.endEncryption()
        let deadline = scene.bench.host.nextDeadline
        #expect(deadline == nil)
        scene.read()
        #expect(scene.answers == [scene.served])
    }

    @Test("the event of an encryption, twice, is one change", arguments: roles)
    func doubled(role: LinkRole) throws {
        let scene = try Scene(as: role)
        try scene.beginEncryption()
        scene.endEncryption()
        scene.bench.forget()
        scene.endEncryption()
        #expect(scene.bench.story().isEmpty)
        scene.read()
        #expect(scene.answers == [scene.served])
    }

    // MARK: Pairing

    @Test(
        "two hosts pair, bond and encrypt again, whichever of events and data is ahead",
        arguments: 0..<100 as Range<UInt64>)
    func anyOrder(seed: UInt64) throws {
        for isSecure in [false, true] {
            let security = SecurityConfiguration(.noInputNoOutput, isSecure: isSecure)
            let link = HostLink(central: security, peripheral: security)
            let service = try link.central.host.addService(
                HostAttributeTests.protected, at: link.central.now)
            let value = try #require(service.characteristics.first).value
            link.central.order = SeededGenerator(seed: seed)
            link.peripheral.order = SeededGenerator(seed: ~seed)
            try link.connect()
            try link.secure()
            try check(link, value, seed)
            #expect(link.central.bonds.count == 1, "seed \(seed)")
            #expect(
                link.central.bonds.first?.bond.peerLongTermKey
                    == link.peripheral.bonds.first?.bond.localLongTermKey, "seed \(seed)")
            link.lose()
            link.forget()
            try link.connect()
            try link.secure()
            try check(link, value, seed)
        }
    }

    private func check(_ link: HostLink, _ value: AttributeHandle, _ seed: UInt64) throws {
        for bench in [link.central, link.peripheral] {
            let story = bench.story()
            #expect(!story.contains { $0.contains("failed") }, "seed \(seed): \(story)")
            let security = bench.host.security(of: link.handle)
            #expect(security?.isEncrypted == true && security?.isBonded == true, "seed \(seed)")
        }
        let read = try link.peripheral.host.start(
            .readValue(value), on: link.handle, at: link.peripheral.now)
        link.run()
        #expect(
            link.peripheral.takeOutputs().contains(
                .attribute(link.handle, .completed(read, .success(.value([100]))))), "seed \(seed)")
    }
}
