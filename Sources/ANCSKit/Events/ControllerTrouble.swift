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
    /// What bluetoothd says of it, where it is bluetoothd's.
    case bluetoothd(BluetoothdTrouble)

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
        case .bluetoothd(let trouble): trouble.message
        }
    }
}

/// Why Bluetooth cannot be used by way of bluetoothd, for now or for good.
public enum BluetoothdTrouble: Error, Hashable, Sendable {
    /// It does not run, and is not started when it is called.
    case notRunning
    /// It has ended.
    case ended
    /// This user may not call it.
    case denied
    /// It has no adapter, or not this one: `any`, `hci0` or an address.
    case noAdapter(String)
    /// The adapter is switched off, perhaps by a switch of the machine or of its settings (rfkill).
    case off(adapter: String, isBlocked: Bool)
    /// The adapter cannot advertise.
    case cannotAdvertise(adapter: String)
    /// It does not answer.
    case noAnswer
    /// What it tells of the devices around cannot be read; it is asked again.
    case unreadable
    /// It answers with this error.
    case refused(String)

    /// What happened, and what to do about it, for a user.
    public var message: String {
        switch self {
        case .notRunning:
            "bluetoothd does not run: \"sudo systemctl start bluetooth\" starts it; on Debian, the "
                + "package bluez has it"
        case .ended: "bluetoothd has ended; waiting until it is back"
        case .denied:
            "the system's policy does not let this user call bluetoothd (org.bluez): log in at the "
                + "machine itself, or ask its administrator for the group bluetooth"
        case .noAdapter("any"):
            "bluetoothd has no Bluetooth adapter: plug one in; \"bluetoothctl list\" shows them"
        case .noAdapter(let name):
            "bluetoothd has no adapter \(name); \"bluetoothctl list\" shows those that it has"
        case .off(let adapter, false):
            "Bluetooth is off at \(adapter): \"bluetoothctl power on\" or the desktop's settings "
                + "switch it on"
        case .off(let adapter, true):
            "Bluetooth is blocked at \(adapter): \"rfkill unblock bluetooth\" or the machine's "
                + "switch unblocks it"
        case .cannotAdvertise(let adapter):
            "\(adapter) cannot advertise: it, or its driver, has no Bluetooth Low Energy; another "
                + "adapter is needed"
        case .noAnswer:
            "bluetoothd does not answer; \"sudo systemctl restart bluetooth\" may help"
        case .unreadable:
            "what bluetoothd tells cannot be read, because a device around here has a name that is no "
                + "text; trying again every 10 seconds (\"bluetoothctl devices\" lists the devices, "
                + "\"bluetoothctl remove\" forgets one)"
        case .refused(let reason):
            "bluetoothd refuses: \(reason); \"sudo systemctl restart bluetooth\" may help"
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
