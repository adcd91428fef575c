import BluetoothLE
import Octets
import OpenSSLSecurity
import Testing

/// What a peer must not get away with: every command in every state, every length, every bit.
@Suite struct HostilePairingTests {
    typealias Role = SecurityManager.Role

    /// Pairings that together pass through every state.
    static let scenarios: [(IOCapability, IOCapability, isSecure: Bool)] = [
        (.noInputNoOutput, .noInputNoOutput, true), (.displayYesNo, .displayYesNo, true),
        (.displayOnly, .keyboardOnly, true), (.keyboardOnly, .keyboardOnly, true),
        (.noInputNoOutput, .noInputNoOutput, false), (.keyboardOnly, .displayOnly, false),
    ]

    static func bench(_ scenario: Int) -> PairingBench {
        let (initiator, responder, isSecure) = scenarios[scenario]
        return PairingBench(
            SecurityConfiguration(initiator, isSecure: isSecure),
            SecurityConfiguration(responder, isSecure: isSecure))
    }

    /// One well-formed PDU of each kind.
    static let commands: [SecurityManagerPDU] = {
        let features = PairingFeatures(
            ioCapability: .noInputNoOutput, authentication: [.bonding],
            initiatorKeys: .identityKey, responderKeys: .identityKey)
        return [
            .pairingRequest(features), .pairingResponse(features), .pairingConfirm(1),
            .pairingRandom(2), .pairingFailed(.unspecified), .encryptionInformation(3),
            .centralIdentification(ediversifier: 4, random: 5), .identityInformation(6),
            .identityAddressInformation(DeviceAddress(7, kind: .public)), .signingInformation(8),
            .securityRequest(.bonding), .pairingPublicKey(P256KeyPair.debug.publicKey),
            .pairingDHKeyCheck(9), .keypressNotification(0),
        ]
    }()

    /// Brings a new pairing to the point where `count` events have been delivered; `nil` where it has
    /// fewer.
    static func bench(_ scenario: Int, after count: Int) throws -> PairingBench? {
        let bench = bench(scenario)
        try bench.initiator.pair(at: bench.now)
        for _ in 0..<count where !bench.step() { return nil }
        bench.collect()
        return bench
    }

    @Test(
        "any command at any time, to either side, is answered according to the specification",
        arguments: scenarios.indices)
    func everyCommandInEveryState(_ scenario: Int) throws {
        var count = 0
        while try Self.bench(scenario, after: count) != nil {
            // Twenty rounds of a passkey are all alike.
            if !(12...88).contains(count) || count.isMultiple(of: 30) {
                for (index, command) in Self.commands.enumerated() {
                    // Either side in turn, so that two neighbouring moments see both.
                    let receiver: Role =
                        (index + count).isMultiple(of: 2) ? .initiator : .responder
                    try inject(command.octets, to: receiver, scenario, after: count)
                }
            }
            count += 1
        }
        #expect(count > 13)
    }

    private func inject(
        _ pdu: [UInt8], to receiver: Role, _ scenario: Int, after count: Int
    ) throws {
        let bench = try #require(try Self.bench(scenario, after: count))
        bench.pending = []
        bench.codes = []
        let eventsBefore = bench.events[receiver]?.count ?? 0
        let wasPaired = bench.bond(of: receiver) != nil
        bench.deliver(.pdu(pdu), to: receiver)
        bench.collect()
        let answers = bench.pending.filter { $0.receiver != receiver }.compactMap { delivery in
            if case .pdu(let pdu) = delivery.event { pdu } else { nil }
        }
        let context = "\(pdu[0]) to \(receiver) after \(count)"
        if let failed = answers.first(where: { $0[0] == 0x05 }) {
            #expect(answers.count == 1, "\(context)")
            #expect(
                [0x03, 0x04, 0x05, 0x07, 0x08, 0x09, 0x0A, 0x0B].contains(failed[1]), "\(context)")
            if receiver == .initiator, pdu[0] == 0x01 { #expect(failed[1] == 0x07, "\(context)") }
            if receiver == .responder, pdu[0] == 0x02 || pdu[0] == 0x0B {
                #expect(failed[1] == 0x07, "\(context)")
            }
        }
        if pdu[0] == 0x05 { #expect(answers.isEmpty, "\(context)") }
        // No forged command alone makes a bond or has the link encrypted.
        let news = (bench.events[receiver] ?? []).dropFirst(eventsBefore)
        for event in news where !wasPaired {
            switch event {
            case .paired(let bond):
                // Identity keys are not secret: the last of them may be forged inside an encrypted link.
                #expect([0x08, 0x09, 0x0A].contains(pdu[0]), "\(context) \(bond as Any)")
            case .startEncryption, .replyLongTermKey: Issue.record("\(context) encrypts")
            case .securityChanged, .send, .rejectLongTermKey, .ask, .failed: break
            }
        }
        // And a device is not stuck: nothing is under way, or a deadline is running.
        let (isBusy, deadline) =
            switch receiver {
            case .initiator: (bench.initiator.isBusy, bench.initiator.nextDeadline)
            case .responder: (bench.responder.isBusy, bench.responder.nextDeadline)
            }
        #expect(isBusy == (deadline != nil), "\(context)")
    }

    @Test("a command of any other length is Invalid Parameters", arguments: commands)
    func lengths(_ command: SecurityManagerPDU) throws {
        let pdu = command.octets
        let receiver: Role =
            switch command.code {
            case .pairingResponse, .securityRequest: .initiator
            default: .responder
            }
        for count in 1...80 where count != pdu.count {
            let bench = PairingBench()
            let octets = Array((pdu + [UInt8](repeating: 0, count: 80)).prefix(count))
            bench.deliver(.pdu(octets), to: receiver)
            bench.collect()
            let answers = bench.pending.map(\.event)
            let isFailed = command.code == .pairingFailed
            #expect(answers == (isFailed ? [] : [.pdu([0x05, 0x0A])]), "\(count) octets")
        }
    }

    @Test("reserved codes and empty PDUs are ignored")
    func reservedCodes() {
        for code in [0x00] + Array(0x0F...0xFF as ClosedRange<UInt8>) {
            let bench = PairingBench()
            bench.deliver(.pdu([code, 1, 2, 3]), to: .responder)
            bench.deliver(.pdu([]), to: .initiator)
            bench.collect()
            #expect(bench.pending.isEmpty)
        }
    }

    @Test(
        "one flipped bit in a confirm value, a random number or a check ends pairing",
        arguments: scenarios.indices)
    func flippedBits(_ scenario: Int) throws {
        for code: UInt8 in [0x03, 0x04, 0x0D] {
            for sender in [Role.initiator, .responder] {
                for bit in [0, 63, 127] {
                    let bench = Self.bench(scenario)
                    var isFlipped = false
                    bench.tamper = { role, pdu in
                        guard role == sender, pdu[0] == code, !isFlipped else { return pdu }
                        isFlipped = true
                        var pdu = pdu
                        pdu[1 + bit / 8] ^= 1 << UInt8(bit % 8)
                        return pdu
                    }
                    // The numbers then differ, and a user sees it.
                    bench.userAgrees = !(code == 0x04 && sender == .initiator)
                    try bench.pair()
                    guard isFlipped else { continue }
                    let reason = bench.failure(of: sender == .initiator ? .responder : .initiator)
                    #expect(bench.bond(of: .initiator) == nil, "\(code) of \(sender)")
                    #expect(bench.bond(of: .responder) == nil, "\(code) of \(sender)")
                    #expect(reason != nil)
                    if code == 0x0D { #expect(reason == .refused(.dhKeyCheckFailed)) }
                }
            }
        }
    }

    @Test("a public key off the curve is refused by either side", arguments: [true, false])
    func invalidPublicKey(ofInitiator: Bool) throws {
        for position in [1, 32, 33, 64] {
            let bench = Self.bench(0)
            bench.tamper = { role, pdu in
                guard (role == .initiator) == ofInitiator, pdu[0] == 0x0C else { return pdu }
                var pdu = pdu
                pdu[position] ^= 0x10
                return pdu
            }
            try bench.pair()
            #expect(
                bench.failure(of: ofInitiator ? .responder : .initiator)
                    == .refused(.dhKeyCheckFailed))
            #expect(bench.bond(of: .initiator) == nil)
        }
    }

    @Test("a public key of zeros is refused")
    func zeroPublicKey() throws {
        let bench = Self.bench(0)
        bench.tamper = { role, pdu in
            pdu[0] == 0x0C && role == .initiator ? [0x0C] + [UInt8](repeating: 0, count: 64) : pdu
        }
        try bench.pair()
        #expect(bench.failure(of: .responder) == .refused(.dhKeyCheckFailed))
    }

    @Test("our own public key, sent back, is refused with any y", arguments: [true, false])
    func reflectedPublicKey(isNegated: Bool) throws {
        let bench = Self.bench(0)
        var sent: [UInt8] = []
        bench.tamper = { role, pdu in
            guard pdu[0] == 0x0C else { return pdu }
            if role == .initiator {
                sent = pdu
                return pdu
            }
            return isNegated ? sent.prefix(33) + Self.negated(Array(sent.dropFirst(33))) : sent
        }
        try bench.pair()
        #expect(bench.failure(of: .initiator) == .refused(.dhKeyCheckFailed))
    }

    /// The y coordinate of the mirrored point, least significant octet first.
    private static func negated(_ y: [UInt8]) -> [UInt8] {
        let prime: [UInt8] =
            [UInt8](repeating: 0xFF, count: 12) + [UInt8](repeating: 0, count: 12)
            + [1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]
        var borrow = 0
        return zip(prime, y).map { left, right in
            let difference = Int(left) - Int(right) - borrow
            borrow = difference < 0 ? 1 : 0
            return UInt8(truncatingIfNeeded: difference)
        }
    }

    @Test("the debug key is accepted only where that is configured", arguments: [true, false])
    func debugKey(isAccepted: Bool) throws {
        var debugging = SecurityConfiguration()
        debugging.usesDebugKeys = true
        var other = SecurityConfiguration()
        other.acceptsDebugKeys = isAccepted
        let bench = PairingBench(debugging, other)
        try bench.pair()
        #expect((bench.bond(of: .responder) != nil) == isAccepted)
    }

    struct Request: CustomTestStringConvertible {
        var octets: [UInt8]
        var reason: UInt8
        var testDescription: String { Hexadecimal.text(octets) }
    }

    static let requests = [
        Request(octets: [0x01, 0x05, 0, 0x01, 16, 3, 3], reason: 0x0A),
        Request(octets: [0x01, 0xFF, 0, 0x01, 16, 3, 3], reason: 0x0A),
        Request(octets: [0x01, 0x03, 2, 0x01, 16, 3, 3], reason: 0x0A),
        Request(octets: [0x01, 0x04, 0, 0x05, 6, 7, 7], reason: 0x06),
        Request(octets: [0x01, 0x00, 0, 0x00, 0, 0, 0], reason: 0x06),
        Request(octets: [0x01, 0x04, 0, 0x05, 17, 7, 7], reason: 0x0A),
    ]

    @Test("features out of range are refused", arguments: requests)
    func features(_ request: Request) throws {
        let bench = PairingBench()
        bench.deliver(.pdu(request.octets), to: .responder)
        bench.collect()
        #expect(bench.pending.map(\.event) == [.pdu([0x05, request.reason])])
        bench.pending = []
        try bench.initiator.pair(at: bench.now)
        bench.collect()
        bench.pending = []
        bench.deliver(.pdu([0x02] + request.octets.dropFirst()), to: .initiator)
        bench.collect()
        #expect(bench.pending.map(\.event) == [.pdu([0x05, request.reason])])
    }

    @Test("a responder cannot have keys distributed that were not asked for")
    func addedKeys() throws {
        var modest = SecurityConfiguration()
        modest.initiatorKeys = []
        modest.responderKeys = []
        let bench = PairingBench(modest, SecurityConfiguration())
        bench.tamper = { role, pdu in
            pdu[0] == 0x02 ? pdu.prefix(5) + [0x07, 0x07] : pdu
        }
        try bench.pair()
        #expect(bench.codes.allSatisfy { $0.1 < 0x06 || $0.1 > 0x0A })
    }

    @Test("an identity address must be public or static random")
    func identityAddress() throws {
        let bench = PairingBench()
        bench.tamper = { role, pdu in
            role == .initiator && pdu[0] == 0x09 ? [0x09, 0x01, 1, 2, 3, 4, 5, 0x45] : pdu
        }
        try bench.pair()
        #expect(bench.failure(of: .responder) == .refused(.invalidParameters))
        #expect(bench.bond(of: .responder) == nil)
    }

    @Test("keys before the link is encrypted are refused")
    func earlyKeys() throws {
        let bench = PairingBench()
        try bench.initiator.pair(at: bench.now)
        while bench.codes.last?.1 != 0x0D || bench.codes.last?.0 != .responder { bench.step() }
        bench.pending = []
        bench.deliver(.pdu(SecurityManagerPDU.identityInformation(1).octets), to: .responder)
        bench.collect()
        #expect(bench.pending.map(\.event) == [.pdu([0x05, 0x08])])
    }
}
