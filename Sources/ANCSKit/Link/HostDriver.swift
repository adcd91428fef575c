internal import BluetoothLE
internal import LinuxIO
internal import Octets

/// Moves what a ``Host`` puts out to its transport and its timer, and everything else to its owner.
///
/// Confined to the loop's thread, like all that it owns.
final class HostDriver: @unchecked Sendable {
    // Unchecked: touched on the loop's thread only, which the transport and the timer check.

    private let loop: EventLoop
    private let transport: HCITransport
    private let deliver: (HostDriver, HostOutput) -> Void
    private let transportEvent: (HostDriver, HCITransport.Event) -> Void
    private var host: Host<OpenSSLToolbox>
    private var timer: LoopTimer?
    /// Outputs that cause inputs must not be handled out of order.
    private var isDraining = false
    /// The deadline of several packets that came together is looked at once.
    private var isReceiving = false
    /// The owner may be gone: what is still on its way to it is dropped.
    private var isClosed = false

    /// A driver that is not open yet. `deliver` is told what the host puts out, but for packets;
    /// `transportEvent` what becomes of the transport, but for packets.
    init(
        moniker: TransportMoniker, capture: BtsnoopWriter?, configuration: HostConfiguration,
        bonds: [BondRecord], toolbox: OpenSSLToolbox, on loop: EventLoop,
        transportEvent: @escaping (HostDriver, HCITransport.Event) -> Void,
        deliver: @escaping (HostDriver, HostOutput) -> Void
    ) {
        var transportConfiguration = HCITransport.Configuration()
        transportConfiguration.capture = capture
        self.loop = loop
        self.deliver = deliver
        self.transportEvent = transportEvent
        transport = HCITransport(moniker, on: loop, configuration: transportConfiguration)
        host = Host(configuration: configuration, toolbox: toolbox, bonds: bonds)
    }

    /// Opens the transport and starts the host on it.
    func open() {
        timer = LoopTimer(on: loop) { [self] in
            input { host, now in host.handleTimeout(at: now) }
        }
        transport.open { [self] event in received(event) }
    }

    /// Closes the transport; nothing is told any more.
    func close() {
        isClosed = true
        timer?.deadline = nil
        timer = nil
        transport.close()
    }

    private func received(_ event: HCITransport.Event) {
        guard !isClosed else { return }
        switch event {
        case .received(let packets):
            isReceiving = true
            for packet in packets where !isClosed {
                input { host, now in host.receive(packet, at: now) }
            }
            isReceiving = false
            plan()
        case .opened:
            transportEvent(self, event)
            input { host, now in host.start(at: now) }
        case .closed:
            input { host, now in host.transportClosed(at: now) }
            transportEvent(self, event)
        case .listening: transportEvent(self, event)
        }
    }

    /// Tells the host something and carries out what it then wants.
    @discardableResult
    func input<Value, Failure: Error>(
        _ body: (inout Host<OpenSSLToolbox>, MonotonicInstant) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        defer { drain() }
        return try body(&host, loop.now)
    }

    /// Asks the host something.
    func query<Value>(_ body: (borrowing Host<OpenSSLToolbox>) -> Value) -> Value { body(host) }

    private func drain() {
        guard !isDraining else { return }
        isDraining = true
        while !isClosed, let output = host.pollOutput() {
            if case .send(let packet) = output {
                transport.send(packet)
            } else {
                deliver(self, output)
            }
        }
        isDraining = false
        if !isReceiving { plan() }
    }

    private func plan() {
        guard !isClosed else { return }
        timer?.deadline = host.nextDeadline
    }
}
