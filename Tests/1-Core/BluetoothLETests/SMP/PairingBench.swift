import BluetoothLE
import Octets
import OpenSSLSecurity

/// Two security managers, the controllers between them and an obliging user: what one puts out is
/// delivered to the other in order, one event per ``step()``.
final class PairingBench {
    enum Event: Equatable {
        case pdu([UInt8])
        case longTermKeyRequest(random: UInt64, ediversifier: UInt16)
        case encryption(status: UInt8)
        case passkey(UInt32)
        case confirmation(Bool)
    }

    struct Delivery: Equatable {
        var receiver: SecurityManager.Role
        var event: Event
    }

    static let centralAddress = DeviceAddress(0x0A45_0011_2233, kind: .public)
    static let peripheralAddress = DeviceAddress(0xF0F1_F2F3_F4F5, kind: .random)

    var initiator: SecurityManager
    var responder: SecurityManager
    let toolbox = AnySecurityToolbox(BenchToolbox())
    var now = MonotonicInstant.zero
    /// What is on its way.
    var pending: [Delivery] = []
    /// Every output of either side, without the PDUs.
    var events: [SecurityManager.Role: [SecurityManager.Output]] = [.initiator: [], .responder: []]
    /// The codes that went over the air, in order.
    var codes: [(SecurityManager.Role, UInt8)] = []
    /// Changes a PDU of a sender on its way.
    var tamper: (SecurityManager.Role, [UInt8]) -> [UInt8] = { $1 }
    /// What the user answers to a comparison.
    var userAgrees = true
    /// What the user enters on the wrong device, where not what is shown.
    var mistypedPasskey: UInt32?
    private var shown: UInt32?
    private var keyOnItsWay: UInt128?

    init(
        _ initiator: SecurityConfiguration = SecurityConfiguration(),
        _ responder: SecurityConfiguration = SecurityConfiguration(),
        initiatorBond: Bond? = nil, responderBond: Bond? = nil
    ) {
        self.initiator = SecurityManager(
            configuration: initiator, role: .initiator, localAddress: Self.centralAddress,
            peerAddress: Self.peripheralAddress, bond: initiatorBond)
        self.responder = SecurityManager(
            configuration: responder, role: .responder, localAddress: Self.peripheralAddress,
            peerAddress: Self.centralAddress, bond: responderBond)
    }

    /// The Central pairs, or encrypts, and everything runs to its end.
    func pair(replacingBond: Bool = false) throws {
        try initiator.pair(replacingBond: replacingBond, at: now)
        collect()
        run()
    }

    func run() { while step() {} }

    /// Delivers the next event; false where nothing is on its way.
    @discardableResult func step() -> Bool {
        collect()
        guard !pending.isEmpty else { return false }
        let delivery = pending.removeFirst()
        deliver(delivery.event, to: delivery.receiver)
        collect()
        return true
    }

    func deliver(_ event: Event, to role: SecurityManager.Role) {
        switch role {
        case .initiator: deliver(event, to: &initiator)
        case .responder: deliver(event, to: &responder)
        }
    }

    private func deliver(_ event: Event, to manager: inout SecurityManager) {
        switch event {
        case .pdu(let pdu): manager.receive(pdu.span, toolbox: toolbox, at: now)
        case .longTermKeyRequest(let random, let ediversifier):
            manager.longTermKeyRequested(random: random, ediversifier: ediversifier)
        case .encryption(let status):
            manager.encryptionChanged(
                status: status, isEnabled: status == 0, toolbox: toolbox, at: now)
        case .passkey(let passkey): try? manager.passkeyEntered(passkey, toolbox: toolbox, at: now)
        case .confirmation(let answer):
            try? manager.userConfirmed(answer, toolbox: toolbox, at: now)
        }
    }

    /// Drains both machines.
    func collect() {
        while let output = initiator.pollOutput() { perform(output, of: .initiator) }
        while let output = responder.pollOutput() { perform(output, of: .responder) }
    }

    private func perform(_ output: SecurityManager.Output, of role: SecurityManager.Role) {
        let other: SecurityManager.Role = role == .initiator ? .responder : .initiator
        switch output {
        case .send(let pdu):
            codes.append((role, pdu[0]))
            pending.append(Delivery(receiver: other, event: .pdu(tamper(role, pdu))))
            return
        case .startEncryption(let key, let ediversifier, let random):
            keyOnItsWay = key
            pending.append(
                Delivery(
                    receiver: .responder,
                    event: .longTermKeyRequest(random: random, ediversifier: ediversifier)))
        case .replyLongTermKey(let key):
            // Different keys show as a failed integrity check, which ends the connection.
            let status: UInt8 = key == keyOnItsWay ? 0 : 0x3D
            pending.append(Delivery(receiver: .responder, event: .encryption(status: status)))
            pending.append(Delivery(receiver: .initiator, event: .encryption(status: status)))
        case .rejectLongTermKey:
            pending.append(Delivery(receiver: .initiator, event: .encryption(status: 0x06)))
        case .ask(let question): answer(question, of: role)
        case .securityChanged, .paired, .failed: break
        }
        events[role]?.append(output)
    }

    private func answer(_ question: SecurityManager.Question, of role: SecurityManager.Role) {
        let other: SecurityManager.Role = role == .initiator ? .responder : .initiator
        switch question {
        case .displayPasskey(let passkey):
            shown = passkey
            guard asksForPasskey.contains(other) else { return }
            pending.append(
                Delivery(receiver: other, event: .passkey(mistypedPasskey ?? passkey)))
        case .enterPasskey:
            asksForPasskey.insert(role)
            guard let passkey = shown else {
                // Two keyboards: the user thinks of a passkey.
                if asksForPasskey.count == 2 {
                    pending.append(Delivery(receiver: .initiator, event: .passkey(123_456)))
                    pending.append(
                        Delivery(
                            receiver: .responder, event: .passkey(mistypedPasskey ?? 123_456)))
                }
                return
            }
            pending.append(Delivery(receiver: role, event: .passkey(mistypedPasskey ?? passkey)))
        case .choosePasskey:
            shown = 7
            pending.append(Delivery(receiver: role, event: .passkey(7)))
            if asksForPasskey.contains(other) {
                pending.append(Delivery(receiver: other, event: .passkey(7)))
            }
        case .compare, .confirmPairing:
            pending.append(Delivery(receiver: role, event: .confirmation(userAgrees)))
        }
    }
    private var asksForPasskey: Set<SecurityManager.Role> = []

    func bond(of role: SecurityManager.Role) -> Bond? {
        for case .paired(let bond) in events[role] ?? [] { return bond }
        return nil
    }

    func failure(of role: SecurityManager.Role) -> SecurityManager.Failure? {
        for case .failed(let failure) in events[role] ?? [] { return failure }
        return nil
    }
}

extension SecurityConfiguration {
    /// Some capabilities, protection wherever they allow it, and every key.
    init(_ io: IOCapability, isSecure: Bool = true) {
        self.init()
        ioCapability = io
        authentication =
            isSecure
            ? [.bonding, .mitmProtection, .secureConnections] : [.bonding, .mitmProtection]
        initiatorKeys = [.encryptionKey, .identityKey, .signingKey]
        responderKeys = [.encryptionKey, .identityKey, .signingKey]
        localKeys.identityResolvingKey = 0x0102_0304_0506_0708_090A_0B0C_0D0E_0F10
    }
}

/// OpenSSL, but with two key pairs in turn, whose secret is known: benches are made by the thousand.
struct BenchToolbox: SecurityToolbox {
    private static let pairs: [P256KeyPair] = {
        var base = OpenSSLToolbox()
        return [base.makeKeyPair(), base.makeKeyPair()]
    }()
    private static let secret = OpenSSLToolbox().sharedSecret(
        privateKey: pairs[0].privateKey, publicKey: pairs[1].publicKey)

    private var base = OpenSSLToolbox()
    private var turn = 0
    /// What it counts, where that is of interest.
    var operations: OperationCounter?

    func aes128(key: UInt128, block: UInt128) -> UInt128 {
        operations?.aes += 1
        return base.aes128(key: key, block: block)
    }
    func aesCMAC(key: UInt128, message: [UInt8]) -> UInt128 {
        base.aesCMAC(key: key, message: message)
    }
    mutating func makeKeyPair() -> P256KeyPair {
        turn += 1
        return Self.pairs[turn % 2]
    }
    func sharedSecret(privateKey: P256Scalar, publicKey: P256PublicKey) -> P256Scalar? {
        let owner = Self.pairs.firstIndex { $0.privateKey == privateKey }
        if let owner, Self.pairs[1 - owner].publicKey == publicKey { return Self.secret }
        return base.sharedSecret(privateKey: privateKey, publicKey: publicKey)
    }
    mutating func random128() -> UInt128 { base.random128() }
}

/// How often a toolbox was used.
final class OperationCounter {
    var aes = 0
}
