@testable import ANCSService
import HCITransports
import LinuxIO

/// Machines on which nothing is wrong.
extension Facts {
    /// 2026-11-22.
    private static let today = CaptureTime(microsecondsSince1970: 1_795_305_600_000_000)

    /// A desktop of Debian 12 with a daemon and without a phone.
    static var beforePairing: Facts {
        var facts = Facts()
        facts.machine.interfaces = ["hci0"]
        facts.machine.switches = [.init(name: "hci0"), .init(name: "tpacpi_bluetooth_sw")]
        var bluetoothd = Facts.Bluetoothd()
        bluetoothd.adapters = [
            Facts.Adapter(
                name: "hci0", address: "00:1A:7D:DA:71:13", activeAdvertisements: 1,
                version: BlueZVersion(5, 66))
        ]
        facts.systemBus = .seen(bluetoothd)
        facts.settings = .seen([
            MainSetting(section: "Policy", key: "AutoEnable", value: "true", line: 3)
        ])
        facts.configuration.path = "/home/ada/.config/ancs/config.toml"
        var daemon = Facts.Daemon()
        daemon.name = "Desk"
        daemon.phase = .onAir
        daemon.sinks = [.init(name: "desktop"), .init(name: "bus")]
        facts.daemon = .seen(daemon)
        facts.programs = [Facts.Program(process: 900, name: "ancs serve", kind: .daemon)]
        var desktop = Facts.Desktop()
        desktop.name = "dunst"
        desktop.version = "1.9.0"
        desktop.capabilities = ["actions", "body"]
        desktop.isPaused = false
        facts.desktop = .seen(desktop)
        facts.clock.now = today
        facts.clock.isSynchronized = true
        return facts
    }

    /// The same with a phone, whose link takes the last advertisement off air.
    static var desk: Facts {
        var facts = beforePairing
        facts.changeBluetoothd {
            $0.adapters[0].activeAdvertisements = 0
            $0.devices = [.phone]
        }
        facts.changeDaemon { $0.phase = .running }
        facts.setPhone(.subscribed)
        return facts
    }

    /// A gateway: no desktop, a history.
    static var gateway: Facts {
        var facts = desk
        facts.isSystem = true
        facts.desktop = .unseen(because: "a gateway has no desktop")
        facts.configuration.path = "/etc/ancs/config.toml"
        facts.configuration.exists = true
        facts.configuration.values.history.days = 7
        facts.history = .seen(History(path: "/var/lib/ancs/history.sqlite"))
        return facts
    }

    /// A Raspberry Pi: no switches, no settings, a newer BlueZ, no systemd-timesyncd, and `ancs receive` in place
    /// of a daemon.
    static var raspberryPi: Facts {
        var facts = beforePairing
        facts.machine.switches = []
        facts.settings = .seen([])
        facts.daemon = .seen(nil)
        facts.programs = [Facts.Program(process: 901, name: "ancs receive", kind: .receiver)]
        facts.clock.isSynchronized = nil
        facts.desktop = .unseen(because: "no session bus: is D-Bus running?")
        facts.changeBluetoothd {
            $0.adapters[0].version = BlueZVersion(5, 82)
            $0.devices = [.phone]
        }
        return facts
    }

    mutating func changeBluetoothd(_ change: (inout Bluetoothd) -> Void) {
        var bluetoothd = systemBus.value ?? Bluetoothd()
        change(&bluetoothd)
        systemBus = .seen(bluetoothd)
    }

    /// Changes the only phone that bluetoothd has.
    mutating func changeDevice(_ change: (inout Device) -> Void) {
        changeBluetoothd { change(&$0.devices[0]) }
    }

    mutating func changeDaemon(_ change: (inout Daemon) -> Void) {
        var daemon = (daemon.value ?? nil) ?? Daemon()
        change(&daemon)
        self.daemon = .seen(daemon)
    }

    /// The only phone of the daemon is in this state.
    mutating func setPhone(
        _ state: PhoneStatus.State, keys: PhoneStatus.Keys = .fine, advice: String? = nil
    ) {
        changeDaemon {
            $0.phones = [
                PhoneStatus(
                    phone: PhoneName(digest: "0123456789abcdef", name: "Ada's iPhone"),
                    state: state, keys: keys, isPaired: true, advice: advice,
                    counts: ["social": 3])
            ]
        }
    }

    mutating func changeDesktop(_ change: (inout Desktop) -> Void) {
        var desktop = desktop.value ?? Desktop()
        change(&desktop)
        self.desktop = .seen(desktop)
    }
}

extension Facts.Device {
    /// An iPhone that is paired and connected, and whose notifications come.
    static var phone: Facts.Device {
        var device = Facts.Device(name: "Ada's iPhone", address: "AC:BC:32:01:02:03")
        device.isConnected = true
        device.isPaired = true
        device.isBonded = true
        device.isTrusted = true
        device.hasResolvedServices = true
        device.knowsANCS = true
        device.hasLowEnergyServices = true
        device.hasANCS = true
        device.isNotifying = true
        return device
    }
}

extension ServiceStatus.SinkEntry {
    init(name: String, isWorking: Bool = true, message: String = "") {
        self.init(name: name, status: SinkStatus(isWorking: isWorking, message: message))
    }
}
