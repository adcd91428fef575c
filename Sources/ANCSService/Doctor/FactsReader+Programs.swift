internal import Glibc
internal import LinuxIO

/// The running programs that use ANCS, by their command lines, which /proc has for all users.
extension FactsReader {
    /// Other projects that receive notifications of iPhones through bluetoothd.
    private static let others = ["ancs4linux", "ancs-bridge", "blueferry"]

    var programs: [Facts.Program] {
        SystemFile.names(in: places.processes).compactMap { Int($0) }
            .filter { $0 != Int(getpid()) }.sorted()
            .compactMap { number in
                SystemFile.line(of: "\(places.processes)/\(number)/cmdline")
                    .flatMap {
                        Self.program(number, words: $0.split(separator: "\0").map(String.init))
                    }
            }
    }

    /// The program with a command line; `nil` if it does not use ANCS.
    static func program(_ number: Int, words: [String]) -> Facts.Program? {
        guard let first = words.first else { return nil }
        let name = lastComponent(first)
        if name == "ancs", words.count > 1 {
            let kind: Facts.Program.Kind
            switch words[1] {
            case "serve": kind = .daemon
            case "receive": kind = .receiver
            case _: return nil
            }
            let hasController = words.contains { $0 == "--hci" || $0.hasPrefix("--hci=") }
            return Facts.Program(
                process: number, name: "ancs \(words[1])", kind: kind,
                usesBluetoothd: !hasController)
        }
        // The script of an interpreter is its first argument.
        let script = name.hasPrefix("python") ? words.dropFirst().first.map(lastComponent) : nil
        let names = [name, script ?? ""]
        guard let other = names.first(where: { name in others.contains { name.hasPrefix($0) } })
        else { return nil }
        return Facts.Program(process: number, name: other, kind: .other)
    }

    private static func lastComponent(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}
