internal import ANCSService
internal import Glibc
internal import JSONText
internal import LinuxIO

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
            Tells what happened in a capture: btsnoop (Android, BlueZ, 'ancs receive --snoop') or
            PacketLogger of Apple, recognised by content. Or explains values of the ANCS
            characteristics: each line of FILE, or of standard input, is 'ns HEX' (Notification
            Source), 'cp HEX' (Control Point) or 'ds HEX [HEX…]' (Data Source, the answer to the cp
            line before it, in as many fragments as there are).
            """,
        operands: "[FILE|-]", operandCount: 0...1, operandValues: [.file()],
        options: [
            .init("--json", nil, "one JSON object for each line, or for each thing that happened"),
            .help,
        ])

    /// Reads a file, `-` for standard input, as what its first octets show it to be.
    static func run(path: String, isJSON: Bool) -> ExitStatus {
        let file = path == "-" ? stdinDescriptor : open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return unreadable(path) }
        defer { if path != "-" { close(file) } }
        var source = FileOctets(descriptor: file)
        let start = source.peek { start in
            start.count >= 4 && CaptureFormat.recognize(start) != .undecided
                || start.contains(UInt8(ascii: "\n"))
        }
        if source.hasFailed { return unreadable(path) }
        // Text has no octet 0; every capture has one at its beginning.
        let isText = start.isEmpty || CaptureFormat.recognize(start) == .unknown
        return isText && !start.contains(0)
            ? tell(linesOf: &source, path, isJSON: isJSON)
            : tell(captureOf: &source, path, isJSON: isJSON)
    }

    private static func tell(
        linesOf source: inout FileOctets, _ path: String, isJSON: Bool
    ) -> ExitStatus {
        var command = DecodeCommand(json: isJSON)
        var reader = FileLines(source: source)
        while let line = reader.next() {
            guard let output = command.output(for: line) else { continue }
            guard StandardStreams.writeLine(output) else { return .failure }
        }
        return reader.hasFailed ? unreadable(path) : command.status
    }

    private static func tell(
        captureOf source: inout FileOctets, _ path: String, isJSON: Bool
    ) -> ExitStatus {
        var story = CaptureStory(json: isJSON, isColored: StandardStreams.isColored)
        while story.failure == nil, let octets = source.next() {
            let lines = story.receive(octets)
            guard lines.isEmpty || StandardStreams.writeLine(lines.joined(separator: "\n")) else {
                return .failure
            }
        }
        let lines = story.finish()
        guard lines.isEmpty || StandardStreams.writeLine(lines.joined(separator: "\n")) else {
            return .failure
        }
        if source.hasFailed { return unreadable(path) }
        if let failure = story.failure {
            let name = path == "-" ? "standard input" : TerminalText.visible(path)
            StandardStreams.writeError("ancs: \(name): \(failure.text)")
        }
        return story.status
    }

    private static func unreadable(_ path: String) -> ExitStatus {
        let reason = String(cString: strerror(errno))
        StandardStreams.writeError("ancs: cannot read \(TerminalText.visible(path)): \(reason)")
        return .usage
    }

    private static var stdinDescriptor: CInt { STDIN_FILENO }
}
