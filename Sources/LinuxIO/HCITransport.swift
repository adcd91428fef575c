public import BluetoothLE
internal import Glibc
internal import Octets

/// The way to a controller (or from one to its host): whole H4 packets over a descriptor.
///
///     let transport = HCITransport(moniker, on: loop)
///     transport.open { [self] event in assumeIsolated { $0.handle(event) } }
///
/// Everything happens on the loop's thread, which is also where it may be used. The handler is
/// never called from within a call of its owner; it holds its captures until the transport closes.
public final class HCITransport: @unchecked Sendable {
    // Unchecked: `state` and `handler` are touched on the loop's thread only, which is checked.

    /// What the owner is told.
    public enum Event: Hashable, Sendable {
        /// The transport waits for a peer at this place: the moniker with the port that was chosen,
        /// or the path of the serial side of a pseudo-terminal.
        case listening(at: String)
        /// Something on this machine was changed to open the transport; a sentence for the user.
        case notice(String)
        /// Packets may be sent from now on.
        case opened
        /// The packets that one read completed, in order; not empty.
        case received([HCIPacket])
        /// The transport could not be opened or has died; the last event, and told exactly once
        /// unless the owner closed it.
        case closed(IOError)
    }

    /// The limits of a transport.
    public struct Configuration: Sendable {
        /// How many octets may wait to be sent until the peer counts as dead. The default holds
        /// the buffers of the largest controllers several times over.
        public var sendLimit = 262_144

        /// How long connecting to a host may take, all of its addresses together.
        public var connectTimeout = Duration.seconds(10)

        /// For how long connecting is tried again where nobody listens yet.
        public var connectPatience = Duration.seconds(5)

        /// Records what is sent and received.
        public var capture: BtsnoopWriter?

        /// The default limits and no recording.
        public init() {}
    }

    private enum State {
        case idle
        /// Something is under way that `cancel` ends.
        case opening(cancel: @Sendable () -> Void)
        case open(PacketLink)
        case attached(VirtualPort)
        case closed
    }

    /// Where the peer is.
    public let moniker: TransportMoniker
    let loop: EventLoop
    let configuration: Configuration
    let interfaces: any HCIInterfaces
    private var state = State.idle
    private var handler: (@Sendable (Event) -> Void)?
    /// What goes away with the transport: a symbolic link, the other side of a pseudo-terminal.
    private var cleanups: [@Sendable () -> Void] = []

    /// A transport that is not open yet.
    public convenience init(
        _ moniker: TransportMoniker, on loop: EventLoop, configuration: Configuration = .init()
    ) {
        self.init(
            moniker, on: loop, configuration: configuration, interfaces: LinuxHCIInterfaces())
    }

    init(
        _ moniker: TransportMoniker, on loop: EventLoop, configuration: Configuration,
        interfaces: any HCIInterfaces
    ) {
        self.interfaces = interfaces
        self.moniker = moniker
        self.loop = loop
        self.configuration = configuration
    }

    /// The net under owners that forget to close.
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

    /// Starts to open the transport; what becomes of it is told to `handler`, on the loop, later.
    /// Once, on the loop only.
    public func open(_ handler: @escaping @Sendable (Event) -> Void) {
        loop.checkIsolated()
        guard case .idle = state else { preconditionFailure("a transport is opened once") }
        self.handler = handler
        state = .opening(cancel: {})
        loop.execute { [self] in
            guard case .opening = state else { return }
            do throws(IOError) { try startOpening() } catch { finish(error) }
        }
    }

    /// Sends one packet. Packets of one turn of the loop are written
    /// together at its end. Before `.opened` and after the end they are dropped; a failure is told
    /// by `.closed`. On the loop only.
    public func send(_ packet: HCIPacket) {
        loop.checkIsolated()
        switch state {
        case .idle, .opening, .closed: break
        case .open(let link): link.send(packet)
        case .attached(let port):
            if let capture = configuration.capture { record(packet, .sent, in: capture) }
            port.send(packet)
        }
    }

    /// Octets that wait until the peer reads on. On the loop only.
    public var pendingOctets: Int {
        loop.checkIsolated()
        guard case .open(let link) = state else { return 0 }
        return link.pendingOctets
    }

    /// Writes what can be written at once and closes. Nothing is told any more. On the loop only;
    /// again does nothing.
    public func close() {
        loop.checkIsolated()
        end()
    }

    // MARK: Progress of the opening

    /// Remembers what `close` has to stop while the transport is not open yet.
    func isOpening(cancel: @escaping @Sendable () -> Void) {
        state = .opening(cancel: cancel)
    }

    var isStillOpening: Bool {
        if case .opening = state { true } else { false }
    }

    func isListening(at place: String) {
        handler?(.listening(at: place))
    }

    func notice(_ text: String) { handler?(.notice(text)) }

    func whenClosed(_ cleanup: @escaping @Sendable () -> Void) {
        cleanups.append(cleanup)
    }

    /// The descriptor is there: packets flow.
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

    /// The host has a controller on the same loop.
    func attach(to port: VirtualPort) throws(IOError) {
        guard port.loop === loop else {
            throw IOError(.invalidMoniker, "\(moniker) is on another event loop")
        }
        try port.attach { [weak self] packets in
            guard let self else { return }
            if let capture = configuration.capture {
                for packet in packets { record(packet, .received, in: capture) }
            }
            didReceive(packets)
        } unplugged: { [weak self] in
            guard let self else { return }
            finish(IOError(.hangUp, "\(moniker) is gone: it was unplugged"))
        }
        state = .attached(port)
        handler?(.opened)
    }

    private func record(
        _ packet: HCIPacket, _ direction: BtsnoopWriter.Direction, in capture: BtsnoopWriter
    ) {
        switch loop.clock.kind {
        case .monotonic: capture.record(packet, direction: direction)
        case .virtual:
            capture.record(
                packet, direction: direction,
                at: CaptureTime(
                    microsecondsSince1970: LoopClock.virtualEpoch * 1_000_000 + loop.now.nanoseconds
                        / 1_000))
        }
    }

    func didReceive(_ packets: [HCIPacket]) {
        handler?(.received(packets))
    }

    /// The end that the owner did not ask for.
    func finish(_ error: IOError) {
        let handler = handler
        guard end() else { return }
        handler?(.closed(error))
    }

    /// Returns whether there was anything to end.
    @discardableResult
    private func end() -> Bool {
        switch exchange(&state, with: .closed) {
        case .closed: return false
        case .idle: break
        case .opening(let cancel): cancel()
        case .open(let link): link.close()
        case .attached(let port): port.detach()
        }
        handler = nil
        for cleanup in exchange(&cleanups, with: []) { cleanup() }
        configuration.capture?.flush()
        return true
    }
}
