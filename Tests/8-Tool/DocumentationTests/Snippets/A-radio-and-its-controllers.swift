// swift-format-ignore-file
// The code of Sources/1-Core/VirtualBluetooth/VirtualBluetooth.docc/A-radio-and-its-controllers.md.
import BluetoothLE
import Octets
import VirtualBluetooth

struct Air: ~Copyable {
    var radio: VirtualRadio
    var now = MonotonicInstant.zero
    /// Passes a packet to the host of a controller.
    let deliver: (HCIPacket, ControllerID) -> Void

    mutating func sent(_ packet: HCIPacket, by controller: ControllerID) {
        radio.receive(packet, at: controller, at: now)
        drain()
    }

    /// Advances the time to the next event; returns whether there is one.
    mutating func step() -> Bool {
        guard let deadline = radio.nextDeadline else { return false }
        now = deadline
        radio.handleTimeout(at: now)
        drain()
        return true
    }

    private mutating func drain() {
        while let output = radio.pollOutput() {
            if case .send(let packet, let controller) = output { deliver(packet, controller) }
        }
    }
}
