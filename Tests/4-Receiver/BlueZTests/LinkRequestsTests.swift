import ANCSEvents
import BluetoothTypes
import Octets
import Testing

@testable import BlueZ

@Suite("Asking past bluetoothd for a link that lasts")
struct LinkRequestsTests {
    typealias Output = LinkRequests.Output

    static let policy = LinkParameterPolicy()
    static let handle = ConnectionHandle(rawValue: 0x0040)
    static let private_ = "51:00:00:00:00:01"
    static let identity = "C0:00:00:00:00:01"

    static func update(_ parameters: ConnectionParameters) -> Output {
        .send(LinkUpdateCommand(handle: handle, parameters: parameters))
    }

    /// The controller confirmed a command, or refused it.
    static func status(_ status: HCIStatus = .success) -> LinkUpdateEvent { .status(status) }

    /// The link has other parameters; the timeout is in units of 10 ms.
    static func complete(
        of handle: ConnectionHandle = handle, timeout: UInt16 = 600, status: HCIStatus = .success
    ) -> LinkUpdateEvent {
        .complete(status, update(of: handle, timeout: timeout))
    }

    static func update(
        of handle: ConnectionHandle = handle, timeout: UInt16 = 600
    ) -> LinkUpdate {
        LinkUpdate(
            handle: handle, interval: ConnectionInterval(rawValue: 36), latency: 0,
            supervisionTimeout: SupervisionTimeout(rawValue: timeout))
    }

    static func requests() -> LinkRequests {
        LinkRequests(policy, address: private_, at: .zero)
    }

    @Test("one second after the connection the link is looked for, and asked for 6 s")
    func granted() {
        var requests = Self.requests()
        #expect(requests.nextDeadline == .zero + .seconds(1))
        #expect(requests.at(1) == [.look(Self.private_)])
        requests.found(Self.handle, at: .zero + .seconds(1))
        #expect(requests.drain() == [Self.update(Self.policy.wanted)])
        requests.receive(Self.status(), at: .zero + .seconds(1))
        requests.receive(
            Self.complete(of: ConnectionHandle(rawValue: 1), timeout: 72),
            at: .zero + .seconds(2))
        #expect(requests.drain().isEmpty, "another link")
        requests.receive(Self.complete(), at: .zero + .seconds(2))
        #expect(requests.drain() == [.ended(Self.update(), isKept: false)])
        #expect(requests.nextDeadline == nil)
        #expect(requests.at(100).isEmpty)
    }

    @Test("a link that is renamed while the phone pairs is found by its new address")
    func renamed() {
        var requests = Self.requests()
        _ = requests.at(1)
        requests.found(nil, at: .zero + .seconds(1))
        #expect(requests.at(2) == [.look(Self.private_)])
        requests.found(nil, at: .zero + .seconds(2))
        requests.addressChanged(to: Self.identity)
        #expect(requests.at(3) == [.look(Self.identity)])
        requests.found(Self.handle, at: .zero + .seconds(3))
        #expect(requests.drain() == [Self.update(Self.policy.wanted)])
    }

    @Test("a link that is not found is looked for five times")
    func notFound() {
        var requests = Self.requests()
        var outputs: [Output] = []
        for second in 1...100 as ClosedRange<Int64> {
            for output in requests.at(second) {
                outputs.append(output)
                if case .look = output { requests.found(nil, at: .zero + .seconds(second)) }
            }
            outputs += requests.drain()
        }
        #expect(outputs.count { $0 == .look(Self.private_) } == 5)
        #expect(outputs.last == .ended(nil, isKept: false))
        #expect(requests.nextDeadline == nil)
    }

    @Test(
        "a controller or a phone that refuses, or is silent, is asked twice",
        arguments: [Self.status(.commandDisallowed), Self.status(), nil])
    func refused(answer: LinkUpdateEvent?) {
        var requests = Self.requests()
        var outputs: [Output] = []
        for second in 1...100 as ClosedRange<Int64> {
            let now = MonotonicInstant.zero + .seconds(second)
            for output in requests.at(second) {
                outputs.append(output)
                guard case .look = output else { continue }
                requests.found(Self.handle, at: now)
                outputs += requests.drain()
                if let answer { requests.receive(answer, at: now) }
                requests.receive(
                    Self.complete(status: .unacceptableConnectionParameters), at: now)
            }
            outputs += requests.drain()
        }
        #expect(
            outputs == [
                .look(Self.private_), Self.update(Self.policy.wanted),
                .look(Self.private_), Self.update(Self.policy.alternative),
                .ended(nil, isKept: true),
            ])
        #expect(requests.nextDeadline == nil)
    }
}

extension LinkRequests {
    fileprivate mutating func drain() -> [Output] {
        var outputs: [Output] = []
        while let output = pollOutput() { outputs.append(output) }
        return outputs
    }

    /// What the passing of time causes.
    fileprivate mutating func at(_ second: Int64) -> [Output] {
        handleTimeout(at: .zero + .seconds(second))
        return drain()
    }
}
