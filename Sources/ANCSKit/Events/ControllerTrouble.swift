public import BluetoothLE
public import LinuxIO

/// Why a controller cannot be used, for now or for good.
public enum ControllerTrouble: Error, Hashable, Sendable {
    /// It reported an error of its hardware, with its manufacturer's code, and is being reset. Core Vol 4,
    /// Part E, 7.7.16.
    case hardwareError(UInt8)
    /// It stopped answering, and is being reset.
    case unresponsive
    /// The program has it reset; nothing is wrong with it.
    case restarted
    /// Its device is gone, and is opened again as soon as it is back.
    case lost(IOError)
    /// Its transport ended for good, or could not be opened.
    case closed(IOError)
    /// It does not answer while it is set up.
    case noAnswer
    /// It refuses to be reset, with this HCI status code.
    case resetRefused(HCIStatus)
    /// It fails whenever it is set up.
    case failsRepeatedly
    /// Its adapter was stopped.
    case stopped

    /// What happened, for a user.
    public var message: String {
        switch self {
        case .hardwareError(let code):
            "the controller reported a hardware error (\(code)); it is being reset"
        case .unresponsive: "the controller stopped answering; it is being reset"
        case .restarted: "the controller is being reset, as the program asked"
        case .lost(let error): "\(error.message); it is opened again as soon as it is back"
        case .closed(let error): error.message
        case .noAnswer: "the controller does not answer; is this an HCI controller (H4)?"
        case .resetRefused(let status): "the controller refuses to be reset: \(status.message)"
        case .failsRepeatedly: "the controller fails whenever it is set up"
        case .stopped: "the adapter was stopped"
        }
    }
}

extension ControllerTrouble {
    init(_ reason: HostOutput.ResetReason) {
        switch reason {
        case .hardwareError(let code): self = .hardwareError(code)
        case .unresponsive: self = .unresponsive
        case .requested: self = .restarted
        }
    }

    init(_ failure: ControllerSetup.Failure) {
        switch failure {
        case .noAnswer: self = .noAnswer
        case .resetRefused(let status): self = .resetRefused(status)
        case .failsRepeatedly: self = .failsRepeatedly
        }
    }
}
