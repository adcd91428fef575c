import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite("Events of phones without ANCS, and of phones that are disconnected")
struct WaitingAndLeavingTests {
    @Test("waiting for ANCS is reported once, however often the phone is searched")
    func waiting() async throws {
        try await ConsumerScene.run { scene in
            await scene.startPhone()
            await scene.phone.setANCSPublished(false)
            try await scene.expect("1 paired")
            try await scene.expect("1 waits")
            try await scene.loop.sleep(for: .seconds(120))
            #expect(!scene.lines.contains("1 waits"))
            await scene.phone.setANCSPublished(true)
            try await scene.expect("1 session")
            await scene.phone.setANCSPublished(false)
            try await scene.expect("1 waits")
        }
    }

    @Test("a link that ends because the consumer stops is not reported as ended by the phone")
    func leaving() async throws {
        try await ConsumerScene.run { scene in
            await scene.startPhone()
            try await scene.expect("1 session")
            await scene.consumer.stop()
            try await scene.wait("the link ends") { !scene.endReasons.isEmpty }
            #expect(scene.endReasons == [.left])
        }
    }
}

extension ConsumerScene {
    /// Why links ended, as far as that was not taken.
    fileprivate var endReasons: [DisconnectReason] {
        events.compactMap { event in
            if case .peer(_, .disconnected(let reason)) = event { reason } else { nil }
        }
    }
}
