import ANCSKit
import ANCSTestKit
import CallFilter
import Testing

struct CallFilterTests {
    private let filter = CallFilter(callers: ["Ada"], others: .decline)

    @Test func `calls of chosen people pass, and no others`() {
        #expect(filter.verdict(on: "Ada") == .pass)
        #expect(filter.verdict(on: "Mallory") == .decline)
        #expect(CallFilter(callers: [], others: .silence).verdict(on: "") == .silence)
    }

    @Test func `a stranger is declined while the phone rings on for a friend`() async throws {
        try await TestBench.run { [filter] bench in
            let consumer = try NotificationConsumer(name: "Call filter", at: bench.bluetooth())
            async let _ = filter.run(on: consumer) { _ in }

            let friend = try await bench.phone.ring(IncomingCall(caller: "Ada"))
            try await bench.phone.ring(IncomingCall(caller: "Mallory"))
            try await bench.wait("Mallory is declined") {
                await bench.phone.ringingCalls == [friend]
            }
        }
    }
}
