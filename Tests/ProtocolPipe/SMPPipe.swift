internal import ANCSKit
internal import BluetoothLE
internal import JSONText
internal import Octets

/// `protocol-pipe smp`: the Security Managers of consecutive connections.
struct SMPPipe: PipeSession {
    private var connection: SMPConnection?

    mutating func receive(_ frame: PipeFrame, frames: PipeFrames) throws(PipeError) {
        switch frame {
        case .pdu(let pdu):
            guard connection != nil else {
                throw PipeError(message: "a PDU comes before the first \"smp\"")
            }
            connection?.receive(pdu)
        case .control(let control):
            if let settings = control["smp"] {
                connection = try SMPConnection(settings)
            } else if connection != nil {
                try connection?.receive(control)
            } else {
                throw PipeError(message: "a control frame comes before the first \"smp\"")
            }
        }
        connection?.drain(into: frames)
    }
}

/// A state machine, its substitutes for random generators, and answers of the user that were given in
/// advance.
struct SMPConnection {
    private var machine: Slot
    private let toolbox: AnySecurityToolbox
    private var now = MonotonicInstant.zero
    private var isPasskeyAwaited = false
    private var isConfirmationAwaited = false
    private var passkey: UInt32?
    private var confirmation: Bool?

    /// Holds the state machine, which cannot be copied, in a copyable session.
    private final class Slot {
        var manager: SecurityManager

        init(_ manager: consuming SecurityManager) { self.manager = manager }
    }

    init(_ settings: JSONValue) throws(PipeError) {
        let reader = SMPSettings(json: settings)
        toolbox = AnySecurityToolbox(try reader.toolbox())
        machine = Slot(
            SecurityManager(
                configuration: try reader.configuration(), role: try reader.role(),
                localAddress: try reader.address("own"), peerAddress: try reader.address("peer"),
                bond: try reader.bond()))
        if try reader.role() == .initiator, settings["start"]?.boolean != false { pair() }
    }

    mutating func receive(_ pdu: [UInt8]) {
        machine.manager.receive(pdu.span, toolbox: toolbox, at: now)
    }

    mutating func receive(_ control: JSONValue) throws(PipeError) {
        if let event = control["hci_evt"]?.string {
            try controllerEvent(event, control)
        } else if let number = control["passkey"]?.integer {
            passkey = UInt32(clamping: number)
        } else if let answer = control["confirm"]?.boolean {
            confirmation = answer
        } else if let milliseconds = control["tick_ms"]?.integer {
            now = now + .milliseconds(milliseconds)
            machine.manager.handleTimeout(at: now)
        } else if control["pair"] != nil {
            pair(replacingBond: control["pair"]?.string == "again")
        } else if control["cancel"] != nil {
            machine.manager.cancelPairing(at: now)
        } else {
            throw PipeError(message: "a control frame is not understood: \(control.text)")
        }
    }

    private mutating func controllerEvent(
        _ event: String, _ control: JSONValue
    ) throws(PipeError) {
        switch event {
        case "encryption_change":
            machine.manager.encryptionChanged(
                status: UInt8(clamping: control["status"]?.integer ?? 0),
                isEnabled: control["enabled"]?.boolean ?? true, toolbox: toolbox, at: now)
        case "ltk_request":
            let reader = SMPSettings(json: control)
            machine.manager.longTermKeyRequested(
                random: UInt64(try reader.number("rand", octets: 8) ?? 0),
                ediversifier: UInt16(clamping: control["ediv"]?.integer ?? 0))
        default: throw PipeError(message: "there is no event \"\(event)\"")
        }
    }

    /// If pairing is not possible, nothing is sent, which is what a test observes.
    private mutating func pair(replacingBond: Bool = false) {
        try? machine.manager.pair(replacingBond: replacingBond, at: now)
    }

    /// Writes the outputs of the state machine; a prepared answer is given at once.
    mutating func drain(into frames: PipeFrames) {
        repeat {
            while let output = machine.manager.pollOutput() { write(output, to: frames) }
        } while answer()
    }

    /// Gives an awaited answer. Returns `false` if there is none.
    private mutating func answer() -> Bool {
        if isPasskeyAwaited, let passkey = exchange(&passkey, with: nil) {
            isPasskeyAwaited = false
            try? machine.manager.passkeyEntered(passkey, toolbox: toolbox, at: now)
            return true
        }
        if isConfirmationAwaited, let isConfirmed = exchange(&confirmation, with: nil) {
            isConfirmationAwaited = false
            try? machine.manager.userConfirmed(isConfirmed, toolbox: toolbox, at: now)
            return true
        }
        return false
    }

    private mutating func write(_ output: SecurityManager.Output, to frames: PipeFrames) {
        switch output {
        case .send(let pdu): frames.write(pdu: pdu)
        case .startEncryption(let key, let ediversifier, let random):
            frames.write(control: [
                "hci_cmd": "start_encryption", "ltk": .string(hexadecimal(key)),
                "ediv": .integer(Int(ediversifier)), "rand": .string(hexadecimal(random)),
            ])
        case .replyLongTermKey(let key):
            frames.write(control: ["hci_cmd": "ltk_reply", "ltk": .string(hexadecimal(key))])
        case .rejectLongTermKey: frames.write(control: ["hci_cmd": "ltk_negative_reply"])
        case .ask(let question): ask(question, frames: frames)
        case .securityChanged(let security):
            frames.write(control: [
                "event": "security", "encrypted": .boolean(security.isEncrypted),
                "authenticated": .boolean(security.isAuthenticated),
                "secure_connections": .boolean(security.usesSecureConnections),
                "key_size": .integer(security.keySize), "bonded": .boolean(security.isBonded),
            ])
        case .paired(let bond):
            isPasskeyAwaited = false
            isConfirmationAwaited = false
            let keys = bond?.json(role: machine.manager.role) ?? .object([])
            frames.write(control: ["event": "paired", "reason": 0, "keys": keys])
        case .failed(let failure):
            isPasskeyAwaited = false
            isConfirmationAwaited = false
            frames.write(control: [
                "event": "failed", "reason": .integer(failure.reason),
                "text": .string(failure.message),
            ])
        }
    }

    private mutating func ask(_ question: SecurityManager.Question, frames: PipeFrames) {
        switch question {
        case .enterPasskey:
            isPasskeyAwaited = true
            frames.write(control: ["ask": "passkey"])
        case .choosePasskey:
            isPasskeyAwaited = true
            frames.write(control: ["ask": "passkey", "display": true])
        case .displayPasskey(let passkey):
            frames.write(control: [
                "ask": "passkey", "display": true, "value": .integer(Int(passkey)),
            ])
        case .compare(let number):
            isConfirmationAwaited = true
            frames.write(control: ["ask": "confirm", "value": .integer(Int(number))])
        case .confirmPairing:
            isConfirmationAwaited = true
            frames.write(control: ["ask": "confirm"])
        }
    }
}

/// OpenSSL, with fixed values in place of random ones where the test case gives some.
struct PipeToolbox: SecurityToolbox {
    var base = OpenSSLToolbox()
    var keyPair: P256KeyPair?
    var randoms = Queue<UInt128>()

    func aes128(key: UInt128, block: UInt128) -> UInt128 { base.aes128(key: key, block: block) }

    func aesCMAC(key: UInt128, message: [UInt8]) -> UInt128 {
        base.aesCMAC(key: key, message: message)
    }

    mutating func makeKeyPair() -> P256KeyPair { keyPair ?? base.makeKeyPair() }

    func sharedSecret(privateKey: P256Scalar, publicKey: P256PublicKey) -> P256Scalar? {
        base.sharedSecret(privateKey: privateKey, publicKey: publicKey)
    }

    mutating func random128() -> UInt128 { randoms.popFirst() ?? base.random128() }
}

extension SecurityManager.Failure {
    /// The reason in Pairing Failed, or 0 if none was sent.
    fileprivate var reason: Int {
        switch self {
        case .refused(let reason), .refusedByPeer(let reason): Int(reason.rawValue)
        case .weakerThanBond, .notAuthenticated:
            Int(PairingFailureReason.authenticationRequirements.rawValue)
        case .notPairable, .rePairingRefused: Int(PairingFailureReason.pairingNotSupported.rawValue)
        case .cancelled, .timedOut, .notAnswered, .encryptionTimedOut, .encryptionFailed,
            .peerLostBond, .keysDiffer, .bondMissing, .otherBondRequested, .bondTooWeak,
            .identityNotItsOwn, .tooManyRequests:
            0
        }
    }
}

func hexadecimal<Value: FixedWidthInteger & UnsignedInteger>(_ value: Value) -> String {
    Hexadecimal.text(
        (0..<Value.bitWidth / 8).reversed().map {
            UInt8(truncatingIfNeeded: value >> Value(truncatingIfNeeded: 8 * $0))
        })
}
