import BluetoothLE
import Dispatch
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// Requests that are answered late, twice, or from elsewhere.
@Suite("Answers to pairing requests")
struct PairingRequestTests {
    /// What the adapter has asked so far, by which the next request is told apart.
    private static func requests(at bench: isolated ManagerBench) -> [PairingRequest] {
        bench.adapterEvents.compactMap { event in
            if case .peer(_, .pairing(let request)) = event { request } else { nil }
        }
    }

    private static func request(
        _ number: Int, at bench: isolated ManagerBench
    ) async throws -> PairingRequest {
        try await bench.wait("request \(number)") { requests(at: bench).count == number }
        return try #require(requests(at: bench).last)
    }

    private static func consent(
        _ number: Int, at bench: isolated ManagerBench
    ) async throws -> PairingConsent {
        let request = try await request(number, at: bench)
        guard case .consent(let consent) = request else {
            throw ManagerBench.TimeIsUp(description: "it asks for no consent")
        }
        return consent
    }

    private static func failures(at bench: isolated ManagerBench) -> Int {
        bench.adapterEvents.count { if case .peer(_, .securityFailed) = $0 { true } else { false } }
    }

    @Test("an answer to a request of an earlier link does not affect a later link")
    func stale() async throws {
        try await ManagerBench.run(configuration: { $0.controller.pairing.policy = .ask }) {
            bench in
            let central = try await bench.connectedCentral(isObliging: false)
            try await central.pair()
            let first = try await Self.consent(1, at: bench)
            try await central.disconnect()
            try await bench.wait("the link ends") { await bench.adapter.connectedPeers.isEmpty }
            first.allow()

            try await bench.connect(central)
            try await central.pair()
            let second = try await Self.consent(2, at: bench)
            #expect(first != second)
            first.refuse()
            first.allow()
            first.cancel()
            try await bench.pass(.seconds(1))
            #expect(Self.failures(at: bench) == 0)
            #expect(await bench.adapter.bonds.isEmpty)
            second.allow()
            try await bench.wait("a bond") { await bench.adapter.bonds.count == 1 }
        }
    }

    @Test(
        "a request takes one answer, and none after pairing has asked something else or has ended")
    func answered() async throws {
        try await ManagerBench.run(configuration: {
            $0.controller.pairing.policy = .ask
            $0.controller.pairing.ability = .display
        }) { bench in
            let central = try await bench.connectedCentral(ability: .keyboard, isObliging: false)
            try await central.pair()
            let consent = try await Self.consent(1, at: bench)
            consent.allow()
            guard case .display(let display) = try await Self.request(2, at: bench) else {
                throw ManagerBench.TimeIsUp(description: "it shows no digits")
            }
            consent.refuse()
            consent.cancel()
            try await bench.wait("the central asks") { await central.isAskedForPasskey }
            try await central.enterPasskey(display.passkey.value)
            try await bench.wait("a bond") { await bench.adapter.bonds.count == 1 }
            display.cancel()
            try await bench.pass(.seconds(1))
            #expect(Self.failures(at: bench) == 0)
            #expect(await bench.adapter.bonds.map(\.isAuthenticated) == [true])
        }
    }

    @Test("pairing can be cancelled while digits are shown")
    func cancelled() async throws {
        try await ManagerBench.run(configuration: { $0.controller.pairing.ability = .display }) {
            bench in
            let central = try await bench.connectedCentral(ability: .keyboard, isObliging: false)
            try await central.pair()
            let request = try await Self.request(1, at: bench)
            request.cancel()
            request.cancel()
            try await bench.wait("pairing fails") { Self.failures(at: bench) == 1 }
            #expect(await bench.adapter.bonds.isEmpty)
        }
    }

    /// Has another thread do something, while the loop waits and virtual time stands still.
    private static func onAnotherThread(_ deed: @escaping @Sendable () -> Void) {
        let isDone = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            deed()
            isDone.signal()
        }
        isDone.wait()
    }

    @Test("a request is answered from any thread")
    func elsewhere() async throws {
        try await ManagerBench.run(configuration: { $0.controller.pairing.policy = .ask }) {
            bench in
            let central = try await bench.connectedCentral(isObliging: false)
            try await central.pair()
            let consent = try await Self.consent(1, at: bench)
            Self.onAnotherThread { consent.allow() }
            try await bench.wait("a bond") { await bench.adapter.bonds.count == 1 }
        }
    }

    @Test("six digits are a number below a million, and are shown as six digits")
    func digits() {
        #expect(
            SixDigits("000042") == 42 && SixDigits("42") == 42 && SixDigits("999999") == 999_999)
        #expect(SixDigits(Int64(42)) == 42 && SixDigits(Int64(999_999))?.value == 999_999)
        for text in ["", "1000000", "0000042", "+42", "-1", "4 2", "4٢", "x"] {
            #expect(SixDigits(text) == nil, "\(text)")
        }
        for number in [-1, 1_000_000, Int.max] { #expect(SixDigits(number) == nil) }
        #expect("\(42 as SixDigits) \(123_456 as SixDigits)" == "000042 123456")
    }
}
