import BluetoothLE
import Octets
import Testing

/// The 30 seconds of Core Vol 3, Part H, 3.4, and the wait after failures of 2.3.6.
@Suite struct PairingTimeTests {
    @Test(
        "each step may take 30 seconds and not a nanosecond more",
        arguments: HostilePairingTests.scenarios.indices)
    func timeouts(_ scenario: Int) throws {
        var count = 0
        while let bench = try HostilePairingTests.bench(scenario, after: count) {
            for role in [SecurityManager.Role.initiator, .responder] {
                let fresh = try #require(try HostilePairingTests.bench(scenario, after: count))
                check(fresh, role, step: count)
            }
            let isFinished = bench.pending.isEmpty && count > 0
            count += isFinished || count < 14 || count > 90 ? 1 : 19
        }
        #expect(count > 13)
    }

    private func check(_ bench: PairingBench, _ role: SecurityManager.Role, step: Int) {
        let deadline =
            switch role {
            case .initiator: bench.initiator.nextDeadline
            case .responder: bench.responder.nextDeadline
            }
        guard let deadline else { return }
        #expect(deadline == .zero + .seconds(30))
        let isAsked = bench.pending.contains { $0.receiver == role && $0.event.isOfUser }
        handleTimeout(bench, role, at: MonotonicInstant(nanoseconds: deadline.nanoseconds - 1))
        #expect(bench.failure(of: role) == nil, "step \(step)")
        handleTimeout(bench, role, at: deadline)
        let failure = bench.failure(of: role)
        #expect(failure == .notAnswered || !isAsked && failure == .timedOut, "step \(step)")
        // Nothing goes out on this connection any more.
        bench.pending = []
        for command in HostilePairingTests.commands {
            bench.deliver(.pdu(command.octets), to: role)
            bench.collect()
        }
        #expect(bench.pending.isEmpty)
        #expect(throws: SecurityManager.UsageError.closed) {
            switch role {
            case .initiator: try bench.initiator.pair(at: deadline)
            case .responder: try bench.responder.pair(at: deadline)
            }
        }
    }

    private func handleTimeout(
        _ bench: PairingBench, _ role: SecurityManager.Role, at now: MonotonicInstant
    ) {
        switch role {
        case .initiator: bench.initiator.handleTimeout(at: now)
        case .responder: bench.responder.handleTimeout(at: now)
        }
        bench.collect()
    }

    @Test("an unanswered Security Request times out")
    func unansweredSecurityRequest() throws {
        let bench = PairingBench()
        try bench.responder.pair(at: bench.now)
        let deadline = bench.responder.nextDeadline
        #expect(deadline == .zero + .seconds(30))
        bench.responder.handleTimeout(at: .zero + .seconds(30))
        bench.collect()
        #expect(bench.failure(of: .responder) == .timedOut)
    }

    @Test("a failed attempt has the next one refused until the wait is over")
    func repeatedAttempts() throws {
        let bench = PairingBench()
        bench.tamper = { role, pdu in
            pdu[0] == 0x0D && role == .initiator ? pdu.dropLast() + [pdu[16] ^ 1] : pdu
        }
        try bench.pair()
        bench.tamper = { $1 }
        bench.events[.responder] = []
        bench.pending = []
        let request = HostilePairingTests.commands[0].octets
        bench.now = MonotonicInstant(nanoseconds: 999_999_999)
        bench.deliver(.pdu(request), to: .responder)
        bench.collect()
        #expect(bench.pending.map(\.event) == [.pdu([0x05, 0x09])])
        #expect(throws: SecurityManager.UsageError.tooSoon(until: .zero + .seconds(1))) {
            try bench.initiator.pair(at: bench.now)
        }
        bench.pending = []
        bench.now = .zero + .seconds(1)
        try bench.pair()
        #expect(bench.bond(of: .responder) != nil)
        let throttle = bench.responder.throttle
        #expect(throttle.isClear(at: bench.now))
    }

    @Test("the wait doubles with each failure, up to a limit")
    func doubling() {
        var throttle = PairingThrottle()
        var now = MonotonicInstant.zero
        #expect(throttle.blockedUntil(at: now) == nil)
        for seconds in [1, 2, 4, 8, 16, 32, 64, 128, 256] {
            throttle.recordFailure(at: now)
            let end = now + .seconds(seconds)
            let before = MonotonicInstant(nanoseconds: end.nanoseconds - 1)
            #expect(throttle.blockedUntil(at: before) == end)
            #expect(throttle.blockedUntil(at: end) == nil)
            now = end
        }
        for _ in 0..<20 { throttle.recordFailure(at: now) }
        let longest = throttle.blockedUntil(at: now)
        #expect(longest == now + .seconds(1024))
    }

    @Test("half of the wait is forgiven every five minutes, and all of it after a success")
    func forgiveness() {
        var throttle = PairingThrottle()
        for _ in 0..<11 { throttle.recordFailure(at: .zero) }
        #expect(throttle.blockedUntil(at: .zero + .seconds(299)) == .zero + .seconds(1024))
        #expect(throttle.blockedUntil(at: .zero + .seconds(300)) == .zero + .seconds(512))
        #expect(!throttle.isClear(at: .zero + .seconds(3299)))
        #expect(throttle.isClear(at: .zero + .seconds(3300)))
        throttle.recordSuccess()
        #expect(throttle.isClear(at: .zero))
    }

    @Test("a peer that fails without an attempt does not delay the device whose identity it claims")
    func noAttempt() throws {
        let bench = PairingBench()
        try bench.responder.pair(at: bench.now)
        bench.deliver(.pdu([0x05, 0x0B]), to: .responder)
        bench.collect()
        let throttle = bench.responder.throttle
        #expect(throttle.isClear(at: bench.now))
    }

    @Test("throttles survive a connection, and are bounded")
    func table() {
        var table = PairingThrottles(limit: 2)
        var throttle = PairingThrottle()
        throttle.recordFailure(at: .zero)
        let addresses = (1...3 as ClosedRange<UInt64>).map { DeviceAddress($0, kind: .public) }
        for address in addresses { table.store(throttle, for: address, at: .zero) }
        #expect(table[addresses[0]].isClear(at: .zero))
        #expect(table[addresses[1]] == throttle)
        #expect(table[addresses[2]] == throttle)
        table.store(PairingThrottle(), for: addresses[2], at: .zero)
        #expect(table[addresses[2]].isClear(at: .zero))
    }
}

extension PairingBench.Event {
    /// Whether it is an answer of the user, whose question is open until it is delivered.
    fileprivate var isOfUser: Bool {
        switch self {
        case .passkey, .confirmation: true
        case .pdu, .longTermKeyRequest, .encryption: false
        }
    }
}
