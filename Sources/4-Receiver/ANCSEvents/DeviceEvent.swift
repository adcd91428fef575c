/// An event of this device: of its controller, of what it does on air, and of who may pair with it. Consumers,
/// providers and adapters report the same ones, each those that can happen to it.
public enum DeviceEvent: Equatable, Sendable {
    /// The transport is listening for a controller at this place.
    case listening(at: String)
    /// The Bluetooth stack is ready.
    case ready
    /// The controller failed and is being set up again; all links have ended.
    case resetting(ControllerFailure)
    /// This device advertises, or no longer does.
    case advertising(Bool)
    /// This device scans for accessories, or no longer does.
    case scanning(Bool)
    /// The machine was suspended and has resumed; every phone is probed.
    case resumed
    /// Devices that connect to this one may pair from now on, or may not. Not reported if they always may.
    case pairingWindow(isOpen: Bool)
    /// A problem that the user should know about; the device continues.
    indirect case warning(DeviceWarning)
    /// The reader was so slow that this many events were dropped.
    case missed(Int)
}
