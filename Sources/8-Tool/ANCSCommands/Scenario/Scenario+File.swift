internal import AccessoryConformance
internal import CommandKit
internal import Glibc

extension Scenario {
    /// Reads the scenario that a word of a command line means: the one in a file, `-` for standard input, or where
    /// there is no such file the one of the package with this name.
    init(meantBy word: String) throws(CommandSyntax.UsageError) {
        do throws(ScenarioError) {
            if Self.isFile(word) {
                try self.init(contentsOf: word)
            } else {
                try self.init(named: word)
            }
        } catch {
            switch error {
            case .invalid: throw .init(mistakes: error.lines)
            case .unreadable: throw .init(message: error.message)
            case .unknownName:
                let advice = Self.name(near: word).map { "did you mean '\($0)'?" }
                throw .init(
                    message: "'\(word)' is neither a file nor the name of a scenario; "
                        + (advice ?? "'ancs bench --list' lists the names"))
            }
        }
    }

    /// Whether there is a file. A directory such as `faults` is none.
    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        guard path != "-" else { return true }
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
    }

    /// The name that was probably meant: by the path of a file of the package's sources, by the last part of a name, or
    /// by letters.
    private static func name(near word: String) -> String? {
        let stem = word.hasSuffix(".json") ? String(word.dropLast(5)) : word
        let parts = stem.split(separator: "/").map(String.init)
        guard let last = parts.last else { return nil }
        let pair = parts.suffix(2).joined(separator: "/")
        if let name = names.first(where: { $0 == pair || $0 == last }) { return name }
        let lasts = names.map { String($0.split(separator: "/").last ?? "") }
        let near = NearestWord.of(pair, in: names) ?? NearestWord.of(last, in: lasts)
        return near.flatMap { near in names.first { $0 == near || $0.hasSuffix("/" + near) } }
    }
}
