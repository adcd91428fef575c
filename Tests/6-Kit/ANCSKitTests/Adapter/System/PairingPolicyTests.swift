import BluetoothLE
import HCITransports
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite("How an adapter's pairing policy configures its host")
struct PairingPolicyTests {
    typealias Policy = PairingPolicy

    static let consents: [(Policy, SecurityConfiguration.Consent)] = [
        (.whenNeeded, .allow), (.ask, .ask), (.never, .never),
    ]

    static func configuration(
        _ policy: Policy, _ lostKeys: LostKeys = .refuse
    ) throws -> SecurityConfiguration {
        let adapter = AdapterConfiguration(
            name: "Desk",
            controller: HCIConfiguration(
                try TransportMoniker(parsing: "tcp-client:127.0.0.1:1"),
                pairing: PairingOptions(policy: policy, lostKeys: lostKeys)))
        return adapter.host(.new(), isPairable: true).security
    }

    @Test("a policy applies to strangers and to bonded peers alike", arguments: consents)
    func policies(_ policy: Policy, _ consent: SecurityConfiguration.Consent) throws {
        #expect(try Self.configuration(policy).pairing == consent)
        #expect(try Self.configuration(policy, .pairAgain).rePairing == consent)
        #expect(try Self.configuration(policy, .refuse).rePairing == .never)
    }

    @Test(
        "a Central's pairing is confirmed or refused according to the policy",
        arguments: [Policy.ask, .never])
    func central(_ policy: Policy) async throws {
        try await ManagerBench.run(configuration: { $0.controller.pairing.policy = policy }) {
            bench in
            let central = try await bench.connectedCentral(isObliging: false)
            try await central.pair()
            switch policy {
            case .ask:
                var asked: PairingConsent?
                try await bench.wait("the user is asked") {
                    for case .peer(_, .pairing(.consent(let consent))) in bench.adapterEvents {
                        asked = consent
                    }
                    return asked != nil
                }
                asked?.allow()
                try await bench.wait("a bond") { await bench.adapter.bonds.count == 1 }
            case .never, .whenNeeded:
                try await bench.wait("it is refused") {
                    await central.securityPDUs.last == [0x05, 0x05]
                }
                #expect(await bench.adapter.bonds.isEmpty)
            }
        }
    }
}
