public import LinuxIO
public import BluetoothLE
public import HCITransports
public import VirtualBluetooth

/// Runs a `VirtualRadio` on an event loop, with its clock.
///
///     let radio = RadioLoop(configuration: RadioConfiguration(seed: 1), toolbox: toolbox, on: loop)
///     let transport = TransportMoniker.virtual(radio.addController())
///
/// It may be used only on the loop's thread.
public final class RadioLoop: @unchecked Sendable {
    // Unchecked: touched on the loop's thread only, which is checked.

    private let loop: EventLoop
    private var radio: VirtualRadio
    private var ports: [VirtualPort] = []
    private var timer: LoopTimer?
    private var isDrainPlanned = false
    private var isClosed = false
    private var wasFading = false
    /// Called when a fade begins, with `true`, and when none is left. On the loop only.
    package var fadeChanged: (Bool) -> Void = { _ in }
    /// Called for mistakes of hosts.
    private let fault: (HostFault, VirtualPort) -> Void

    /// An empty radio.
    public init(
        configuration: RadioConfiguration, toolbox: (some SecurityToolbox)?, on loop: EventLoop,
        fault: @escaping (HostFault, VirtualPort) -> Void = { _, _ in }
    ) {
        self.loop = loop
        self.fault = fault
        radio = VirtualRadio(configuration: configuration, toolbox: toolbox)
    }

    /// Adds a controller. On the loop only.
    public func addController(
        _ abilities: VirtualControllerAbilities = .bluetooth5_3,
        publicAddress: DeviceAddress? = nil, in room: RadioRoom = .first
    ) -> VirtualPort {
        loop.checkIsolated()
        let controller = radio.addController(abilities, publicAddress: publicAddress, in: room)
        // The ports keep the radio running while there is a host.
        let port = VirtualPort(
            controller.index, on: loop,
            toController: { [self] packet in
                change { radio, now in radio.receive(packet, at: controller, at: now) }
            },
            powerCycle: { [self] in
                change { radio, now in radio.powerCycle(controller, at: now) }
            })
        ports.append(port)
        return port
    }

    /// Changes the radio, for example its conditions. On the loop only.
    public func change(_ body: (inout VirtualRadio, MonotonicInstant) -> Void) {
        loop.checkIsolated()
        guard !isClosed else { return }
        body(&radio, loop.now)
        if radio.isFading != wasFading {
            wasFading = radio.isFading
            fadeChanged(wasFading)
        }
        planDrain()
    }

    /// Stops the radio: it transmits nothing any more. On the loop only.
    public func close() {
        loop.checkIsolated()
        isClosed = true
        if exchange(&wasFading, with: false) { fadeChanged(false) }
        timer?.deadline = nil
        timer = nil
        ports = []
    }

    /// Hosts are never called during a call of their own.
    private func planDrain() {
        guard !isDrainPlanned else { return }
        isDrainPlanned = true
        loop.execute { [self] in drain() }
    }

    private func drain() {
        isDrainPlanned = false
        guard !isClosed else { return }
        var batch: [HCIPacket] = []
        var receiver: ControllerID?
        while let output = radio.pollOutput() {
            switch output {
            case .send(let packet, let controller):
                if controller != receiver {
                    deliver(batch, to: receiver)
                    batch = []
                    receiver = controller
                }
                batch.append(packet)
            case .fault(let reason, let controller): fault(reason, ports[controller.index])
            }
            if isClosed { return }
        }
        deliver(batch, to: receiver)
        plan()
    }

    private func deliver(_ packets: [HCIPacket], to controller: ControllerID?) {
        guard let controller, !packets.isEmpty, !isClosed else { return }
        ports[controller.index].deliver(packets)
    }

    private func plan() {
        guard !isClosed else { return }
        let timer =
            timer
            ?? LoopTimer(on: loop) { [self] in
                change { radio, now in radio.handleTimeout(at: now) }
            }
        self.timer = timer
        timer.deadline = radio.nextDeadline
    }
}

extension VirtualPort {
    /// The controller of the radio.
    public var controller: ControllerID { ControllerID(index: index) }
}
