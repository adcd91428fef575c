import ANCS
import ANCSTestKit
import LinuxIO
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// Every bonded phone has a place, and none has to leave for another one.
@Suite("Several phones at a consumer")
struct SeveralPhonesTests {
    /// A scene with two bonded phones, the first of which shows an ANCS of its own and never leaves.
    private static func withTwo(
        _ body:
            @escaping @Sendable (isolated ConsumerScene, NotificationProvider, TestController)
            async throws -> Void
    ) async throws {
        try await ConsumerScene.run(pairing: { $0.window = .untilPhoneIsBonded }) { scene in
            let (first, controller) = try await scene.addPhone()
            await first.start()
            try await scene.expect("1 session")
            await scene.consumer.openPairingWindow(for: .seconds(120))
            await scene.startPhone()
            try await scene.expect("2 session")
            #expect(await scene.bonds.count == 2)
            try await body(scene, first, controller)
        }
    }

    @Test(
        "a stranger that paired once, with an ANCS of its own, does not keep the owner's phone out")
    func fake() async throws {
        try await Self.withTwo { scene, _, _ in
            var provider = 2
            for _ in 1...3 {
                await scene.setPhoneInRange(false)
                try await scene.expect("\(provider) disconnected")
                try await scene.loop.sleep(for: .seconds(300))
                await scene.setPhoneInRange(true)
                provider += 1
                try await scene.expect("\(provider) session")
            }
            #expect(!scene.lines.contains("1 disconnected"))
        }
    }

    @Test("an old phone and a new one are served at once, each in its own session")
    func both() async throws {
        try await Self.withTwo { scene, first, _ in
            _ = try await first.post(
                ProviderNotification(appIdentifier: .phone, categoryID: .social, title: "old"))
            try await scene.expect("1 added 0")
            _ = try await scene.phone.post(
                ProviderNotification(appIdentifier: .phone, categoryID: .social, title: "new"))
            try await scene.expect("2 added 0")
        }
    }

    @Test("while all bonded phones are connected and none may pair, the consumer is not on air")
    func silence() async throws {
        try await Self.withTwo { scene, _, _ in
            await scene.consumer.closePairingWindow()
            try await scene.loop.sleep(for: .seconds(1))
            guard let port = scene.consumer.port as? HostPort else {
                Issue.record("it is at a controller")
                return
            }
            #expect(!port.isOnAir)
            await scene.setPhoneInRange(false)
            try await scene.expect("2 disconnected")
            #expect(port.isOnAir)
        }
    }

    @Test("two phones alternate for an hour")
    func alternating() async throws {
        try await Self.withTwo { scene, _, controller in
            await scene.setInRange(false, controller)
            try await scene.expect("1 disconnected")
            var provider = 2
            for turn in 0..<12 {
                // The other one comes before this one goes, or after it.
                let isFirstNext = turn.isMultiple(of: 2)
                let overlaps = turn.isMultiple(of: 3)
                if !overlaps {
                    await leave(isFirstNext)
                    try await scene.expect("\(provider) disconnected")
                }
                if isFirstNext {
                    await scene.setInRange(true, controller)
                } else {
                    await scene.setPhoneInRange(true)
                }
                try await scene.expect("\(provider + 1) session")
                if overlaps {
                    await leave(isFirstNext)
                    try await scene.expect("\(provider) disconnected")
                }
                provider += 1
                try await scene.loop.sleep(for: .seconds(300))
            }

            func leave(_ isFirstNext: Bool) async {
                if isFirstNext {
                    await scene.setPhoneInRange(false)
                } else {
                    await scene.setInRange(false, controller)
                }
            }
        }
    }
}
