internal import BlueZ

/// Carries out the `LinkRequests` for a phone at bluetoothd, by a raw HCI socket that is open only while a
/// request is pending: it hears every advertisement that bluetoothd scans for. On the loop only.
final class LinkAsker: @unchecked Sendable {
    // Unchecked: confined to the loop's thread, which the socket checks.

    private let index: UInt16
    private let loop: EventLoop
    private let report: @Sendable (LinkParameters) -> Void
    private var requests: LinkRequests
    private var socket: KernelLink?
    private var timer: LoopTimer?

    /// Asks for the link from an address to `hci<index>`; what the link then has goes to `report`.
    init(
        _ policy: LinkParameterPolicy, address: String, index: UInt16, on loop: EventLoop,
        report: @escaping @Sendable (LinkParameters) -> Void
    ) {
        (self.index, self.loop, self.report) = (index, loop, report)
        requests = LinkRequests(policy, address: address, at: loop.now)
        timer = LoopTimer(on: loop) { [weak self] in self?.step { $0.handleTimeout(at: $1) } }
        drain()
    }

    /// Pairing has revealed the identity address of the phone.
    func addressChanged(to address: String) { requests.addressChanged(to: address) }

    /// Ends at once, without a report.
    func close() {
        timer?.deadline = nil
        timer = nil
        socket?.close()
        socket = nil
    }

    private func step(_ body: (inout LinkRequests, MonotonicInstant) -> Void) {
        body(&requests, loop.now)
        drain()
    }

    private func drain() {
        while timer != nil, let output = requests.pollOutput() { carryOut(output) }
        timer?.deadline = requests.nextDeadline
    }

    private func carryOut(_ output: LinkRequests.Output) {
        switch output {
        case .look(let address):
            requests.found(KernelLink.link(from: address, to: index), at: loop.now)
        case .send(let command):
            do throws(IOError) {
                socket?.close()
                let socket = try KernelLink(index: index, on: loop) { [weak self] event in
                    self?.step { $0.receive(event, at: $1) }
                }
                self.socket = socket
                try socket.send(command)
            } catch {
                // Without the capability, which is the default, no program can ask.
                close()
            }
        case .ended(let update, let isKept):
            close()
            guard let update else { return }
            report(
                LinkParameters(
                    interval: update.interval.duration, latency: Int(update.latency),
                    supervisionTimeout: update.supervisionTimeout.duration, isKept: isKept))
        }
    }
}
