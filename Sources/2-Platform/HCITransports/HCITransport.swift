public import LinuxIO
public import BluetoothTypes
internal import Glibc

/// A transport to a controller, or from one to its host: complete H4 packets over a descriptor.
///
///     let transport = HCITransport(moniker, on: loop)
///     transport.open { [self] event in assumeIsolated { $0.handle(event) } }
///
/// It may be used only on the loop's thread, where the handler is called too. The handler is never called
/// during a call of the owner, and is released when the transport closes.
public final class HCITransport: @unchecked Sendable {
    // Unchecked: `state` and `handler` are touched on the loop's thread only, which is checked.

    /// An event of the transport.
    public enum Event: Equatable, Sendable {
        /// The transport is listening for a peer at this place: the moniker with the chosen port, or the path
        /// of the serial side of a pseudo-terminal.
        case listening(at: String)
        /// Opening the transport changed something on this machine; a sentence for people.
        case notice(String)
        /// Packets can be sent from now on.
        case opened
        /// The packets that one read completed, in order; not empty.
        case received([HCIPacket])
        /// The transport could not be opened, or has failed; the last event, sent exactly once unless the
        /// owner closes the transport.
        case closed(IOError)
    }

    /// Options and limits of a transport.
    public struct Configuration: Sendable {
        /// How many octets may be queued for sending before the peer counts as dead. The default is several
        /// times the buffers of the largest controllers.
        public var sendLimit = 262_144

        /// How long connecting to a host may take, for all its addresses together.
        public var connectTimeout = Duration.seconds(10)

        /// How long to keep trying to connect while no peer listens.
        public var connectPatience = Duration.seconds(5)

        /// Records sent and received packets.
        public var capture: BtsnoopWriter?
        /// Sees sent and received packets, on the loop, before anything else does.
        package var tap: PacketTap?

        /// Who may connect to a TCP port; `nil` for everybody, one at a time.
        package var gate: ConnectionGate?

        /// The default limits, without recording.
        public init() {}
    }

    private enum State {
        case idle
        /// An operation is in progress that `cancel` ends.
        case opening(cancel: @Sendable () -> Void)
        case open(PacketLink)
        case attached(VirtualPort)
        case closed
    }

    /// The place of the peer.
    public let moniker: TransportMoniker
    let loop: EventLoop
    package let configuration: Configuration
    let interfaces: any HCIInterfaces
    private var state = State.idle
    private var handler: (@Sendable (Event) -> Void)?
    /// What to clean up at the end: a symbolic link, the other side of a pseudo-terminal.
    private var cleanups: [@Sendable () -> Void] = []

    /// A transport that is not open yet.
    public convenience init(
        _ moniker: TransportMoniker, on loop: EventLoop, configuration: Configuration = .init()
    ) {
        self.init(moniker, on: loop, configuration: configuration, interfaces: LinuxHCIInterfaces())
    }

    init(
        _ moniker: TransportMoniker, on loop: EventLoop, configuration: Configuration,
        interfaces: any HCIInterfaces
    ) {
        (self.interfaces, self.moniker, self.loop) = (interfaces, moniker, loop)
        self.configuration = configuration
    }

    /// For owners that did not call ``close()``.
    deinit {
        let end: @Sendable () -> Void
        switch state {
        case .idle, .closed: return
        case .opening(let cancel): end = cancel
        case .open(let link): end = { link.close() }
        case .attached(let port): end = { port.detach() }
        }
        loop.execute { [cleanups] in
            end()
            for cleanup in cleanups { cleanup() }
        }
    }

    /// Starts opening the transport; events go to `handler`, on the loop, later. Call this once, on the loop
    /// only.
    public func open(_ handler: @escaping @Sendable (Event) -> Void) {
        loop.checkIsolated()
        guard case .idle = state else { preconditionFailure("a transport can be opened only once") }
        self.handler = handler
        state = .opening(cancel: {})
        loop.execute { [self] in
            guard case .opening = state else { return }
            do throws(IOError) { try startOpening() } catch { finish(error) }
        }
    }

    /// Sends a packet. Packets of one turn of the loop are written together at its end. Ignored before
    /// `.opened` and after the end; a failure is reported by `.closed`. On the loop only.
    public func send(_ packet: HCIPacket) {
        loop.checkIsolated()
        switch state {
        case .idle, .opening, .closed: break
        case .open(let link): link.send(packet)
        case .attached(let port):
            configuration.tap?(packet, .sent, loop.now)
            configuration.capture?.record(packet, direction: .sent, at: loop.captureTime)
            port.send(packet)
        }
    }

    /// The number of octets queued for sending. On the loop only.
    public var pendingOctets: Int {
        loop.checkIsolated()
        guard case .open(let link) = state else { return 0 }
        return link.pendingOctets
    }

    /// Writes what can be written at once, and closes the transport. No more events follow. On the loop only;
    /// further calls do nothing.
    public func close() {
        loop.checkIsolated()
        end()
    }

    // MARK: Progress of the opening

    /// Stores how `close` ends the opening in progress.
    func isOpening(cancel: @escaping @Sendable () -> Void) { state = .opening(cancel: cancel) }

    var isStillOpening: Bool { if case .opening = state { true } else { false } }

    func isListening(at place: String) { handler?(.listening(at: place)) }

    func notice(_ text: String) { handler?(.notice(text)) }

    func whenClosed(_ cleanup: @escaping @Sendable () -> Void) { cleanups.append(cleanup) }

    /// The descriptor is open: packets can flow.
    func didOpen(_ descriptor: OwnedDescriptor, kind: PacketLink.Kind) {
        guard case .opening = state else { return }
        let link = PacketLink(descriptor, kind: kind, of: self)
        state = .open(link)
        do throws(IOError) {
            try link.start()
        } catch {
            finish(error)
            return
        }
        handler?(.opened)
    }

    /// Connects the host to a controller on the same loop.
    func attach(to port: VirtualPort) throws(IOError) {
        guard port.loop === loop else {
            throw IOError(.invalidMoniker, "\(moniker) is on another event loop")
        }
        try port.attach { [weak self] packets in
            guard let self else { return }
            if let tap = configuration.tap {
                for packet in packets { tap(packet, .received, loop.now) }
            }
            if let capture = configuration.capture {
                let time = loop.captureTime
                for packet in packets { capture.record(packet, direction: .received, at: time) }
            }
            didReceive(packets)
        } unplugged: { [weak self] in
            guard let self else { return }
            finish(IOError(.hangUp, "\(moniker) has disappeared: it was unplugged"))
        }
        state = .attached(port)
        handler?(.opened)
    }

    func didReceive(_ packets: [HCIPacket]) { handler?(.received(packets)) }

    /// Ends the transport without a call of the owner.
    func finish(_ error: IOError) {
        let handler = handler
        guard end() else { return }
        handler?(.closed(error))
    }

    /// Returns whether it had not ended before.
    @discardableResult private func end() -> Bool {
        switch exchange(&state, with: .closed) {
        case .closed: return false
        case .idle: break
        case .opening(let cancel): cancel()
        case .open(let link): link.close()
        case .attached(let port): port.detach()
        }
        handler = nil
        for cleanup in exchange(&cleanups, with: []) { cleanup() }
        configuration.capture?.conclude()
        return true
    }
}
