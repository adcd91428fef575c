import Octets
import Testing

@testable import BluetoothLE

@Suite("Asking for connection parameters") struct ConnectionParameterRequestsTests {
    typealias Output = ConnectionParameterRequests.Output

    static let policy = LinkParameterPolicy()
    static let first = Output.request(policy.wanted)
    static let second = Output.request(policy.alternative)

    /// A link; the interval is in units of 1.25 ms, the timeout in units of 10 ms.
    static func link(
        _ interval: UInt16 = 24, latency: UInt16 = 0, timeout: UInt16 = 72
    ) -> LinkDescription {
        LinkDescription(
            role: .peripheral, localAddress: HostLink.firstCentral,
            peerAddress: HostLink.firstCentral, interval: ConnectionInterval(rawValue: interval),
            latency: latency, supervisionTimeout: SupervisionTimeout(rawValue: timeout))
    }

    static func requests(
        _ link: LinkDescription = link(), isEncrypted: Bool = false
    ) -> ConnectionParameterRequests {
        ConnectionParameterRequests(
            policy, isMet: policy.isMet(by: link), isEncrypted: isEncrypted, at: .zero)
    }

    @Test("requested parameters meet the requirements L1 to L7", arguments: UInt16(0)...40)
    func requirements(latency: UInt16) {
        let policy = LinkParameterPolicy(latency: latency)
        #expect(policy.latency == min(latency, 30), "L4")
        for parameters in [policy.wanted, policy.alternative] {
            let shortest = parameters.intervalMinimum.duration
            let longest = parameters.intervalMaximum.duration
            #expect(parameters.fault == nil)
            #expect(shortest >= .milliseconds(15) && shortest <= .seconds(2), "L1")
            #expect(parameters.intervalMinimum.rawValue % 12 == 0, "L1")
            #expect(longest >= shortest + .milliseconds(15), "L2")
            #expect(parameters.supervisionTimeout.duration == .seconds(6), "L5")
            let silence = longest * (Int(policy.latency) + 1)
            #expect(silence <= .seconds(2), "L6")
            #expect(.seconds(6) > silence * 3, "L7")
        }
    }

    @Test("the first request comes after a second, or with encryption")
    func start() {
        var requests = Self.requests()
        #expect(requests.nextDeadline == .seconds(1))
        #expect(requests.at(.milliseconds(999)).isEmpty)
        #expect(requests.at(.seconds(1)) == [Self.first])
        #expect(requests.nextDeadline == nil, "the signalling channel limits the time to answer")
        var encrypted = Self.requests()
        encrypted.encrypted()
        #expect(encrypted.drain() == [Self.first])
        encrypted.encrypted()
        #expect(encrypted.drain().isEmpty)
        var late = Self.requests(isEncrypted: true)
        #expect(late.drain() == [Self.first])
    }

    @Test("a link with the wanted parameters is not changed until they differ")
    func nothingToAsk() {
        var requests = Self.requests(Self.link(12, timeout: 600))
        #expect(requests.at(.seconds(1)).isEmpty)
        #expect(requests.nextDeadline == nil)
        requests.changed(to: Self.link(), at: .seconds(100))
        #expect(requests.at(.seconds(101)) == [Self.first])
    }

    @Test("a link with a latency that was not asked for is changed as well")
    func latency() {
        var requests = Self.requests(Self.link(24, latency: 4, timeout: 600))
        #expect(requests.at(.seconds(1)) == [Self.first])
    }

    @Test("accepted and applied: it is over")
    func applied() {
        var requests = Self.requests(isEncrypted: true)
        _ = requests.drain()
        requests.answered(isAccepted: true, at: .seconds(1))
        #expect(requests.nextDeadline == .seconds(6))
        requests.changed(to: Self.link(36, timeout: 600), at: .seconds(2))
        #expect(requests.drain() == [.ended(.met)])
        #expect(requests.nextDeadline == nil)
        #expect(requests.at(.seconds(1000)).isEmpty)
    }

    @Test("applied before the answer arrives")
    func appliedFirst() {
        var requests = Self.requests(isEncrypted: true)
        _ = requests.drain()
        requests.changed(to: Self.link(36, timeout: 600), at: .seconds(2))
        #expect(requests.drain().isEmpty)
        requests.answered(isAccepted: true, at: .seconds(3))
        #expect(requests.drain() == [.ended(.met)])
    }

    @Test("refused: one more try with other steps, then it stays", arguments: [true, false])
    func refused(isAccepted: Bool) {
        var requests = Self.requests(isEncrypted: true)
        #expect(requests.drain() == [Self.first])
        requests.answered(isAccepted: isAccepted, at: .zero)
        // Accepted and never applied takes five seconds to be seen.
        let seen: Int64 = isAccepted ? 5 : 0
        #expect(requests.at(.seconds(seen)).isEmpty)
        #expect(requests.at(.seconds(seen + 1)) == [Self.second])
        requests.answered(isAccepted: isAccepted, at: .seconds(seen + 1))
        #expect(requests.at(.seconds(2 * seen + 1)) == [.ended(.kept)])
        #expect(requests.nextDeadline == nil)
        requests.changed(to: Self.link(36, timeout: 600), at: .seconds(30))
        requests.changed(to: Self.link(), at: .seconds(31))
        #expect(requests.at(.seconds(60)).isEmpty, "it says so once")
    }

    @Test("a change that lasts less than a second gives no request")
    func passing() {
        var requests = Self.requests(Self.link(24, timeout: 600), isEncrypted: true)
        requests.changed(to: Self.link(), at: .seconds(1))
        requests.changed(to: Self.link(24, timeout: 600), at: .milliseconds(1900))
        #expect(requests.at(.seconds(2)).isEmpty)
        #expect(requests.nextDeadline == nil)
    }

    @Test("a Central that changes a hundred times a second is asked three times")
    func restless() {
        var requests = Self.requests(isEncrypted: true)
        var outputs = requests.drain()
        for step in 0..<60_000 as Range<Int64> {
            let now = MonotonicInstant.zero + .milliseconds(10 * step)
            requests.answered(isAccepted: step % 3 > 0, at: now)
            let isMet = step / 150 % 2 == 0
            requests.changed(to: Self.link(24, timeout: isMet ? 600 : 72), at: now)
            requests.handleTimeout(at: now)
            outputs += requests.drain()
        }
        #expect(outputs.filter { $0 == Self.first || $0 == Self.second }.count <= 3)
        #expect(outputs.count <= 7)
        #expect(outputs.last == .ended(.kept))
        #expect(outputs.count { $0 == .ended(.kept) } == 1)
    }
}

extension ConnectionParameterRequests {
    fileprivate mutating func changed(to link: LinkDescription, at now: MonotonicInstant) {
        changed(isMet: policy.isMet(by: link), at: now)
    }

    fileprivate mutating func drain() -> [Output] {
        var outputs: [Output] = []
        while let output = pollOutput() { outputs.append(output) }
        return outputs
    }

    /// What the passing of time causes.
    fileprivate mutating func at(_ now: MonotonicInstant) -> [Output] {
        handleTimeout(at: now)
        return drain()
    }
}
