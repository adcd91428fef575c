// swift-format-ignore-file
// The code of Sources/6-Kit/ANCSTestKit/ANCSTestKit.docc/Grading-an-accessory.md, which also runs.
import ANCSKit
import ANCSTestKit
import AccessoryConformance
import Testing

/// What is tested: it receives everything, and declines calls when its button is pressed.
actor Watch {
    let consumer: NotificationConsumer
    private(set) var call: ReceivedNotification?

    init(at bluetooth: Bluetooth) throws {
        consumer = try NotificationConsumer(name: "Watch", at: bluetooth)
    }

    func run() async throws {
        for try await notification in consumer.notifications
        where notification.category == .incomingCall { call = notification }
    }

    func pressButton() async throws {
        if let call { try await consumer.perform(.negative, on: call) }
    }
}

@Suite struct WatchConformance {
    @Test func `the watch fulfills all requirements`() async throws {
        try await TestBench.run { bench in
            let watch = try Watch(at: bench.bluetooth())
            async let _ = watch.run()
            let result = try await Scenario(named: "conformance").run(
                phone: bench.phoneConfiguration, at: bench.phoneController.bluetooth())
            #expect(result.isSuccess, "\(result)")
        }
    }

    @Test func `a call is declined with the button`() async throws {
        try await TestBench.run { bench in
            let watch = try Watch(at: bench.bluetooth())
            async let _ = watch.run()
            let runner = try ScenarioRunner(
                Scenario(named: "call-declined-on-accessory"), phone: bench.phoneConfiguration,
                at: bench.phoneController.bluetooth())
            async let result = runner.run()
            for await event in runner.events {
                guard case .stepBegan(let step) = event, step.awaitedAction != nil else { continue }
                try await bench.wait("the watch rings") { await watch.call != nil }
                try await watch.pressButton()
            }
            let report = try await result
            #expect(report.isSuccess, "\(report)")
        }
    }
}
