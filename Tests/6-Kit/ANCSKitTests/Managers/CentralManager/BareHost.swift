import BluetoothLE
import HCITransports
import LinuxIO
import Octets

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// A host at a controller of its own, without the system that an adapter has around it. Confined to its
/// loop.
final class BareHost: @unchecked Sendable {
    // Unchecked: see the type's comment.

    private let loop: EventLoop
    private let transport: HCITransport
    private let deliver: (HostOutput) -> Void
    private var host: Host
    private var timer: LoopTimer?

    init(
        _ moniker: TransportMoniker, configuration: HostConfiguration, bonds: [BondRecord],
        toolbox: OpenSSLToolbox, on loop: EventLoop, deliver: @escaping (HostOutput) -> Void
    ) {
        self.loop = loop
        self.deliver = deliver
        transport = HCITransport(moniker, on: loop)
        host = Host(configuration: configuration, toolbox: toolbox, bonds: bonds)
    }

    func open() {
        timer = LoopTimer(on: loop) { [unowned self] in
            input { host, now in host.handleTimeout(at: now) }
        }
        transport.open { [unowned self] event in
            switch event {
            case .opened: input { host, now in host.start(at: now) }
            case .received(let packets):
                for packet in packets { input { host, now in host.receive(packet, at: now) } }
            case .closed: input { host, now in host.transportClosed(at: now) }
            case .listening, .notice: break
            }
        }
    }

    func close() {
        timer?.deadline = nil
        timer = nil
        transport.close()
    }

    /// Tells the host something and carries out what it then wants.
    @discardableResult
    func input<Value, Failure: Error>(
        _ body: (inout Host, MonotonicInstant) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        defer { drain() }
        return try body(&host, loop.now)
    }

    /// As ``input(_:)``; why it could not be done.
    @discardableResult
    func attempt(
        _ body: (inout Host, MonotonicInstant) throws(HostUsageError) -> Void
    ) -> HostUsageError? {
        do throws(HostUsageError) {
            try input(body)
            return nil
        } catch { return error }
    }

    /// Asks the host something.
    func query<Value>(_ body: (borrowing Host) -> Value) -> Value { body(host) }

    func disconnect(_ handle: ConnectionHandle) {
        attempt { host, now throws(HostUsageError) in try host.disconnect(handle, at: now) }
    }

    private func drain() {
        while let output = host.pollOutput() {
            if case .send(let packet) = output { transport.send(packet) } else { deliver(output) }
        }
        timer?.deadline = host.nextDeadline
    }
}
