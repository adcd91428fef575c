import ANCSKit
import ANCSTestKit
import Testing

@Suite("The code in the documentation, run")
struct SnippetRuns {
    @Test("README: calls are declined")
    func declines() async throws {
        try await TestBench.run { bench in
            let consumer = try NotificationConsumer(name: "Desk", at: bench.bluetooth())
            async let _ = READMESnippets.act(on: consumer)
            try await bench.phone.ring(IncomingCall(caller: "Ada"))
            try await bench.wait("the call is declined") { await bench.phone.ringingCalls.isEmpty }
        }
    }

    @Test("Binding: an accessory is bound and unbound")
    func binds() async throws {
        try await TestBench.run { bench in
            let adapter = try BluetoothAdapter(name: "Phone", at: bench.bluetooth())
            try await BindingSnippets.bind(adapter, try bench.directory)
            let store = BindingStore(directory: try bench.directory)
            #expect(try store.binding(of: "org.example.band") == .justUnbound)
        }
    }
}
