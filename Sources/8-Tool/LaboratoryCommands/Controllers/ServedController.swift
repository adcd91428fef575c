package import HCITransports
package import LinuxIO
internal import BluetoothTypes

/// A virtual controller, and the place at which hosts connect to it, one at a time.
///
/// To be used on the loop's thread only.
package final class ServedController: @unchecked Sendable {
    // Unchecked because all use is on the loop's thread, which the transport and the port check.

    package enum Event: Sendable {
        /// Waiting for a host.
        case listening
        case attached
        /// The host has sent its first packet. A place such as a pseudo-terminal is attached without any host.
        case used
        /// The host has sent a command.
        case commanded([UInt8])
        /// The host has disconnected, or was disconnected, for this reason; another one can connect.
        case detached(IOError)
        /// The place cannot be opened.
        case failed(IOError)
    }

    /// The delay before a place that cannot be opened is tried again.
    private static let retryInterval = Duration.seconds(1)

    private var moniker: TransportMoniker
    private let port: VirtualPort
    private let capture: BtsnoopWriter?
    private let gate: ConnectionGate?
    private let tap: PacketTap?
    private let loop: EventLoop
    private let report: @Sendable (Event) -> Void
    private var transport: HCITransport?
    private var retryTimer: LoopTimer?
    private var isAttached = false
    private var isUsed = false
    /// Why the last host disconnected, until it is reported.
    private var departure: IOError?
    private var isClosed = false
    /// The place at which hosts connect, once it is known.
    package private(set) var place: String?

    package init(
        _ moniker: TransportMoniker, port: VirtualPort, capture: BtsnoopWriter?,
        gate: ConnectionGate? = nil, tap: PacketTap? = nil, on loop: EventLoop,
        report: @escaping @Sendable (Event) -> Void
    ) {
        (self.moniker, self.port, self.capture, self.gate) = (moniker, port, capture, gate)
        (self.tap, self.loop, self.report) = (tap, loop, report)
    }

    /// Waits for a host.
    package func open() {
        guard !isClosed else { return }
        var configuration = HCITransport.Configuration()
        configuration.gate = gate
        let transport = HCITransport(moniker, on: loop, configuration: configuration)
        self.transport = transport
        transport.open { [weak self] event in self?.happened(event) }
    }

    /// Disconnects the host and stops listening.
    package func close() {
        isClosed = true
        retryTimer?.deadline = nil
        retryTimer = nil
        transport?.close()
        transport = nil
        port.detach()
        capture?.close()
    }

    private func happened(_ event: HCITransport.Event) {
        if let departure = exchange(&departure, with: nil) { report(.detached(departure)) }
        switch event {
        case .listening(let bound): isListening(at: bound)
        case .opened:
            // Some places, such as a serial port, do not report that they are listening.
            isListening(at: moniker.description)
            attach()
        case .received(let packets):
            if !exchange(&isUsed, with: true) { report(.used) }
            for packet in packets {
                tap?(packet, .sent, loop.now)
                capture?.record(packet, direction: .sent)
                if case .command(let octets) = packet { report(.commanded(octets)) }
                port.send(packet)
            }
        // A notice is about an interface of the kernel, which a served controller never is.
        case .notice: break
        case .closed(let error): ended(error)
        }
    }

    private func isListening(at bound: String) {
        guard place == nil else { return }
        if case .pseudoTerminal(link: .some) = moniker {
            place = moniker.description
        } else if case .pseudoTerminal = moniker {
            place = "pty:\(bound)"
        } else {
            place = bound
            // Keep the port number that was chosen, for later hosts.
            if let chosen = try? TransportMoniker(parsing: bound) { moniker = chosen }
        }
        report(.listening)
    }

    private func attach() {
        do throws(IOError) {
            try port.attach { [weak self] packets in
                guard let self else { return }
                for packet in packets {
                    tap?(packet, .received, loop.now)
                    capture?.record(packet, direction: .received)
                    transport?.send(packet)
                }
            }
            isAttached = true
            isUsed = false
            report(.attached)
        } catch { report(.failed(error)) }
    }

    private func ended(_ error: IOError) {
        port.detach()
        guard place != nil else { return report(.failed(error)) }
        guard !exchange(&isAttached, with: false) else {
            departure = error
            return open()
        }
        // Another program may have taken the place; it may become free again.
        let timer = LoopTimer(on: loop) { [weak self] in self?.open() }
        retryTimer = timer
        timer.deadline = loop.now + Self.retryInterval
    }
}
