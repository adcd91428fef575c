// swift-format-ignore-file
// The code of Sources/1-Core/BluetoothLE/BluetoothLE.docc/Driving-a-host.md.
import BluetoothLE
import Octets

struct Beacon: ~Copyable {
    var host: Host
    let advertisement: Advertisement
    /// Sends a packet to the controller.
    let send: (HCIPacket) -> Void
    /// Calls `deadlinePassed(at:)` at the deadline; `nil` means never.
    let wake: (MonotonicInstant?) -> Void

    mutating func transportOpened(at now: MonotonicInstant) {
        host.start(at: now)
        drain(at: now)
    }

    mutating func received(_ packet: HCIPacket, at now: MonotonicInstant) {
        host.receive(packet, at: now)
        drain(at: now)
    }

    mutating func deadlinePassed(at now: MonotonicInstant) {
        host.handleTimeout(at: now)
        drain(at: now)
    }

    private mutating func drain(at now: MonotonicInstant) {
        while let output = host.pollOutput() {
            switch output {
            case .send(let packet): send(packet)
            case .controller(.ready):
                do throws(HostUsageError) {
                    try host.startAdvertising(advertisement, at: now)
                } catch { print(error.message) }
            default: break
            }
        }
        wake(host.nextDeadline)
    }
}
