import BluetoothLE
import Octets
import Testing

/// Two of our machines pair, in every association model. Core Vol 3, Part H, 2.3.5.1.
@Suite struct PairingTests {
    struct Combination: CustomTestStringConvertible {
        var initiator: IOCapability
        var responder: IOCapability
        var isSecure: Bool

        var testDescription: String {
            "\(initiator.rawValue) with \(responder.rawValue), "
                + (isSecure ? "Secure Connections" : "legacy")
        }

        static let all = (0...4 as ClosedRange<UInt8>).flatMap { initiator in
            (0...4 as ClosedRange<UInt8>).flatMap { responder in
                [true, false].map { isSecure in
                    Combination(
                        initiator: IOCapability(rawValue: initiator),
                        responder: IOCapability(rawValue: responder), isSecure: isSecure)
                }
            }
        }

        /// Rows: responder; columns: initiator. J just works, C compare, I and R show, B both enter.
        static let legacy = ["JJRJR", "JJRJR", "IIBJI", "JJJJJ", "IIRJI"]
        static let secure = ["JJRJR", "JCRJC", "IIBJI", "JJJJJ", "ICRJC"]

        /// Table 2.8.
        var expected: AssociationModel? {
            let row = (isSecure ? Self.secure : Self.legacy)[Int(responder.rawValue)]
            return switch Array(row)[Int(initiator.rawValue)] {
            case "J": .justWorks
            case "C": .numericComparison
            case "I": .passkeyEntry(.initiatorDisplays)
            case "R": .passkeyEntry(.responderDisplays)
            case "B": .passkeyEntry(.bothEnter)
            default: nil
            }
        }
    }

    @Test(
        "the capabilities lead to the model of table 2.8, and to the same bond on both sides",
        arguments: Combination.all)
    func models(_ combination: Combination) throws {
        let bench = PairingBench(
            SecurityConfiguration(combination.initiator, isSecure: combination.isSecure),
            SecurityConfiguration(combination.responder, isSecure: combination.isSecure))
        try bench.pair()
        let own = try #require(bench.bond(of: .initiator))
        let peer = try #require(bench.bond(of: .responder))
        #expect(own.isAuthenticated == (combination.expected != .justWorks))
        #expect(peer.isAuthenticated == own.isAuthenticated)
        #expect(own.usesSecureConnections == combination.isSecure)
        #expect(own.keySize == 16)
        #expect(own.peerLongTermKey == peer.localLongTermKey)
        #expect(own.localLongTermKey == peer.peerLongTermKey)
        #expect(own.identityAddress == PairingBench.peripheralAddress)
        #expect(peer.identityAddress == PairingBench.centralAddress)
        #expect(own.signatureResolvingKey == peer.localSignatureResolvingKey)
        #expect(own.identityResolvingKey == 0x0102_0304_0506_0708_090A_0B0C_0D0E_0F10)
        let security = LinkSecurity(
            isEncrypted: true, isAuthenticated: own.isAuthenticated,
            usesSecureConnections: combination.isSecure, keySize: 16, isBonded: true)
        let both = (bench.initiator.security, bench.responder.security)
        #expect(both.0 == security)
        #expect(both.1 == security)
        #expect(questions(bench, .initiator) == expectedQuestion(combination, .initiator))
        #expect(questions(bench, .responder) == expectedQuestion(combination, .responder))
        let deadlines = (bench.initiator.nextDeadline, bench.responder.nextDeadline)
        #expect(deadlines.0 == nil)
        #expect(deadlines.1 == nil)
    }

    /// `d`isplay, `e`nter, `c`ompare.
    private func questions(_ bench: PairingBench, _ role: SecurityManager.Role) -> String {
        var text = ""
        for case .ask(let question) in bench.events[role] ?? [] {
            switch question {
            case .displayPasskey: text += "d"
            case .enterPasskey: text += "e"
            case .compare: text += "c"
            case .choosePasskey, .confirmPairing: text += "?"
            }
        }
        return text
    }

    private func expectedQuestion(
        _ combination: Combination, _ role: SecurityManager.Role
    ) -> String? {
        switch combination.expected {
        case .justWorks: ""
        case .numericComparison: "c"
        case .passkeyEntry(.initiatorDisplays): role == .initiator ? "d" : "e"
        case .passkeyEntry(.responderDisplays): role == .initiator ? "e" : "d"
        case .passkeyEntry(.bothEnter): "e"
        case .outOfBand, .none: nil
        }
    }

    @Test("Just Works with Secure Connections is this sequence of commands")
    func sequence() throws {
        let bench = PairingBench()
        try bench.pair()
        let sequence = bench.codes.map { ($0.0 == .initiator ? "C" : "P") + "\($0.1)" }
        #expect(
            sequence == [
                "C1", "P2", "C12", "P12", "P3", "C4", "P4", "C13", "P13",
                "P8", "P9", "C8", "C9",
            ])
    }

    @Test("legacy Just Works is this sequence of commands")
    func legacySequence() throws {
        var configuration = SecurityConfiguration()
        configuration.authentication = .bonding
        let bench = PairingBench(configuration, configuration)
        try bench.pair()
        let sequence = bench.codes.map { ($0.0 == .initiator ? "C" : "P") + "\($0.1)" }
        #expect(
            sequence == [
                "C1", "P2", "C3", "P3", "C4", "P4",
                "P6", "P7", "P8", "P9", "C6", "C7", "C8", "C9",
            ])
    }

    @Test("both sides compare the same six digits")
    func comparison() throws {
        let bench = PairingBench(
            SecurityConfiguration(.displayYesNo), SecurityConfiguration(.displayYesNo))
        try bench.pair()
        let own = bench.events[.initiator]?.first
        let peer = bench.events[.responder]?.first
        guard case .ask(.compare(let number)) = own else {
            Issue.record("no comparison")
            return
        }
        #expect(peer == .ask(.compare(number)))
        #expect(number < 1_000_000)
    }

    @Test("numbers that differ end pairing on both sides", arguments: [true, false])
    func refusedComparison(initiatorRefuses: Bool) throws {
        let bench = PairingBench(
            SecurityConfiguration(.displayYesNo), SecurityConfiguration(.displayYesNo))
        bench.userAgrees = false
        try bench.pair()
        #expect(bench.failure(of: .initiator) != nil)
        #expect(bench.failure(of: .responder) != nil)
        #expect(bench.bond(of: .initiator) == nil)
        let reasons = [bench.failure(of: .initiator), bench.failure(of: .responder)]
        #expect(reasons.contains(.refused(.numericComparisonFailed)))
    }

    @Test("a mistyped passkey ends pairing", arguments: [true, false])
    func mistyped(isSecure: Bool) throws {
        let bench = PairingBench(
            SecurityConfiguration(.keyboardOnly, isSecure: isSecure),
            SecurityConfiguration(.displayOnly, isSecure: isSecure))
        bench.mistypedPasskey = 1_000_000 - 1
        try bench.pair()
        let failures = [bench.failure(of: .initiator), bench.failure(of: .responder)]
        #expect(failures.contains(.refused(.confirmValueFailed)))
        #expect(failures.contains(.refusedByPeer(.confirmValueFailed)))
        #expect(bench.bond(of: .initiator) == nil)
        #expect(bench.bond(of: .responder) == nil)
    }

    @Test("a passkey that the owner chooses is the passkey", arguments: [true, false])
    func chosenPasskey(isSecure: Bool) throws {
        var display = SecurityConfiguration(.displayOnly, isSecure: isSecure)
        display.passkeySource = .chosenByOwner
        let bench = PairingBench(SecurityConfiguration(.keyboardOnly, isSecure: isSecure), display)
        try bench.pair()
        #expect(bench.bond(of: .initiator)?.isAuthenticated == true)
    }

    @Test("a device that does not bond leaves no bond")
    func withoutBonding() throws {
        var transient = SecurityConfiguration()
        transient.authentication = .secureConnections
        let bench = PairingBench(SecurityConfiguration(), transient)
        try bench.pair()
        #expect(bench.events[.initiator]?.last == .paired(nil))
        #expect(bench.events[.responder]?.last == .paired(nil))
        let security = bench.initiator.security
        #expect(security.isEncrypted)
        #expect(!security.isBonded)
    }

    @Test("the shorter key size is used, and the key is cut to it", arguments: [true, false])
    func keySize(isSecure: Bool) throws {
        let full = SecurityConfiguration(.noInputNoOutput, isSecure: isSecure)
        var short = full
        short.maximumKeySize = 7
        let bench = PairingBench(full, short)
        try bench.pair()
        let bond = try #require(bench.bond(of: .initiator))
        #expect(bond.keySize == 7)
        let key = try #require(bond.peerLongTermKey).value
        #expect(key >> 56 == 0)
        #expect(key != 0)
        #expect(bench.initiator.security.keySize == 7)
        guard case .startEncryption(let used, _, _) = bench.events[.initiator]?.first else {
            Issue.record("no encryption")
            return
        }
        #expect(used >> 56 == 0)
    }

    @Test("a key that is too short for one side ends pairing", arguments: [true, false])
    func shortKey(initiatorDemands: Bool) throws {
        var demanding = SecurityConfiguration()
        demanding.minimumKeySize = 16
        var short = SecurityConfiguration()
        short.maximumKeySize = 15
        let bench =
            initiatorDemands
            ? PairingBench(demanding, short) : PairingBench(short, demanding)
        try bench.pair()
        let refuser: SecurityManager.Role = initiatorDemands ? .initiator : .responder
        #expect(bench.failure(of: refuser) == .refused(.encryptionKeySize))
    }

    @Test("a requirement that cannot be met is refused")
    func demands() throws {
        var secureOnly = SecurityConfiguration()
        secureOnly.requiresSecureConnections = true
        var legacy = SecurityConfiguration()
        legacy.authentication = .bonding
        let first = PairingBench(legacy, secureOnly)
        try first.pair()
        #expect(first.failure(of: .responder) == .refused(.authenticationRequirements))

        var authenticatedOnly = SecurityConfiguration(.displayYesNo)
        authenticatedOnly.requiredAuthentication = .inPairing
        let second = PairingBench(authenticatedOnly, SecurityConfiguration())
        try second.pair()
        #expect(second.failure(of: .initiator) == .notAuthenticated)
    }

    @Test("out-of-band data that is missing ends pairing; a temporary key pairs in legacy")
    func outOfBand() throws {
        var announcing = SecurityConfiguration()
        announcing.announcesOutOfBandData = true
        let secure = PairingBench(SecurityConfiguration(), announcing)
        try secure.pair()
        #expect(secure.failure(of: .responder) == .refused(.outOfBandNotAvailable))

        announcing.authentication = .bonding
        announcing.outOfBandKey = 42
        let legacy = PairingBench(announcing, announcing)
        try legacy.pair()
        #expect(legacy.bond(of: .initiator)?.isAuthenticated == true)
    }

    @Test("a device that is not pairable reports it")
    func notPairable() throws {
        var closed = SecurityConfiguration()
        closed.pairing = .never
        let bench = PairingBench(SecurityConfiguration(), closed)
        try bench.pair()
        #expect(bench.failure(of: .responder) == .notPairable)
        #expect(bench.failure(of: .initiator) == .refusedByPeer(.pairingNotSupported))
    }

    @Test("the user may be asked before anything is answered", arguments: [true, false])
    func consent(isGiven: Bool) throws {
        var asking = SecurityConfiguration()
        asking.pairing = .ask
        let bench = PairingBench(SecurityConfiguration(), asking)
        bench.userAgrees = isGiven
        try bench.pair()
        #expect(bench.events[.responder]?.first == .ask(.confirmPairing))
        #expect((bench.bond(of: .responder) != nil) == isGiven)
    }

    @Test("a Security Request makes the Central pair")
    func securityRequest() throws {
        let bench = PairingBench()
        try bench.responder.pair(at: bench.now)
        bench.run()
        #expect(bench.codes.first?.1 == 0x0B)
        #expect(bench.bond(of: .responder) != nil)
    }

    @Test("cancelling is reported on both sides", arguments: [true, false])
    func cancelling(isSecure: Bool) throws {
        let bench = PairingBench(
            SecurityConfiguration(.keyboardOnly, isSecure: isSecure),
            SecurityConfiguration(.displayOnly, isSecure: isSecure))
        try bench.initiator.pair(at: bench.now)
        while bench.events[.initiator]?.isEmpty == true, bench.step() {}
        bench.pending.removeAll { $0.receiver == .initiator }
        bench.initiator.cancelPairing(at: bench.now)
        bench.run()
        #expect(bench.failure(of: .initiator) == .cancelled)
        #expect(bench.failure(of: .responder) == .refusedByPeer(.passkeyEntryFailed))
    }

    @Test("calls that do not fit are refused")
    func usage() throws {
        let bench = PairingBench()
        try bench.initiator.pair(at: bench.now)
        #expect(throws: SecurityManager.UsageError.busy) {
            try bench.initiator.pair(at: bench.now)
        }
        #expect(throws: SecurityManager.UsageError.notAsked) {
            try bench.initiator.passkeyEntered(1, toolbox: bench.toolbox, at: bench.now)
        }
        #expect(throws: SecurityManager.UsageError.passkeyOutOfRange) {
            try bench.initiator.passkeyEntered(1_000_000, toolbox: bench.toolbox, at: bench.now)
        }
        #expect(throws: SecurityManager.UsageError.notAsked) {
            try bench.initiator.userConfirmed(true, toolbox: bench.toolbox, at: bench.now)
        }
    }
}
