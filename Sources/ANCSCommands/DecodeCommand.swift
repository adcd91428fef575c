internal import Glibc
internal import JSONText

/// `ancs decode`: explains the values of the three characteristics, a line of output for each line of
/// input.
struct DecodeCommand {
    private let isJSON: Bool
    private var decoder = LineDecoder()
    /// How the run ends: ``ExitStatus/failure`` as soon as a line was in error.
    private(set) var status = ExitStatus.success

    /// A run that has read nothing.
    init(json: Bool) {
        isJSON = json
    }

    /// The line of output for a line of input; `nil` for blank lines and comments.
    mutating func output(for line: String) -> String? {
        guard let object = decoder.decode(line) else { return nil }
        if object["error"] != nil { status = .failure }
        return isJSON ? object.text : DecodedText.line(object)
    }

    /// A whole run.
    static func run(
        lines: some Sequence<String>, json: Bool
    ) -> (output: [String], status: ExitStatus) {
        var command = DecodeCommand(json: json)
        let output = lines.compactMap { command.output(for: $0) }
        return (output, command.status)
    }
}

// The command line.
extension DecodeCommand {
    static let syntax = CommandSyntax(
        command: "decode",
        summary: """
            Explains values of the ANCS characteristics. Each line of FILE, or of standard input, is
            'ns HEX' (Notification Source), 'cp HEX' (Control Point) or 'ds HEX [HEX…]' (Data Source,
            the answer to the cp line before it, in as many fragments as there are).
            """,
        operands: "[FILE|-]", operandCount: 0...1,
        options: [
            .init("--json", nil, "one JSON object for each line"),
            .init("--help", nil, "this text"),
        ])

    /// Reads a file, `-` for standard input, line by line.
    static func run(path: String, isJSON: Bool) -> ExitStatus {
        let file = path == "-" ? stdinDescriptor : open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return unreadable(path) }
        defer { if path != "-" { close(file) } }
        var command = DecodeCommand(json: isJSON)
        var reader = FileLines(descriptor: file)
        while let line = reader.next() {
            guard let output = command.output(for: line) else { continue }
            guard StandardStreams.writeLine(output) else { return unwritable() }
        }
        return reader.hasFailed ? unreadable(path) : command.status
    }

    private static func unwritable() -> ExitStatus {
        let reason = String(cString: strerror(errno))
        StandardStreams.writeError("ancs: cannot write: \(reason)")
        return .failure
    }

    private static func unreadable(_ path: String) -> ExitStatus {
        let reason = String(cString: strerror(errno))
        StandardStreams.writeError("ancs: cannot read \(TerminalText.visible(path)): \(reason)")
        return .usage
    }

    private static var stdinDescriptor: CInt { STDIN_FILENO }
}

/// The lines of a file, read as they are needed. A line may be of any length that fits into memory.
private struct FileLines {
    private let descriptor: CInt
    private var octets: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    /// The file could not be read to its end; `errno` says why.
    private(set) var hasFailed = false

    init(descriptor: CInt) { self.descriptor = descriptor }

    mutating func next() -> String? {
        var searched = start
        while true {
            if let end = octets[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return text(upTo: end)
            }
            searched = octets.count
            guard !isAtEnd else {
                guard start < octets.count else { return nil }
                defer { start = octets.count }
                return text(upTo: octets.count)
            }
            searched -= start
            octets.removeFirst(start)
            start = 0
            readMore()
        }
    }

    private func text(upTo end: Int) -> String {
        var line = octets[start..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return String(decoding: line, as: UTF8.self)
    }

    private mutating func readMore() {
        var part = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptor, &part, part.count)
        if count < 0, errno == EINTR { return }
        hasFailed = count < 0
        isAtEnd = count <= 0
        if count > 0 { octets += part[..<count] }
    }
}
