public import LinuxIO
public import BluetoothTypes

/// The connection to a controller in the same process, for a host on the same loop. One host at a time.
/// `RadioLoop` of `VirtualTransports` makes one for each controller of a virtual radio.
public final class VirtualPort: IdentityHashable, @unchecked Sendable {
    // Unchecked: touched on the loop's thread only, which is checked.

    /// The number of the controller, counted from 0.
    public let index: Int
    /// The loop of the controller, and of the host.
    public let loop: EventLoop
    private let toController: (HCIPacket) -> Void
    private let powerCycle: () -> Void
    private var host: (([HCIPacket]) -> Void)?
    private var unplugged: @Sendable () -> Void = {}
    private var isPluggedIn = true

    /// A port of the controller `index` on `loop`: what a host sends goes to `toController`, and `powerCycle` is
    /// called when the host goes. Both are called on the loop.
    public init(
        _ index: Int, on loop: EventLoop,
        toController: @escaping (HCIPacket) -> Void, powerCycle: @escaping () -> Void
    ) {
        (self.index, self.loop, self.toController) = (index, loop, toController)
        self.powerCycle = powerCycle
    }

    /// Connects a host: packets of the controller go to `host` from now on, in later turns of the loop, and
    /// `unplugged` is called when the controller is unplugged. Throws if there is a host already, or the
    /// controller is not plugged in. On the loop only.
    public func attach(
        _ host: @escaping ([HCIPacket]) -> Void, unplugged: @escaping @Sendable () -> Void = {}
    ) throws(IOError) {
        loop.checkIsolated()
        guard isPluggedIn else {
            throw IOError(.notFound, "the virtual controller is not plugged in")
        }
        guard self.host == nil else {
            throw IOError(.busy, "the virtual controller already has a host")
        }
        self.host = host
        self.unplugged = unplugged
    }

    /// Unplugs the controller from its host, like a USB dongle, until ``plugIn()``. On the loop only; further
    /// calls do nothing.
    public func unplug() {
        loop.checkIsolated()
        guard isPluggedIn else { return }
        isPluggedIn = false
        let unplugged = unplugged
        detach()
        loop.execute { unplugged() }
    }

    /// Plugs the controller in again. On the loop only.
    public func plugIn() {
        loop.checkIsolated()
        isPluggedIn = true
    }

    /// Sends a packet from the host. On the loop only.
    public func send(_ packet: HCIPacket) {
        loop.checkIsolated()
        guard host != nil else { return }
        toController(packet)
    }

    /// Disconnects the host: the controller loses its power, and its links time out at the other ends. On the
    /// loop only; further calls do nothing.
    public func detach() {
        loop.checkIsolated()
        guard host != nil else { return }
        host = nil
        unplugged = {}
        powerCycle()
    }

    /// Delivers packets of the controller to the host; without a host they are dropped. On the loop only.
    public func deliver(_ packets: [HCIPacket]) { host?(packets) }
}
