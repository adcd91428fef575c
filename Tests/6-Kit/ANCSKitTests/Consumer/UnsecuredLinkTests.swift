import BluetoothLE
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite("Links that are never encrypted")
struct UnsecuredLinkTests {
    /// Why the consumer ends a link, with what it reported before. The central answers no Security Request, and begins
    /// to pair, and fails, if it is told to.
    private static func end(failing: Bool) async throws -> (DisconnectReason?, [SecurityFailure]) {
        let seen = Lock<(DisconnectReason?, [SecurityFailure])>((nil, []))
        try await ConsumerScene.run(pairing: { $0.window = .open }) { scene in
            let central = try await scene.addCentral()
            await central.setSilent()
            try await scene.connect(central)
            if failing {
                // A Pairing Request, and Pairing Failed for an unspecified reason: Core Vol 3, Part H, 3.5.
                await central.send([0x01, 0x03, 0x00, 0x09, 0x10, 0x01, 0x01], on: 0x06)
                try await scene.wait("the consumer responds") {
                    await central.securityPDUs.last?.first == 0x02
                }
                await central.send([0x05, 0x08], on: 0x06)
            }
            try await scene.wait("the consumer ends the link", for: .seconds(120)) {
                await central.link == nil
            }
            for event in scene.events {
                switch event {
                case .peer(_, .disconnected(let reason)): seen.withLock { $0.0 = reason }
                case .peer(_, .securityFailed(let failure)):
                    seen.withLock { $0.1.append(failure) }
                case _: break
                }
            }
        }
        return seen.withLock { $0 }
    }

    @Test(
        "the reason of the end is that pairing has failed, where it has, and does not say that nobody paired"
    )
    func failed() async throws {
        let (reason, failures) = try await Self.end(failing: true)
        #expect(reason == .pairingFailed)
        #expect(failures.count == 1)
    }

    @Test("a central that answers nothing is reported as one that did not continue, once")
    func silent() async throws {
        let (reason, failures) = try await Self.end(failing: false)
        #expect(failures == [.timedOut])
        // Local Host Terminated Connection: the host itself ends the link, Core Vol 3, Part H, 3.4.
        #expect(reason == .link(HCIStatus(rawValue: 0x16)))
    }
}
