internal import BluetoothLE
internal import LinuxIO
internal import Octets

/// Moves what a ``Host`` puts out to its transport and its timer, and everything else to its owner.
///
/// Confined to the loop's thread, like all that it owns.
final class HostDriver: @unchecked Sendable {
    // Unchecked: touched on the loop's thread only, which the transport and the timer check.

    /// What becomes of the transport.
    enum TransportEvent {
        /// It waits for a peer at this place.
        case listening(at: String)
        /// Something that the user should know, but that stops nothing.
        case notice(String)
        /// The device is gone; it is opened again until it is back, which the host's `.ready` tells.
        case lost(IOError)
        /// It could not be opened, or has ended for good.
        case closed(IOError)
    }

    private let loop: EventLoop
    private let moniker: TransportMoniker
    private let transportConfiguration: HCITransport.Configuration
    private let deliver: (HostDriver, HostOutput) -> Void
    private let transportEvent: (HostDriver, TransportEvent) -> Void
    private var transport: HCITransport
    private var host: Host<OpenSSLToolbox>
    private var timer: LoopTimer?
    private var returning = ReturningDevice()
    private var returnTimer: LoopTimer?
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
        transportEvent: @escaping (HostDriver, TransportEvent) -> Void,
        deliver: @escaping (HostDriver, HostOutput) -> Void
    ) {
        var transportConfiguration = HCITransport.Configuration()
        transportConfiguration.capture = capture
        self.loop = loop
        self.moniker = moniker
        self.transportConfiguration = transportConfiguration
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
        returnTimer = LoopTimer(on: loop) { [self] in
            transport = HCITransport(moniker, on: loop, configuration: transportConfiguration)
            openTransport()
        }
        openTransport()
    }

    /// Closes the transport; nothing is told any more.
    func close() {
        isClosed = true
        timer?.deadline = nil
        timer = nil
        returnTimer?.deadline = nil
        returnTimer = nil
        transport.close()
    }

    // MARK: Transport

    private func openTransport() {
        transport.open { [self] event in received(event) }
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
        case .opened: input { host, now in host.start(at: now) }
        case .closed(let error): transportEnded(error)
        case .listening(let place): transportEvent(self, .listening(at: place))
        case .notice(let text): transportEvent(self, .notice(text))
        }
    }

    private func transportEnded(_ error: IOError) {
        guard moniker.isRemovableDevice, let step = returning.lost(error, at: loop.now) else {
            input { host, now in host.transportClosed(at: now) }
            return transportEvent(self, .closed(error))
        }
        input { host, now in host.transportLost(at: now) }
        switch step.news {
        case .lost: transportEvent(self, .lost(error))
        case .obstacle: transportEvent(self, .notice(error.message))
        case nil: break
        }
        guard !isClosed else { return }
        returnTimer?.deadline = loop.now + step.pause
    }

    /// A device that is back, but cannot be used: it may still be starting.
    private func setupFailed() {
        transport.close()
        transportEnded(IOError(.hangUp, "\(moniker) is back, but cannot be set up"))
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
        var hasFailed = false
        while !isClosed, let output = host.pollOutput() {
            switch output {
            case .send(let packet): transport.send(packet)
            case .controller(.failed) where returning.isAway: hasFailed = true
            case .controller(.ready):
                returning.ready(at: loop.now)
                deliver(self, output)
            case .controller, .air, .link, .security, .attribute, .bondChanged:
                deliver(self, output)
            }
        }
        isDraining = false
        if hasFailed, !isClosed { setupFailed() }
        if !isReceiving { plan() }
    }

    private func plan() {
        guard !isClosed else { return }
        timer?.deadline = host.nextDeadline
    }
}
