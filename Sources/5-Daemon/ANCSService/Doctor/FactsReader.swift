package import DBus
internal import Glibc

/// Reads the state of this machine. It changes nothing, starts nothing, and waits only a few seconds for each
/// answer.
package struct FactsReader: Sendable {
    /// The places to read from; tests use others.
    package struct Places: Equatable, Sendable {
        package var kernel = "/sys/class"
        /// Whether the kernel is asked about controllers, too.
        package var asksKernel = true
        package var processes = "/proc"
        /// The directory below which SELinux' files are.
        package var selinux = ""
        package var settings = Examination.settingsPath
        package var groups = "/etc/group"
        package var timeService = "/run/systemd/timesync"
        package var systemBus = BusConnection.Bus.system
        package var sessionBus = BusConnection.Bus.session
        /// The limit for each call on a bus.
        package var patience = Duration.seconds(3)
    }

    let places: Places
    /// Whether to examine the system's daemon.
    let isSystem: Bool
    /// The configuration file; `nil` without a home directory.
    let configuration: String?
    /// Whether the user has named that file, so that it must exist.
    let mustExist: Bool
    /// The directory of what the daemon keeps, such as its history; `nil` without a home directory.
    let state: String?

    package init(
        isSystem: Bool, configuration: String?, mustExist: Bool = false, state: String?,
        places: Places = Places()
    ) {
        (self.isSystem, self.configuration, self.mustExist) = (isSystem, configuration, mustExist)
        (self.state, self.places) = (state, places)
    }

    /// Reads everything.
    package func facts() async -> Facts {
        var facts = Facts()
        facts.isSystem = isSystem
        facts.machine = machine
        facts.settings = settings
        facts.configuration = readConfiguration()
        facts.programs = programs
        facts.history = history
        facts.clock = clock
        do throws(IOError) {
            let loop = try EventLoop(name: "ancs-doctor")
            async let system = lookAtSystemBus(on: loop)
            async let session = lookAtSessionBus(on: loop)
            let (onSystem, onSession) = await (system, session)
            loop.shutdown()
            facts.systemBus = onSystem.bluetoothd
            facts.desktop = onSession.desktop
            facts.daemon = isSystem ? onSystem.daemon : onSession.daemon
        } catch {
            facts.systemBus = .unseen(because: error.message)
            facts.desktop = .unseen(because: error.message)
        }
        return facts
    }

    // MARK: The kernel

    private var machine: Facts.Machine {
        var machine = Facts.Machine()
        // "hci0:64" is a connection of hci0.
        machine.interfaces = SystemFile.names(in: places.kernel + "/bluetooth")
            .filter { $0.hasPrefix("hci") && !$0.contains(":") }
        for name in machine.interfaces { machine.hardware[name] = hardware(of: name) }
        machine.switches = RadioSwitch.all(in: places.kernel + "/rfkill")
        machine.selinux = SELinux.state(root: places.selinux)
        machine.isInBluetoothGroup = isInGroup("bluetooth")
        return machine
    }

    private func hardware(of interface: String) -> AdapterHardware {
        let device = "\(places.kernel)/bluetooth/\(interface)/device"
        // The device is an interface of a USB device, which is above it.
        var hardware = AdapterHardware(
            modalias: SystemFile.line(of: device + "/modalias") ?? "",
            product: SystemFile.line(of: device + "/../product") ?? "")
        if places.asksKernel, let index = UInt16(interface.dropFirst(3)) {
            hardware.version = ControllerVersion.ofInterface(index)
        }
        return hardware
    }

    /// Whether this process is in a group, according to the local file of groups: a network directory might
    /// not answer.
    private func isInGroup(_ name: String) -> Bool {
        guard let octets = try? SystemFile.octets(of: places.groups) else { return false }
        let line = String(decoding: octets, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix(name + ":") }
        let fields = line?.split(separator: ":", omittingEmptySubsequences: false) ?? []
        guard fields.count > 2, let number = gid_t(fields[2]) else { return false }
        var groups = [gid_t](repeating: 0, count: 65_536)
        let count = getgroups(CInt(groups.count), &groups)
        return getegid() == number || groups.prefix(Int(max(0, count))).contains(number)
    }

    // MARK: Files

    private var settings: Seen<[MainSetting]> {
        do throws(SystemError) {
            let octets = try SystemFile.octets(of: places.settings)
            return .seen(MainSetting.settings(in: String(decoding: octets, as: UTF8.self)))
        } catch {
            return error.isAbsence
                ? .seen([]) : .unseen(because: "\(places.settings): \(error.message)")
        }
    }

    private func readConfiguration() -> Facts.Configuration {
        var seen = Facts.Configuration()
        guard let path = configuration else { return seen }
        seen.path = path
        seen.exists = access(path, F_OK) == 0
        do throws(ConfigurationFaults) {
            try seen.values.read(file: path, mustExist: mustExist)
            seen.doubts = ConfigurationReview(seen.values, path: path).faults.map(\.text)
        } catch { seen.faults = error.faults.map(\.text) }
        return seen
    }

    /// SQLite is not used, because it would write files.
    private var history: Seen<Facts.History?> {
        guard let state else { return .seen(nil) }
        var history = Facts.History(path: HistoryFiles(directory: state).path)
        var file = stat()
        guard lstat(history.path, &file) == 0 else { return Self.noHistory(.last, history.path) }
        var folder = stat()
        history.isOpenToOthers = file.st_mode & 0o077 != 0
        history.isFolderOpenToOthers = lstat(state, &folder) == 0 && folder.st_mode & 0o077 != 0
        do throws(SystemError) {
            let octets = try SystemFile.octets(of: history.path, limit: Self.databaseMark.count)
            // An empty file is an empty database.
            if !octets.isEmpty, octets != Self.databaseMark {
                history.fault = "it is damaged: not an SQLite database"
            }
        } catch { return Self.noHistory(error, history.path) }
        return .seen(history)
    }

    private static func noHistory(_ error: SystemError, _ path: String) -> Seen<Facts.History?> {
        error.isAbsence ? .seen(nil) : .unseen(because: "\(path): \(error.message)")
    }

    /// The start of a database: the SQLite file format, 1.3.1.
    private static let databaseMark = Array("SQLite format 3\0".utf8)

    private var clock: Facts.Clock {
        var clock = Facts.Clock()
        clock.now = .now
        if access(places.timeService, F_OK) == 0 {
            clock.isSynchronized = access(places.timeService + "/synchronized", F_OK) == 0
        }
        return clock
    }
}
