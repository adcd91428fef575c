package import LinuxIO

/// A value that was read, or why it could not be.
package enum Seen<Value: Sendable>: Sendable {
    case seen(Value)
    /// It could not be read. The reason is a sentence without a period.
    case unseen(because: String)

    /// The value, if it could be read.
    package var value: Value? {
        switch self {
        case .seen(let value): value
        case .unseen: nil
        }
    }
}

extension Seen: Equatable where Value: Equatable {}

/// The state of this machine at one moment, without conclusions.
package struct Facts: Sendable {
    /// Whether the system's daemon is examined instead of the user's.
    package var isSystem = false
    package var machine = Machine()
    package var systemBus: Seen<Bluetoothd> = .unseen(because: "it was not checked")
    /// `/etc/bluetooth/main.conf`; empty if there is none.
    package var settings: Seen<[MainSetting]> = .seen([])
    /// The daemon; `nil` if it is not running.
    package var daemon: Seen<Daemon?> = .seen(nil)
    /// Programs that use ANCS.
    package var programs: [Program] = []
    /// The desktop's notification server.
    package var desktop: Seen<Desktop> = .unseen(because: "it was not checked")
    package var configuration = Configuration()
    /// The history; `nil` if there is none.
    package var history: Seen<History?> = .seen(nil)
    package var clock = Clock()
}

extension Facts {
    /// The state of the kernel.
    package struct Machine: Sendable {
        /// The kernel's Bluetooth interfaces, such as `hci0`.
        package var interfaces: [String] = []
        /// The hardware of these interfaces.
        package var hardware: [String: AdapterHardware] = [:]
        package var switches: [RadioSwitch] = []
        package var selinux = SELinux()
        /// Whether this user is in the group bluetooth.
        package var isInBluetoothGroup = false
    }

    /// The state of bluetoothd.
    package struct Bluetoothd: Sendable {
        /// Its reply.
        package enum Answer: Equatable, Sendable {
            case answered
            case notRunning
            case denied
            case noAnswer
            /// An error.
            case refused(String)
        }

        package var answer = Answer.answered
        package var adapters: [Adapter] = []
        package var devices: [Device] = []
    }

    /// A controller, according to bluetoothd.
    package struct Adapter: Equatable, Sendable {
        /// The name, such as `hci0`.
        package var name: String
        package var address = ""
        package var isPowered = true
        /// Whether it has `LEAdvertisingManager1`.
        package var canAdvertise = true
        /// `central`, `peripheral`, `central-peripheral`; empty if bluetoothd does not report them.
        package var roles: [String] = ["central", "peripheral"]
        /// Active advertisements, of all programs.
        package var activeAdvertisements = 0
        /// How many more are possible.
        package var freeAdvertisements = 4
        /// The version of bluetoothd, from its `Modalias`; `nil` if that has another value.
        package var version: BlueZVersion?
        /// Whether it is discoverable over BR/EDR.
        package var isDiscoverable = false
        /// How often bluetoothd has ended when it was asked for the socket for texts, if it is not asked any more;
        /// otherwise 0.
        package var socketEnds: Seen<Int> = .seen(0)
    }

    /// Another device, according to bluetoothd.
    package struct Device: Equatable, Sendable {
        /// Its name, as received.
        package var name: String
        package var address: String
        package var adapter = "hci0"
        package var isConnected = false
        package var isPaired = false
        /// Whether it is bonded; `nil` if bluetoothd is too old to report it.
        package var isBonded: Bool?
        package var isTrusted = false
        package var isBlocked = false
        package var hasResolvedServices = false
        /// Whether its link is encrypted; `nil` if the kernel does not say.
        package var isEncrypted: Bool?
        /// Whether it is known to have, or to have had, ANCS.
        package var knowsANCS = false
        /// Whether it claims to be a phone made by Apple.
        package var isApplePhone = false
        /// Whether it is known over BR/EDR: it has a Class of Device.
        package var hasBasicRate = false
        /// Whether services of it are known that iPhones have over Low Energy only.
        package var hasLowEnergyServices = false
        /// Whether it is bonded over Low Energy; `nil` unless bluetoothd reports it (5.84 and later, with `-E`).
        package var isBondedOverLowEnergy: Bool?
        /// Whether it is connected for audio: A2DP or AVRCP.
        package var hasAudio = false
        /// The charge of its battery in percent, if bluetoothd knows it.
        package var battery: Int?
        /// Whether the objects of ANCS exist now.
        package var hasANCS = false
        /// Whether a program has subscribed to its Notification Source.
        package var isNotifying = false

        /// Whether it may send notifications.
        package var isPhone: Bool { knowsANCS || hasANCS || isApplePhone }
    }

    /// The daemon, according to its own objects.
    package struct Daemon: Sendable {
        package var version = ""
        /// The name on phones.
        package var name = ""
        package var phase = ServiceState.Phase.running
        package var message = ""
        package var phones: [PhoneStatus] = []
        package var sinks: [ServiceStatus.SinkEntry] = []
    }

    /// A program that uses ANCS.
    package struct Program: Equatable, Sendable {
        package enum Kind: Equatable, Sendable {
            /// `ancs serve`
            case daemon
            /// `ancs receive`
            case receiver
            /// `ancs demo --desktop`, with a daemon of its own and a virtual controller.
            case demo
            /// Of another project.
            case other
        }

        package var process: Int
        package var name: String
        package var kind: Kind
        package var controller: Controller = .bluetoothd("any")
        /// Whether it belongs to this user.
        package var isOwn = true
    }

    /// The controller that a program uses.
    package enum Controller: Equatable, Sendable {
        /// An adapter of bluetoothd: `any`, `hci0` or an address.
        case bluetoothd(String)
        /// A controller of its own, at this moniker.
        case own(String)
        /// This cannot be seen: the program belongs to another user, or runs in a container.
        case unknown
    }

    /// The notification server: the Desktop Notifications Specification.
    package struct Desktop: Sendable {
        package enum Server: Equatable, Sendable {
            case running
            /// It is started by the first popup.
            case startable
            case none
        }

        package var server = Server.running
        package var name = ""
        package var version = ""
        package var capabilities: [String] = []
        /// Whether the user has paused notifications; `nil` if the server does not report it.
        package var isPaused: Bool?
    }

    /// The configuration file.
    package struct Configuration: Sendable {
        package var path = ""
        package var exists = false
        /// One line for each fault in it.
        package var faults: [String] = []
        /// One line for each thing in it that will not work here, such as a program that does not exist.
        package var doubts: [String] = []
        /// Its values; the defaults for those that cannot be read.
        package var values = ServiceConfiguration()

        /// The controller of the daemon.
        package var controller: Controller { Controller(values) }

        /// The adapter of bluetoothd: `any`, `hci0` or an address; `nil` if the daemon uses a controller
        /// exclusively.
        package var adapterOfBluetoothd: String? {
            if case .bluetoothd(let adapter) = controller { adapter } else { nil }
        }
    }

    /// The file of the history.
    package struct History: Sendable {
        package var path: String
        /// Whether other users can read it.
        package var isOpenToOthers = false
        /// Whether other users can read its directory.
        package var isFolderOpenToOthers = false
        /// Why it cannot be read.
        package var fault: String?
    }

    /// The time of this machine.
    package struct Clock: Sendable {
        package var now = CaptureTime(microsecondsSince1970: 0)
        /// Whether systemd-timesyncd has set it; `nil` if that is not running.
        package var isSynchronized: Bool?
    }
}

extension Facts.Controller {
    /// The controller of a daemon with this configuration.
    package init(_ configuration: ServiceConfiguration) {
        let adapter = configuration.bluetooth.adapter
        if adapter == "bluez" {
            self = .bluetoothd("any")
        } else if adapter.hasPrefix("bluez:") {
            self = .bluetoothd(String(adapter.dropFirst(6)))
        } else {
            self = .own(adapter)
        }
    }
}

/// A version of BlueZ, such as 5.66.
package struct BlueZVersion: Equatable, Comparable, Sendable {
    package var major: Int
    package var minor: Int

    package init(_ major: Int, _ minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// The version in an adapter's `Modalias`, `usb:v1D6Bp0246d0542` for 5.66, unless the administrator has
    /// set another `DeviceID`: set_did of BlueZ's src/main.c.
    package init?(modalias: String) {
        let prefix = "usb:v1D6Bp0246d"
        guard modalias.hasPrefix(prefix) else { return nil }
        let digits = modalias.dropFirst(prefix.count)
        guard digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit),
            let number = UInt16(digits, radix: 16)
        else { return nil }
        self.init(Int(number >> 8), Int(number & 0xFF))
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    package var text: String { "\(major).\(minor)" }
}
