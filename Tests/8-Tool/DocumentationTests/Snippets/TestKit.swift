// swift-format-ignore-file
// The code of Documentation/TestKit.md.
import ANCSKit
import ANCSTestKit
import AccessoryConformance
import Testing

@Test func `a call that is declined on the accessory stops ringing`() async throws {
    try await TestBench.run(seed: 7) { bench in
        let desk = try NotificationConsumer(name: "Desk", at: bench.bluetooth())
        try await bench.phone.ring(IncomingCall(caller: "Ada"))
        let call = try await desk.notifications.first { $0.category == .incomingCall }
        try await desk.perform(.negative, on: #require(call))
        try await bench.wait("it is declined") { await bench.phone.ringingCalls.isEmpty }
    }
}

@Test func `the desk fulfills every requirement of ANCS`() async throws {
    try await TestBench.run { bench in
        let desk = try NotificationConsumer(name: "Desk", at: bench.bluetooth())
        await desk.start()
        let result = try await Scenario(named: "conformance").run(
            phone: bench.phoneConfiguration, at: bench.phoneController.bluetooth())
        #expect(result.isSuccess, "\(result)")
    }
}
