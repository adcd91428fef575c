internal import ANCSKit

/// Whether Bluetooth can be used.
@frozen public enum CBManagerState: Int, Sendable {
    /// Not known yet.
    case unknown = 0
    /// Bluetooth was lost for a moment: bluetoothd is not there, or the controller is set up again.
    case resetting = 1
    /// There is no Bluetooth that can do this; standard error says why.
    case unsupported = 2
    /// This user may not use bluetoothd.
    case unauthorized = 3
    /// Bluetooth is off.
    case poweredOff = 4
    /// Bluetooth is on.
    case poweredOn = 5

    init(_ state: ManagerState) {
        switch state {
        case .unknown: self = .unknown
        case .resetting: self = .resetting
        case .unsupported: self = .unsupported
        case .unauthorized: self = .unauthorized
        case .poweredOff: self = .poweredOff
        case .poweredOn: self = .poweredOn
        }
    }
}

/// The name of older programs for the state of a manager of centrals.
@available(*, deprecated, renamed: "CBManagerState")
public typealias CBCentralManagerState = CBManagerState

/// The name of older programs for the state of a manager of peripherals.
@available(*, deprecated, renamed: "CBManagerState")
public typealias CBPeripheralManagerState = CBManagerState
