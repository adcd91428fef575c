import Foundation
import Testing

/// A recording in `Tests/Goldens` of what a command prints: what a change of the output is compared with.
///
/// With `ANCS_WRITE_GOLDENS` in the environment the tests write the recordings instead of comparing. Its value
/// is `1` for those of the tree, or a folder, which then gets every run in full.
struct Golden {
    /// The place below the folder of recordings, `phone/conformance.txt` for example.
    let name: String

    private enum Mode {
        case compare
        case write
        case writeAll(folder: URL)
    }

    private static let mode: Mode =
        switch ProcessInfo.processInfo.environment["ANCS_WRITE_GOLDENS"] {
        case nil, "": .compare
        case "1": .write
        case let folder?: .writeAll(folder: URL(filePath: folder))
        }

    /// Whether all forms of every run are written, those too that the tree does not have.
    static var writesAll: Bool {
        if case .writeAll = mode { return true }
        return false
    }

    /// The root of the project.
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../..").standardizedFileURL

    /// The path of a file of the project.
    static func path(_ path: String) -> String { root.appending(path: path).path() }

    /// The paths of all files below a folder of the project, in order.
    static func files(under folder: String) -> [String] {
        let manager = FileManager.default
        let paths = manager.enumerator(atPath: path(folder))?.compactMap { $0 as? String } ?? []
        return paths.filter { name in
            var isFolder: ObjCBool = false
            let exists = manager.fileExists(
                atPath: path("\(folder)/\(name)"), isDirectory: &isFolder)
            return exists && !isFolder.boolValue
        }.sorted()
    }

    /// The names of the recordings of the tree.
    static var recorded: [String] { files(under: "Tests/Goldens") }

    /// The recordings of the tree.
    static let folder = root.appending(path: "Tests/Goldens")

    /// Compares lines with the recording, or records them.
    func check(
        _ lines: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let lines = lines.map(Self.visible)
        switch Self.mode {
        case .compare: compare(lines, sourceLocation)
        case .write: try write(lines, in: Self.folder)
        case .writeAll(let folder): try write(lines, in: folder)
        }
    }

    private func write(_ lines: [String], in folder: URL) throws {
        let place = folder.appending(path: name)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        let text = lines.map { $0 + "\n" }.joined()
        try text.write(to: place, atomically: true, encoding: .utf8)
    }

    private func compare(_ lines: [String], _ sourceLocation: SourceLocation) {
        guard let text = try? String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
        else {
            Issue.record(
                "there is no recording \(name); \(Self.advice)", sourceLocation: sourceLocation)
            return
        }
        var recorded = text.split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
        // The last line ends with a newline too.
        if recorded.last == "" { recorded.removeLast() }
        guard let difference = Self.difference(recorded: recorded, printed: lines) else { return }
        Issue.record(
            "Tests/Goldens/\(name):\(difference)\n\(Self.advice)", sourceLocation: sourceLocation)
    }

    /// The first line that differs, with its number, as it was recorded and as it was printed.
    static func difference(recorded: [String], printed: [String]) -> String? {
        let count = max(recorded.count, printed.count)
        for index in 0..<count {
            let old = index < recorded.count ? recorded[index] : nil
            let new = index < printed.count ? printed[index] : nil
            guard old != new else { continue }
            return """
                \(index + 1)
                recorded  \(old ?? "(no more lines)")
                printed   \(new ?? "(no more lines)")
                """
        }
        return nil
    }

    private static let advice = """
        if the change is wanted, record it, and read the diff: ANCS_WRITE_GOLDENS=1 \
        ANCS_ONLY=ANCSCommandsTests swift test --disable-xctest --filter GoldenTests
        """

    /// A line as a text file can hold it: escapes of a terminal are visible.
    private static func visible(_ line: String) -> String {
        line.replacing("\u{1B}", with: "␛").replacing("\r", with: "␍").replacing("\n", with: "␊")
    }
}

/// A number that depends on every octet of a text: 32 bits of FNV-1a.
func checksum(of lines: [String]) -> String {
    var sum: UInt32 = 0x811c_9dc5
    for octet in lines.joined(separator: "\n").utf8 {
        sum = (sum ^ UInt32(octet)) &* 0x0100_0193
    }
    let text = String(sum, radix: 16)
    return String(repeating: "0", count: 8 - text.count) + text
}
