internal import Glibc
internal import LinuxIO

/// The running programs that use ANCS, by their command lines, which /proc has for all users.
extension FactsReader {
    var programs: [Facts.Program] {
        SystemFile.names(in: places.processes).compactMap { Int($0) }
            .filter { $0 != Int(getpid()) }.sorted(byNumber: { UInt64(clamping: $0) })
            .compactMap { RunningProgram($0, in: places.processes)?.program }
    }
}

/// A process, as far as /proc shows it: proc(5).
private struct RunningProgram {
    /// Other projects that receive notifications of iPhones through bluetoothd.
    private static let others = ["ancs4linux", "ancs-bridge", "blueferry"]

    private let number: Int
    private let directory: String
    /// Its command line.
    private let words: [String]
    private let name: String

    /// `nil` if it is not a program with a command line.
    init?(_ number: Int, in processes: String) {
        self.number = number
        directory = "\(processes)/\(number)"
        guard let line = try? SystemFile.octets(of: directory + "/cmdline") else { return nil }
        words = Self.strings(line)
        guard let first = words.first else { return nil }
        name = Self.lastComponent(first)
    }

    /// `nil` if it does not use ANCS.
    var program: Facts.Program? {
        if name == "ancs", words.count > 1 {
            switch words[1] {
            case "serve": return program("ancs serve", .daemon, daemonController)
            case "receive": return program("ancs receive", .receiver, receiverController)
            case "demo" where words.contains("--desktop"):
                return program("ancs demo --desktop", .demo, .own("virtual"))
            case _: return nil
            }
        }
        // The script of an interpreter is its first argument.
        let script =
            name.hasPrefix("python") ? words.dropFirst().first.map(Self.lastComponent) : nil
        let names = [name, script ?? ""]
        let other = names.first { name in Self.others.contains { name.hasPrefix($0) } }
        return other.flatMap { program($0, .other, .bluetoothd("any")) }
    }

    private func program(
        _ name: String, _ kind: Facts.Program.Kind, _ controller: Facts.Controller
    ) -> Facts.Program {
        Facts.Program(
            process: number, name: name, kind: kind,
            controller: isContained ? .unknown : controller, isOwn: isOwn)
    }

    // MARK: Its controller

    /// The environment takes effect without `--hci`; that of another user cannot be read.
    private var receiverController: Facts.Controller {
        if let adapter = option("--bluez") { return .bluetoothd(adapter) }
        if let moniker = option("--hci") { return .own(moniker) }
        guard let environment else { return .unknown }
        return environment["ANCS_HCI"].map { .own($0) } ?? .bluetoothd("any")
    }

    /// A file that a program of another user names is not opened: it may be a device, or on a file system that
    /// never answers.
    private var daemonController: Facts.Controller {
        let named = option("--config")
        guard let path = named.map(absolute) ?? defaultConfiguration,
            isOwn || path == ServiceConfiguration.systemPath,
            let configuration = try? ServiceConfiguration(file: path, mustExist: named != nil)
        else { return .unknown }
        return Facts.Controller(configuration)
    }

    private var defaultConfiguration: String? {
        guard !words.contains("--system") else { return ServiceConfiguration.systemPath }
        return environment.flatMap { ServiceConfiguration.userPath(environment: $0) }
    }

    private func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(directory)/cwd/\(path)"
    }

    /// The value of an option: `--config FILE` or `--config=FILE`.
    private func option(_ name: String) -> String? {
        for (index, word) in words.enumerated() {
            if word == name { return index + 1 < words.count ? words[index + 1] : nil }
            if word.hasPrefix(name + "=") { return String(word.dropFirst(name.utf8.count + 1)) }
        }
        return nil
    }

    // MARK: Its process

    /// `nil` if this user may not read it.
    private var environment: [String: String]? {
        guard let octets = try? SystemFile.octets(of: directory + "/environ") else { return nil }
        let pairs = Self.strings(octets).compactMap { entry -> (String, String)? in
            guard let sign = entry.firstIndex(of: "=") else { return nil }
            return (String(entry[..<sign]), String(entry[entry.index(after: sign)...]))
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// Whether its effective user is this one.
    private var isOwn: Bool {
        let fields = status("Uid")
        return fields.count > 1 && uid_t(fields[1]) == getuid()
    }

    /// Whether it runs in a container: a process in a deeper PID namespace has a number in each. Its adapters
    /// and files need not be those of this machine.
    private var isContained: Bool { status("NSpid").count > 1 }

    private func status(_ name: String) -> [Substring] {
        guard let octets = try? SystemFile.octets(of: directory + "/status") else { return [] }
        let line = String(decoding: octets, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix(name + ":") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().map { $0 } ?? []
    }

    private static func strings(_ octets: [UInt8]) -> [String] {
        octets.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func lastComponent(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}
