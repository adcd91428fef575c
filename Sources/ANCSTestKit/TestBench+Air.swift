internal import LinuxIO
public import VirtualBluetooth

// What happens to controllers and on the air between them.
extension TestBench {
    /// Carries a controller out of range of all others, or back. A link that it has ends at both sides when
    /// its supervision timeout has passed.
    public func setInRange(_ isInRange: Bool, _ controller: TestController) {
        let room = isInRange ? RadioRoom.first : RadioRoom(rawValue: UInt32(controller.number + 1))
        radio.change { radio, now in radio.move(controller.port.controller, to: room, at: now) }
    }

    /// Changes the way between two controllers: what is lost there, and whether they hear each other.
    public func setPath(
        _ path: RadioPath, between one: TestController, and other: TestController
    ) {
        radio.change { radio, now in
            radio.setPath(
                path, between: one.port.controller, and: other.port.controller, at: now)
        }
    }

    /// Cuts the link between two controllers at once, if there is one.
    public func cutLink(between one: TestController, and other: TestController) {
        radio.change { radio, now in
            radio.cut(between: one.port.controller, and: other.port.controller, at: now)
        }
    }

    /// Takes a controller away from its device, as a USB dongle that is pulled out, until ``plugIn(_:)``.
    public func unplug(_ controller: TestController) { controller.port.unplug() }

    /// Gives a controller back.
    public func plugIn(_ controller: TestController) { controller.port.plugIn() }

    /// Takes a controller away from its device for a while. It comes back with nothing that it knew.
    public func powerCycle(
        _ controller: TestController, for duration: Duration = .seconds(1)
    ) async throws {
        unplug(controller)
        defer { plugIn(controller) }
        try await sleep(for: duration)
    }

    /// Has the hardware of a controller fail: it forgets everything, tells its device so, and is set up
    /// again.
    public func fail(_ controller: TestController) {
        radio.change { radio, now in radio.fail(controller.port.controller, code: 0, at: now) }
    }
}
