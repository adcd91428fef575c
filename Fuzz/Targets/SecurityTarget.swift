import Octets

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver
@testable import BluetoothLE

/// Two security managers and an attacker between them, who delivers, changes, repeats, reflects and invents
/// PDUs. OpenSSL generates the keys. The attacker does not know the passkey and cannot encrypt.
struct SecurityTarget {
    private var input: FuzzInput
    private let central: SecuritySide
    private let peripheral: SecuritySide
    private var now = MonotonicInstant.zero
    /// PDUs seen so far, which may be sent again to either side.
    private var heard: [[UInt8]] = []

    static func run(_ script: [UInt8]) throws {
        var target = Self(FuzzInput(script))
        while !target.input.isAtEnd { try target.event() }
    }

    private init(_ script: FuzzInput) {
        input = script
        central = SecuritySide(.initiator, Self.configuration(&input), seed: 1)
        peripheral = SecuritySide(.responder, Self.configuration(&input), seed: 2)
    }

    private static func configuration(_ input: inout FuzzInput) -> SecurityConfiguration {
        var configuration = SecurityConfiguration()
        configuration.ioCapability = IOCapability(rawValue: UInt8(input.choice(5)))
        let wanted = input.octet()
        configuration.authentication = AuthenticationRequirements(rawValue: wanted & 0x3D)
        configuration.requiredAuthentication = wanted & 0x40 != 0 ? .always : .none
        configuration.requiresSecureConnections = wanted & 0x80 != 0
        let keys = input.octet()
        configuration.initiatorKeys = KeyDistribution(rawValue: keys & 0x0F)
        configuration.responderKeys = KeyDistribution(rawValue: keys >> 4)
        configuration.minimumKeySize = input.element(of: [7, 7, 12, 16])
        configuration.maximumKeySize = input.element(of: [16, 16, 12, 7])
        configuration.passkeySource = input.element(of: [.random, .fixed(123_456), .chosenByOwner])
        configuration.pairing = input.element(of: [.allow, .allow, .ask, .never])
        let others = input.octet()
        if others & 1 != 0 { configuration.outOfBandKey = 5 }
        configuration.announcesOutOfBandData = others & 2 != 0
        configuration.acceptsDebugKeys = others & 4 != 0
        configuration.usesDebugKeys = others & 8 != 0
        configuration.localKeys.identityResolvingKey = UInt128(others >> 4)
        return configuration
    }

    private func other(_ side: SecuritySide) -> SecuritySide {
        side === central ? peripheral : central
    }

    // MARK: Events

    private mutating func event() throws {
        let side = input.flag() ? central : peripheral
        switch input.choice(20) {
        case 0...3: _ = try deliver(from: side)
        case 4: for _ in 0..<input.choice(64) where try !proceed() { break }
        case 5: try change(side)
        case 6: if !side.sent.isEmpty { side.sent.removeFirst() }
        case 7: if !heard.isEmpty { try send(input.element(of: heard), to: side) }
        case 8: try reflect(side)
        case 9: try send(input.octets(), to: side)
        case 10: try send(wellFormed(), to: side)
        case 11: try answer(side, rightly: true)
        case 12: try answer(side, rightly: false)
        case 13: try side.pair(replacingBond: input.flag(), at: now)
        case 14: try encrypt(status: input.element(of: [0x05, 0x06, 0x1A, 0x3D]))
        case 15:
            try side.keyRequested(random: UInt64(input.octet()), UInt16(input.octet()), at: now)
        case 16: try side.cancel(at: now)
        case 17: try side.encryptionEnded(at: now)
        default:
            now = now + input.duration()
            try central.handleTimeout(at: now)
            try peripheral.handleTimeout(at: now)
        }
    }

    private mutating func send(_ pdu: [UInt8], to side: SecuritySide) throws {
        heard = heard.suffix(30) + [pdu]
        try side.receive(pdu, at: now)
    }

    /// Delivers a PDU unchanged. Returns `false` if there is none.
    private mutating func deliver(from side: SecuritySide) throws -> Bool {
        guard !side.sent.isEmpty else { return false }
        try send(side.sent.removeFirst(), to: other(side))
        return true
    }

    private mutating func change(_ side: SecuritySide) throws {
        guard !side.sent.isEmpty else { return }
        var pdu = side.sent.removeFirst()
        let index = input.choice(pdu.count)
        pdu[index] ^= max(1, input.octet())
        try send(pdu, to: other(side))
    }

    /// Sends a PDU back to its sender.
    private mutating func reflect(_ side: SecuritySide) throws {
        guard !side.sent.isEmpty else { return }
        try send(side.sent.removeFirst(), to: side)
    }

    private mutating func wellFormed() -> [UInt8] {
        let code = input.element(of: SecurityManagerPDU.Code.allCases)
        switch code {
        case .pairingRequest, .pairingResponse:
            let octets = input.take(4)
            return [code.rawValue, UInt8(input.choice(6)), 0]
                + [octets.first ?? 9, 7 + (octets.last ?? 9) % 10, 0x07, 0x07]
        default:
            let octets = input.take(code.length - 1)
            return [code.rawValue] + octets
                + [UInt8](repeating: input.octet(), count: code.length - 1 - octets.count)
        }
    }

    // MARK: Honest steps

    /// Performs the next step without interference. Returns `false` if there is none.
    private mutating func proceed() throws -> Bool {
        if try deliver(from: central) { return true }
        if try deliver(from: peripheral) { return true }
        if central.question != nil {
            try answer(central, rightly: true)
            return true
        }
        if peripheral.question != nil {
            try answer(peripheral, rightly: true)
            return true
        }
        guard central.encryption != nil else { return false }
        try encrypt(status: nil)
        return true
    }

    private mutating func answer(_ side: SecuritySide, rightly: Bool) throws {
        let shown = other(side).shownPasskey ?? side.chosenPasskey
        try side.answer(rightly: rightly, passkey: shown, at: now)
    }

    /// The controllers encrypt if both sides have the same key and no failure is wanted.
    private mutating func encrypt(status: UInt8?) throws {
        guard let wanted = exchange(&central.encryption, with: nil) else { return }
        peripheral.repliedKey = nil
        try peripheral.keyRequested(random: wanted.random, wanted.ediversifier, at: now)
        let isSame = peripheral.repliedKey == wanted.longTermKey
        let outcome = status ?? (isSame ? 0 : peripheral.repliedKey == nil ? 0x06 : 0x3D)
        trace("encryption: \(outcome)")
        try central.encryptionChanged(status: outcome, at: now)
        if peripheral.repliedKey != nil {
            try peripheral.encryptionChanged(status: outcome, at: now)
        }
        guard outcome == 0 else { return }
        try check(
            central.manager.security.isAuthenticated
                == peripheral.manager.security.isAuthenticated
                && central.manager.security.keySize == peripheral.manager.security.keySize,
            "the two sides do not agree how one key protects the link")
    }
}
