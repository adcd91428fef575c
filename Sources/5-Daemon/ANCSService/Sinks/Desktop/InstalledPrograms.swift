internal import Glibc
internal import LinuxIO

/// The programs of this machine that stand for apps of the phone, found by their desktop entries. Desktop Entry
/// Specification, Desktop Menu Specification.
struct InstalledPrograms: Equatable, Sendable {
    /// A program that is installed.
    struct Program: Equatable, Sendable {
        /// The file of its desktop entry.
        var entry: String
        /// The icon that the entry names.
        var icon: String?
    }

    private var programs: [String: Program] = [:]
    /// The command that opens a desktop entry, to which the entry is added; `nil` if there is none.
    private var opener: [String]?

    /// None: nothing is opened.
    init() {}

    /// Those in these folders, which have a folder `applications`.
    init(in folders: [String], _ search: ProgramSearch) {
        if search.fault(of: "gio") == nil { opener = ["gio", "launch"] }
        guard opener != nil else { return }
        for identifier in AppFace.identifiers {
            programs[identifier] =
                AppFace.of(identifier)?.programs.lazy
                .flatMap { name in folders.map { "\($0)/applications/\(name).desktop" } }
                .compactMap { Self.program(of: $0) }.first
        }
    }

    /// Those of this process's user and of the machine.
    static var ofThisProcess: InstalledPrograms {
        func variable(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        let home = variable("XDG_DATA_HOME") ?? variable("HOME").map { "\($0)/.local/share" }
        let shared = variable("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share"
        let folders = ([home].compactMap { $0 }) + shared.split(separator: ":").map(String.init)
        return InstalledPrograms(in: folders.filter { $0.hasPrefix("/") }, .ofThisProcess)
    }

    subscript(identifier: String) -> Program? { programs[identifier] }

    /// The command that opens the program for an app; `nil` if none is installed.
    func command(for identifier: String) -> [String]? {
        guard let opener, let program = programs[identifier] else { return nil }
        return opener + [program.entry]
    }

    /// The program of a desktop entry; `nil` if there is no such file.
    private static func program(of entry: String) -> Program? {
        guard let octets = try? SystemFile.octets(of: entry) else { return nil }
        // The first group is that of the program.
        let line = String(decoding: octets, as: UTF8.self).split(whereSeparator: \.isNewline)
            .first { $0.hasPrefix("Icon=") }
        let icon = line.map { String($0.dropFirst(5)) }.flatMap { $0.isEmpty ? nil : $0 }
        return Program(entry: entry, icon: icon)
    }
}
