public import BluetoothLE
public import VirtualBluetooth

/// The way to one controller of a ``RadioLoop``, for a host on the same loop. One host at a time.
public final class VirtualPort: @unchecked Sendable {
    // Unchecked: touched on the loop's thread only, which is checked.

    /// Which controller of the radio this leads to.
    public let controller: ControllerID
    /// The loop of the radio, and of the host.
    public let loop: EventLoop
    private let toController: (HCIPacket) -> Void
    private let powerCycle: () -> Void
    private var host: (([HCIPacket]) -> Void)?
    private var unplugged: @Sendable () -> Void = {}
    private var isPluggedIn = true

    init(
        _ controller: ControllerID, on loop: EventLoop,
        toController: @escaping (HCIPacket) -> Void, powerCycle: @escaping () -> Void
    ) {
        self.controller = controller
        self.loop = loop
        self.toController = toController
        self.powerCycle = powerCycle
    }

    /// A host comes; what the controller sends goes to `host` from now on, in later turns of the
    /// loop, and `unplugged` is called when the controller is taken away. On the loop only.
    public func attach(
        _ host: @escaping ([HCIPacket]) -> Void, unplugged: @escaping @Sendable () -> Void = {}
    ) throws(IOError) {
        loop.checkIsolated()
        guard isPluggedIn else {
            throw IOError(.notFound, "the virtual controller is not plugged in")
        }
        guard self.host == nil else {
            throw IOError(.busy, "the virtual controller has a host already")
        }
        self.host = host
        self.unplugged = unplugged
    }

    /// Takes the controller away from its host, as a USB dongle that is pulled out, until
    /// ``plugIn()``. On the loop only; again does nothing.
    public func unplug() {
        loop.checkIsolated()
        guard isPluggedIn else { return }
        isPluggedIn = false
        let unplugged = unplugged
        detach()
        loop.execute { unplugged() }
    }

    /// The controller can be used again. On the loop only.
    public func plugIn() {
        loop.checkIsolated()
        isPluggedIn = true
    }

    /// The host sends a packet. On the loop only.
    public func send(_ packet: HCIPacket) {
        loop.checkIsolated()
        guard host != nil else { return }
        toController(packet)
    }

    /// The host goes: the controller loses its power, and its links time out at the other ends. On
    /// the loop only; again does nothing.
    public func detach() {
        loop.checkIsolated()
        guard host != nil else { return }
        host = nil
        unplugged = {}
        powerCycle()
    }

    /// Packets of the controller; without a host nobody hears them.
    func deliver(_ packets: [HCIPacket]) { host?(packets) }
}

extension VirtualPort: Hashable {
    /// Whether both lead to the same controller.
    public static func == (left: VirtualPort, right: VirtualPort) -> Bool { left === right }

    /// Hashes which object this is.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
