import Octets

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver
@testable import BluetoothLE

/// One side of a pairing: a security manager, its user, and the rules that it must keep.
final class SecuritySide {
    struct Encryption {
        var longTermKey: UInt128
        var ediversifier: UInt16
        var random: UInt64
    }

    private(set) var manager: SecurityManager
    private let toolbox: AnySecurityToolbox
    private let name: String
    /// PDUs on their way to the other side.
    var sent: [[UInt8]] = []
    /// The last question to the user, unless answered.
    private(set) var question: SecurityManager.Question?
    private(set) var shownPasskey: UInt32?
    let chosenPasskey: UInt32 = 4711
    /// The encryption that the controller was asked to start.
    var encryption: Encryption?
    /// The key that was passed to the controller.
    var repliedKey: UInt128?
    private var isClosed = false
    /// The confirm and random values that this side has sent in this pairing.
    private var secrets: Set<[UInt8]> = []
    /// Whether this side received its own confirm value.
    private var isMirrored = false

    init(_ role: SecurityManager.Role, _ configuration: SecurityConfiguration, seed: UInt64) {
        let addresses = [
            DeviceAddress(0xC000_0000_0001, kind: .random),
            DeviceAddress(0xC000_0000_0002, kind: .random),
        ]
        let isInitiator = role == .initiator
        manager = SecurityManager(
            configuration: configuration, role: role, localAddress: addresses[isInitiator ? 0 : 1],
            peerAddress: addresses[isInitiator ? 1 : 0])
        toolbox = AnySecurityToolbox(OpenSSLToolbox(simulatedFrom: seed))
        name = isInitiator ? "central" : "peripheral"
    }

    // MARK: What happens

    func receive(_ pdu: [UInt8], at now: MonotonicInstant) throws {
        trace("to \(name): \(Hexadecimal.text(pdu))")
        if pdu.first == SecurityManagerPDU.Code.pairingConfirm.rawValue, secrets.contains(pdu) {
            isMirrored = true
        }
        manager.receive(pdu.span, toolbox: toolbox, at: now)
        try drain()
    }

    func pair(replacingBond: Bool, at now: MonotonicInstant) throws {
        try? manager.pair(replacingBond: replacingBond, at: now)
        try drain()
    }

    func cancel(at now: MonotonicInstant) throws {
        manager.cancelPairing(at: now)
        try drain()
    }

    func handleTimeout(at now: MonotonicInstant) throws {
        manager.handleTimeout(at: now)
        try drain()
    }

    func keyRequested(
        random: UInt64, _ ediversifier: UInt16, at now: MonotonicInstant
    ) throws {
        guard manager.role == .responder else { return }
        manager.longTermKeyRequested(random: random, ediversifier: ediversifier)
        try drain()
    }

    func encryptionChanged(status: UInt8, at now: MonotonicInstant) throws {
        manager.encryptionChanged(status: status, isEnabled: true, toolbox: toolbox, at: now)
        try drain()
    }

    func encryptionEnded(at now: MonotonicInstant) throws {
        manager.encryptionChanged(status: 0, isEnabled: false, toolbox: toolbox, at: now)
        try drain()
    }

    /// The user enters what the other side displays, or something wrong.
    func answer(rightly isRight: Bool, passkey: UInt32, at now: MonotonicInstant) throws {
        guard let asked = exchange(&question, with: nil) else { return }
        do {
            switch asked {
            case .enterPasskey, .choosePasskey:
                if case .choosePasskey = asked { shownPasskey = chosenPasskey }
                try manager.passkeyEntered(
                    isRight ? passkey : (passkey + 1) % 1_000_000, toolbox: toolbox, at: now)
            case .compare, .confirmPairing:
                try manager.userConfirmed(isRight, toolbox: toolbox, at: now)
            case .displayPasskey: break
            }
        } catch {
            throw BrokenRule(description: "\(name) does not take the answer that it asked for")
        }
        try drain()
    }

    // MARK: What it does

    private func drain() throws {
        var count = 0
        while let output = manager.pollOutput() {
            trace("\(name): \(output)")
            count += 1
            try check(count < 40, "one input brings outputs without end")
            try note(output)
        }
        try check(
            manager.isBusy == (manager.nextDeadline != nil),
            "\(name) waits without a deadline, or has one and does not wait")
    }

    private func note(_ output: SecurityManager.Output) throws {
        switch output {
        case .send(let octets):
            try check(!isClosed, "\(name) sends after a timeout")
            let pdu = try SecurityManagerPDU(decoding: octets.span)
            try check(pdu.octets == octets, "a PDU does not decode to what it was made of")
            sent.append(octets)
            if pdu.code == .pairingConfirm { secrets.insert(octets) }
        case .startEncryption(let key, let ediversifier, let random):
            try keyIsUsed(key)
            encryption = Encryption(longTermKey: key, ediversifier: ediversifier, random: random)
        case .replyLongTermKey(let key):
            try keyIsUsed(key)
            repliedKey = key
        case .rejectLongTermKey: repliedKey = nil
        case .ask(let asked): ask(asked)
        case .securityChanged(let security):
            let range = security.isEncrypted ? 7...16 : 0...0
            try check(range.contains(security.keySize), "a key of \(security.keySize) octets")
        case .paired(let bond):
            endOfPairing()
            if let bond { try examine(bond) }
        case .failed(let failure):
            endOfPairing()
            let closes =
                failure == .timedOut || failure == .notAnswered || failure == .tooManyRequests
            if closes || failure == .peerLostBond, !manager.isBusy { isClosed = closes }
        }
    }

    private func ask(_ asked: SecurityManager.Question) {
        if case .displayPasskey(let passkey) = asked {
            shownPasskey = passkey
        } else {
            question = asked
        }
    }

    /// A peer that reflects what it receives knows no secret. Core Vol 3, Part H, 2.3.5.5 and 2.3.5.6.
    private func keyIsUsed(_ key: UInt128) throws {
        let isOfBond = [manager.bond?.localLongTermKey, manager.bond?.peerLongTermKey]
            .contains { $0?.value == key }
        try check(
            !isMirrored || isOfBond, "\(name) pairs with a mirror: its own confirm value came back")
    }

    private func endOfPairing() {
        question = nil
        shownPasskey = nil
        encryption = nil
        secrets = []
        isMirrored = false
    }

    /// A bond must be as strong as demanded.
    private func examine(_ bond: Bond) throws {
        let configuration = manager.configuration
        let range = configuration.minimumKeySize...16
        guard range.contains(bond.keySize) else {
            throw BrokenRule(description: "\(name) bonds with a key of \(bond.keySize) octets")
        }
        if configuration.requiredAuthentication != .none, !bond.isAuthenticated {
            throw BrokenRule(description: "\(name) bonds without authentication")
        }
        if configuration.requiresSecureConnections, !bond.usesSecureConnections {
            throw BrokenRule(description: "\(name) bonds without Secure Connections")
        }
        if let key = bond.localLongTermKey, bond.keySize < 16,
            key.value >> UInt128(8 * bond.keySize) != 0
        {
            throw BrokenRule(description: "a key is longer than its size")
        }
    }
}
