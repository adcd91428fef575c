public import BluetoothTypes
public import LinuxIO

/// Why a controller cannot be used, temporarily or for good.
public enum ControllerFailure: Error, Equatable, Sendable {
    /// It reported a hardware error, with a code of its manufacturer, and is being reset. Core Vol 4, Part E,
    /// 7.7.16.
    case hardwareError(UInt8)
    /// It stopped answering, and is being reset.
    case unresponsive
    /// The program requested the reset.
    case restarted
    /// Its device has disappeared, and is opened again when it comes back.
    indirect case lost(IOError)
    /// Its transport ended for good, or could not be opened.
    indirect case closed(IOError)
    /// It does not answer during setup.
    case noAnswer
    /// It refused the reset, with this HCI status code.
    case resetRefused(HCIStatus)
    /// It fails at every attempt to set it up.
    case failsRepeatedly
    /// Its adapter was stopped.
    case stopped
    /// The failure of bluetoothd, if that manages the controller.
    indirect case bluetoothd(BluetoothdFailure)

    /// What happened, for people.
    public var message: String {
        switch self {
        case .hardwareError(let code):
            "the controller reported a hardware error (\(code)); it is being reset"
        case .unresponsive: "the controller stopped answering; it is being reset"
        case .restarted: "the controller is being reset at the program's request"
        case .lost(let error): "\(error.message); it will be opened again when it is back"
        case .closed(let error): error.message
        case .noAnswer: "the controller does not answer; is this an HCI controller (H4)?"
        case .resetRefused(let status): "the controller refused the reset: \(status.message)"
        case .failsRepeatedly: "the controller fails at every attempt to set it up"
        case .stopped: "the adapter was stopped"
        case .bluetoothd(let failure): failure.message
        }
    }
}

/// Why bluetoothd cannot be used, temporarily or for good.
public enum BluetoothdFailure: Error, Equatable, Sendable {
    /// It is not running, and does not start when it is called.
    case notRunning
    /// It has ended.
    case ended
    /// This user is not allowed to call it.
    case denied
    /// It has no adapter, or not this one: `any`, `hci0` or an address.
    case noAdapter(String)
    /// The adapter that was in use has disappeared just now.
    case adapterLost(adapter: String)
    /// The adapter is off, perhaps blocked by a switch of the machine or in its settings (rfkill).
    case off(adapter: String, isBlocked: Bool)
    /// The adapter cannot advertise.
    case cannotAdvertise(adapter: String)
    /// It does not answer.
    case noAnswer
    /// Its list of devices cannot be read; there will be another attempt.
    case unreadable
    /// It answered with this error.
    case refused(String)

    /// What happened, and what to do about it, for people.
    public var message: String {
        switch self {
        case .notRunning:
            "bluetoothd is not running: \"sudo systemctl start bluetooth\" starts it; on Debian it is in "
                + "the package bluez"
        case .ended:
            "bluetoothd has ended; waiting until it is back (\"systemctl status bluetooth\" says why; if it "
                + "crashed, \"coredumpctl info bluetoothd\" shows where)"
        case .denied:
            "the system's policy does not let this user call bluetoothd (org.bluez): log in at the "
                + "machine itself, or ask its administrator to add you to the group bluetooth"
        case .noAdapter("any"):
            "bluetoothd has no Bluetooth adapter: plug one in; \"bluetoothctl list\" shows them"
        case .noAdapter(let name):
            "bluetoothd has no adapter \(name); \"bluetoothctl list\" shows those that it has"
        case .adapterLost(let adapter): "\(adapter) has disappeared; waiting until it is back"
        case .off(let adapter, false):
            "Bluetooth is off at \(adapter): \"bluetoothctl power on\" or the desktop's settings "
                + "switch it on"
        case .off(let adapter, true):
            "Bluetooth is blocked at \(adapter): \"rfkill unblock bluetooth\" or the machine's "
                + "switch unblocks it"
        case .cannotAdvertise(let adapter):
            "\(adapter) cannot advertise: it, or its driver, has no Bluetooth Low Energy; another "
                + "adapter is needed"
        case .noAnswer: "bluetoothd does not answer; \"sudo systemctl restart bluetooth\" may help"
        case .unreadable:
            "bluetoothd's list of devices cannot be read, because the name of a nearby device is not "
                + "valid text; trying again every 10 seconds (\"bluetoothctl devices\" lists the devices, "
                + "\"bluetoothctl remove\" forgets one)"
        case .refused(let reason):
            "bluetoothd refuses: \(reason); \"sudo systemctl restart bluetooth\" may help"
        }
    }
}
