internal import Printing

/// The daemon, other programs, and where notifications go.
extension Examination {
    // MARK: Configuration

    var configuration: [Finding] {
        let configuration = facts.configuration
        guard configuration.faults.isEmpty else {
            let count = configuration.faults.count
            return .fault(
                .configuration, of: configuration.path,
                configuration.inFile(configuration.faults[0]),
                why: "the daemon does not start with a faulty configuration, and a running daemon "
                    + "keeps the previous one",
                remedy: count == 1
                    ? "correct this line; 'ancs serve --check' checks the file"
                    : "correct this line, and \(count - 1) more that 'ancs serve --check' lists"
            )
        }
        guard configuration.doubts.isEmpty else {
            let count = configuration.doubts.count
            return .note(
                .configuration, of: configuration.path,
                configuration.inFile(configuration.doubts[0]),
                why: "everything else in the configuration works",
                remedy: count == 1
                    ? "correct this line, or install the program"
                    : "correct this line, or install the program; 'ancs serve --check' lists "
                        + "\(count - 1) more")
        }
        let seen = configuration.exists ? configuration.path : "no file: the defaults"
        return .fine(.configuration, seen)
    }

    // MARK: Programs

    /// Whether one of our programs receives notifications through the examined adapter of bluetoothd.
    var isReceiving: Bool { facts.configuration.adapterOfBluetoothd != nil && !receivers.isEmpty }

    /// Whether the daemon on the bus is that of the demo.
    var isDemo: Bool {
        let own = facts.programs.filter { $0.isOwn && !facts.isSystem }
        return facts.daemon.value ?? nil != nil && own.contains { $0.kind == .demo }
            && !own.contains { $0.kind == .daemon }
    }

    private var receivers: [Facts.Program] {
        facts.programs.filter { $0.kind != .other && sharesController($0) }
    }

    var daemon: [Finding] {
        switch facts.daemon {
        case .unseen(let reason):
            let remedy =
                facts.isSystem
                ? "\"sudo usermod -aG ancs $USER\" gives this user access, after the next login"
                : "\"\(restartDaemon)\" restarts it"
            return .unseen(.daemon, because: reason, remedy: remedy)
        case .seen(nil): return [withoutDaemon]
        case .seen(let daemon?): return [state(of: daemon)]
        }
    }

    private var withoutDaemon: Finding {
        let ours = facts.programs.filter { $0.kind != .other && ($0.isOwn || facts.isSystem) }
        if let program = ours.first(where: { $0.controller != .unknown }) {
            return .fine(.daemon, "not on the bus; \(program.description) receives notifications")
        }
        let seen = "neither 'ancs serve' nor 'ancs receive' is running"
        let why = "a program must receive the notifications"
        let remedy =
            "\"\(startDaemon)\" starts the daemon; 'ancs receive' shows notifications in a terminal"
        if let program = ours.first {
            return .note(
                .daemon, "not on the bus; \(program.description) may receive notifications",
                why: why, remedy: remedy)
        }
        let hasPhone = bluetoothd?.devices.contains { $0.isPhone && $0.isPaired } == true
        return hasPhone
            ? .fault(.daemon, seen, why: why, remedy: remedy)
            : .note(.daemon, seen, why: why, remedy: remedy)
    }

    private func state(of daemon: Facts.Daemon) -> Finding {
        switch daemon.phase {
        case .onAir: .fine(.daemon, "running, and phones can find it as '\(daemon.name.shortened)'")
        case .running: .fine(.daemon, "running")
        case .stopping:
            .note(.daemon, "it is stopping", why: "no notifications arrive until it is restarted")
        case .waitingForAdapter:
            .fault(
                .daemon, "it is waiting for its Bluetooth adapter: \(daemon.message)",
                why: "it has no usable adapter",
                remedy: "fix the fault above; if there is none, \"\(restartDaemon)\" may help")
        }
    }

    private var sinksOfDaemon: [ServiceStatus.SinkEntry] {
        (facts.daemon.value ?? nil)?.sinks ?? []
    }

    /// Empty if no broker is configured.
    var broker: [Finding] {
        let section = facts.configuration.values.mqtt
        guard !section.host.isEmpty else { return [] }
        // The doctor does not connect itself: a second client with the daemon's identifier would end its
        // connection.
        guard let sink = sinksOfDaemon.first(where: { $0.name == Self.brokerSink }) else {
            return .note(
                .broker, "\(section.host):\(section.usedPort) was not checked",
                why: "only the daemon connects to it, and it is not running",
                remedy: "start it: \"\(startDaemon)\"")
        }
        guard !sink.status.isWorking else { return .fine(.broker, sink.status.message) }
        return .fault(
            .broker, sink.status.message,
            why: "home automation receives nothing, and cannot send commands",
            remedy: "fix this in [mqtt] of \(facts.configuration.path) or on the broker; the "
                + "daemon tries again within a minute")
    }

    private static let brokerSink = "mqtt"
    private static let desktopSink = "desktop"
    private static let programSink = "hooks"

    var sinks: [Finding] {
        let others = [Self.brokerSink, Self.desktopSink]
        return sinksOfDaemon.filter { !$0.status.isWorking && !others.contains($0.name) }.map {
            sink in
            let seen = sink.status.message.isEmpty ? "it does not work" : sink.status.message
            guard sink.name != Self.programSink else {
                return .fault(
                    .sink, of: sink.name, seen,
                    why: "what these rules are for is not done",
                    remedy:
                        "run the program in a terminal, with a line of 'ancs watch --json' on its "
                        + "standard input; 'ancs serve --check' finds programs that do not exist")
            }
            return .fault(
                .sink, of: sink.name, seen, why: "notifications do not arrive there",
                remedy: "fix this; \"\(restartDaemon)\" tries again at once")
        }
    }

    /// Why another program is a problem.
    private var oneReader: String {
        "only one program at a time can read the texts and send commands"
    }

    /// A program of another project that uses the same controller as ours, or several of ours that do.
    /// Programs with other controllers do not conflict, nor do those whose controllers are unknown.
    private var rival: (seen: String, remedy: String)? {
        let other = facts.programs.first { $0.kind == .other && sharesController($0) }
        if let other {
            return (
                other.description,
                "stop the other program: \(end(of: other)), and keep it from starting again"
            )
        }
        guard receivers.count > 1 else { return nil }
        let extra = receivers.first { $0.kind == .receiver } ?? receivers[1]
        return (
            receivers.map(\.description).joined(separator: " and "),
            "stop one of them: \(end(of: extra)), or give each a controller of its own"
        )
    }

    private func end(of program: Facts.Program) -> String {
        program.isOwn ? "\"kill \(program.process)\"" : "process \(program.process) of another user"
    }

    /// Programs that are known to receive notifications.
    var otherPrograms: [Finding] {
        guard let rival else { return [] }
        return .fault(.otherPrograms, rival.seen, why: oneReader, remedy: rival.remedy)
    }

    /// A subscription of an unknown program to bluetoothd. It may also be left over from a program that has
    /// ended, but programs that should be running are reported first.
    var subscribers: [Finding] {
        guard rival == nil else { return [] }
        guard !isReceiving, (facts.daemon.value ?? nil) == nil,
            let device = bluetoothd?.devices.first(where: { $0.isNotifying && $0.isConnected })
        else { return .fine(.otherPrograms, "none that uses the same controller") }
        let unknown = facts.programs.filter { $0.controller == .unknown }
        guard unknown.isEmpty else {
            return .note(
                .otherPrograms, of: device.subject,
                "a program has subscribed to its notifications, perhaps "
                    + unknown.map(\.description).listed, why: oneReader,
                remedy: "if notifications are to arrive here, stop that program")
        }
        return .fault(
            .otherPrograms, of: device.subject,
            "an unknown program has subscribed to its notifications", why: oneReader,
            remedy: "stop that program; if there is none, \"bluetoothctl disconnect "
                + "\(device.address)\" removes what it left behind")
    }

    var audio: [Finding] {
        let devices = bluetoothd?.devices ?? []
        return devices.filter {
            $0.isPhone && $0.isConnected && $0.hasAudio && $0.hasResolvedServices
        }
        .map { device in
            .note(
                .audio, of: device.subject, "it is connected for audio too",
                why: "its calls and its sound may play on this machine, and use time on air",
                remedy: "if you do not want that, choose another output on the iPhone, or turn off "
                    + "its audio profiles in the sound settings of this machine")
        }
    }

    // MARK: Where notifications go

    var desktop: [Finding] {
        guard !facts.isSystem else { return [] }
        guard facts.configuration.values.desktop.popups else {
            return .note(
                .desktop, "popups are off", why: "the configuration says so",
                remedy: "write 'popups = true' under [desktop] in \(facts.configuration.path)")
        }
        // What the daemon met with says more than what is there now.
        let failed = sinksOfDaemon.first { $0.name == Self.desktopSink && !$0.status.isWorking }
        if let failed {
            return .fault(
                .desktop,
                failed.status.message.isEmpty ? "it does not work" : failed.status.message,
                why: "the daemon shows no popups",
                remedy: "fix this; \"\(restartDaemon)\" tries again at once")
        }
        switch facts.desktop {
        case .unseen(let reason):
            return .note(
                .desktop, reason, why: "popups need a desktop session",
                remedy: "run 'ancs doctor' in a terminal of the desktop")
        case .seen(let desktop): return server(desktop) + quiet(desktop)
        }
    }

    private func server(_ desktop: Facts.Desktop) -> [Finding] {
        switch desktop.server {
        case .none:
            return .fault(
                .desktop, "no program shows popups (org.freedesktop.Notifications)",
                why: "notifications arrive, but no program shows them",
                remedy:
                    "install a notification server: \"sudo apt install dunst\", and log in again"
            )
        case .startable: return .fine(.desktop, "it starts with the first popup")
        case .running:
            let name = [desktop.name, desktop.version].filter { !$0.isEmpty }
                .map(\.shortened).joined(separator: " ")
            let seen = name.isEmpty ? "running" : name
            guard !desktop.capabilities.contains("actions") else { return .fine(.desktop, seen) }
            return .note(
                .desktop, "\(seen), without buttons",
                why: "a call is shown, but cannot be answered or declined here")
        }
    }

    private func quiet(_ desktop: Facts.Desktop) -> [Finding] {
        switch desktop.isPaused {
        case nil: return []
        case false?: return .fine(.doNotDisturb, "off")
        case true?:
            let isDunst = desktop.name.lowercased() == "dunst"
            return .fault(
                .doNotDisturb, "on", why: "popups are delayed until it is off",
                remedy: isDunst
                    ? "\"dunstctl set-paused false\" shows popups again"
                    : "turn off Do Not Disturb in the desktop's notification settings")
        }
    }

    var history: [Finding] {
        switch facts.history {
        case .unseen(let reason): return .unseen(.history, because: reason)
        case .seen(nil):
            let isOn = facts.configuration.values.history.days > 0
            return .fine(.history, isOn ? "nothing kept yet" : "off")
        case .seen(let history?): return [finding(history)]
        }
    }

    private func finding(_ history: Facts.History) -> Finding {
        let directory = history.path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
        if history.isOpenToOthers || history.isFolderOpenToOthers {
            return .fault(
                .history, of: history.path, "other users of this machine may read it",
                why: "it contains the texts of notifications",
                remedy: history.isOpenToOthers
                    ? "\"chmod 600 \(history.path)\" keeps them out"
                    : "\"chmod 700 \(directory)\" keeps them out")
        }
        if let fault = history.fault {
            return .fault(
                .history, of: history.path, fault, why: "new notifications are not kept",
                remedy: "\"\(restartDaemon)\" sets a damaged file aside and starts a new one")
        }
        return .fine(.history, history.path)
    }

    // MARK: The clock

    /// 2025-01-01T00:00:00Z, in microseconds since 1970. A clock before that is wrong.
    private static let built: Int64 = 1_735_689_600_000_000

    var clock: [Finding] {
        let time = String(facts.clock.now.text.prefix { $0 != "." }) + "Z"
        let why =
            "times of notifications, rules with times of day, and how long notifications are kept depend on it"
        if facts.clock.now.microsecondsSince1970 < Self.built {
            return .fault(
                .clock, time, why: why,
                remedy: "\"sudo timedatectl set-ntp true\" sets it from the network")
        }
        guard facts.clock.isSynchronized != false else {
            return .note(
                .clock, "\(time), not synchronized", why: why,
                remedy: "\"timedatectl status\" says why; it needs the network")
        }
        return .fine(.clock, time)
    }
}

extension Facts.Program {
    /// The program in a finding.
    var description: String { "\(name.shortened) (process \(process))" }
}

extension Facts.Configuration {
    /// A mistake without the path, which the finding has.
    fileprivate func inFile(_ mistake: String) -> String {
        mistake.hasPrefix(path + ":") ? String(mistake.dropFirst(path.count + 1)) : mistake
    }
}
