internal import ANCSKit
public import Foundation
internal import LinuxIO

/// What a manager of centrals and one of peripherals have in common.
open class CBManager: NSObject {
    private static let latest = Lock(CBManagerAuthorization.allowedAlways)

    /// Whether Bluetooth is on, as last said to the delegate.
    open internal(set) var state = CBManagerState.unknown

    /// Whether this program may use Bluetooth: `denied` once bluetoothd was seen to refuse it, otherwise `allowedAlways`.
    /// Linux asks nobody.
    open class var authorization: CBManagerAuthorization { latest.withLock { $0 } }

    /// The same as the property of the class, which has taken its place.
    @available(*, deprecated, message: "use the property of the class")
    open var authorization: CBManagerAuthorization { Self.authorization }

    init(_ state: CBManagerState) {
        self.state = state
        super.init()
    }

    /// Takes over the state of the adapter.
    func update(_ state: CBManagerState) {
        self.state = state
        guard state == .unauthorized || state == .poweredOn else { return }
        let authorization: CBManagerAuthorization = state == .poweredOn ? .allowedAlways : .denied
        Self.latest.withLock { $0 = authorization }
    }

    /// Whether Bluetooth is on; if not, says that a call has no effect.
    func isOn(for method: String) -> Bool {
        guard state != .poweredOn else { return true }
        Diagnostics.write(
            "\(method) has no effect: the manager's state is \(state), and has to be poweredOn")
        return false
    }
}
