internal import HCITransports
internal import VirtualTransports
internal import LinuxIO
public import VirtualBluetooth

// Faults of controllers and of the radio.
extension TestBench {
    /// Moves a controller out of range of all others, or back. Its links end on both sides after their
    /// supervision timeout.
    public func setInRange(_ isInRange: Bool, _ controller: TestController) {
        let room = isInRange ? RadioRoom.first : RadioRoom(rawValue: UInt32(controller.number + 1))
        radio.change { radio, now in radio.move(controller.port.controller, to: room, at: now) }
    }

    /// Changes the path between two controllers: its losses, and whether they are in range of each other.
    public func setPath(_ path: RadioPath, between one: TestController, and other: TestController) {
        radio.change { radio, now in
            radio.setPath(path, between: one.port.controller, and: other.port.controller, at: now)
        }
    }

    /// Cuts the link between two controllers at once, if there is one.
    public func cutLink(between one: TestController, and other: TestController) {
        radio.change { radio, now in
            radio.cut(between: one.port.controller, and: other.port.controller, at: now)
        }
    }

    /// Unplugs a controller from its device, like a USB dongle, until ``plugIn(_:)``.
    public func unplug(_ controller: TestController) { controller.port.unplug() }

    /// Plugs a controller in again.
    public func plugIn(_ controller: TestController) { controller.port.plugIn() }

    /// Turns a controller off for a time. It comes back without any of its state.
    public func powerCycle(
        _ controller: TestController, for duration: Duration = .seconds(1)
    ) async throws {
        unplug(controller)
        defer { plugIn(controller) }
        try await sleep(for: duration)
    }

    /// Makes the hardware of a controller fail: it loses its state and reports an error, and its device sets
    /// it up again.
    public func fail(_ controller: TestController) {
        radio.change { radio, now in radio.fail(controller.port.controller, code: 0, at: now) }
    }
}
