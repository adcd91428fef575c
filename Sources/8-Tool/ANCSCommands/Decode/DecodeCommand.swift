internal import ANCSCapture
internal import BluetoothTypes
internal import CommandKit
internal import Glibc
internal import HCITransports

/// `ancs decode`: explains values of the three characteristics, one line of output for each line of input.
struct DecodeCommand {
    private let isJSON: Bool
    private var decoder = LineDecoder()
    /// The exit status of the run: ``ExitStatus/failure`` once a line was in error.
    private(set) var status = ExitStatus.success

    /// Creates a run that has read nothing.
    init(json: Bool) { isJSON = json }

    /// The line of output for a line of input; `nil` for blank lines and comments.
    mutating func output(for line: String) -> String? {
        guard let object = decoder.decode(line) else { return nil }
        if object["error"] != nil { status = .failure }
        return isJSON ? object.text : DecodedText.line(object)
    }
}

// The command line.
extension DecodeCommand {
    static let syntax = CommandSyntax(
        command: "decode",
        summary: """
            Explains a capture: btsnoop (Android, BlueZ, 'ancs receive --snoop'), Apple's PacketLogger,
            pcap (tcpdump, idevicebtlogger) or pcapng (Wireshark), recognized by their content. Or
            explains values of the ANCS characteristics: each line of FILE, or of standard input, is
            'ns HEX' (Notification Source), 'cp HEX' (Control Point) or 'ds HEX [HEX…]' (Data Source:
            the answer to the cp line before it, one HEX for each fragment). HEX is as tools print it:
            0010, 00-10, 00:10 or 0x00, 0x10.
            """,
        operands: "[FILE|-]", operandCount: 0...1, operandValues: [.file()],
        options: [
            .init(
                "--json", nil,
                "JSON Lines on standard output: an object for each line, or for each event of a capture"
            ),
            .init(
                "--grade", .word("WHAT", ["link"]),
                "link: judge all links by Apple's requirements; without it those on which a device acts as Apple's"
            ),
            .init(
                "--redact", .file("FILE"),
                "writes FILE, the same capture to send to others: no text, name, address or key is in it"
            ),
            .init(
                "--scenario", .file("FILE"),
                "writes FILE, a scenario of what the phone did, for 'ancs phone', 'bench' and 'demo'; it has the texts"
            ),
            .init(
                "--as-test", nil,
                "what the accessory did is expected in the scenario"),
            .init(
                "--seed", .text("N"),
                "of what stands for addresses and keys in FILE (default: 1)"),
            .init(
                "--device", .text("ADDRESS"),
                "a device without a link whose advertising stays in FILE; that of others does not"),
            .help,
        ])

    /// What `--redact` asks for; `nil` without it.
    static func redaction(
        _ arguments: CommandSyntax.Arguments
    ) throws(CommandSyntax.UsageError) -> RedactCommand? {
        guard let output = arguments["--redact"] else {
            if let other = ["--seed", "--device"].first(where: { arguments[$0] != nil }) {
                throw .init(message: "\(other) needs --redact")
            }
            return nil
        }
        guard !arguments.has("--grade") else {
            throw .init("--redact and --grade exclude each other: grade the file that it writes")
        }
        let word = arguments["--seed"] ?? "1"
        guard let seed = UInt64(word) else {
            throw .init(message: "--seed takes a number, not '\(TerminalText.visible(word))'")
        }
        let named = arguments["--device"]
        let device = named.flatMap { DeviceAddress(text: $0, kind: .public) }
        guard named == nil || device != nil else {
            throw .init(message: "--device takes an address such as C0:FF:EE:01:02:03")
        }
        return RedactCommand(
            capture: arguments.operands.first ?? "-", output: output, seed: seed,
            isJSON: arguments.has("--json"), device: device)
    }

    /// What `--scenario` asks for; `nil` without it.
    static func scenario(
        _ arguments: CommandSyntax.Arguments
    ) throws(CommandSyntax.UsageError) -> ScenarioCommand? {
        guard let output = arguments["--scenario"] else {
            guard !arguments.has("--as-test") else {
                throw .init(message: "--as-test needs --scenario")
            }
            return nil
        }
        if let other = ["--redact", "--grade"].first(where: arguments.has) {
            throw .init(message: "--scenario and \(other) exclude each other")
        }
        return ScenarioCommand(
            capture: arguments.operands.first ?? "-", output: output,
            expectsAccessory: arguments.has("--as-test"), isJSON: arguments.has("--json"))
    }

    /// Whether all links are to be judged.
    static func judgesAllLinks(
        _ arguments: CommandSyntax.Arguments
    ) throws(CommandSyntax.UsageError) -> Bool {
        guard let word = arguments["--grade"] else { return false }
        guard word == "link" else {
            throw .init(message: "--grade takes link, not '\(TerminalText.visible(word))'")
        }
        return true
    }

    /// Decodes a file, `-` being standard input, as lines or as a capture, depending on its first octets.
    static func run(path: String, isJSON: Bool, judgesAllLinks: Bool = false) async -> ExitStatus {
        let file = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return unreadable(path) }
        defer { if path != "-" { close(file) } }
        var source = FileOctets(descriptor: file)
        let start = source.peek { start in
            start.count >= 4 && CaptureFormat.recognize(start) != .undecided
                || start.contains(UInt8(ascii: "\n"))
        }
        if source.hasFailed { return unreadable(path) }
        guard !start.isEmpty else { return empty(path) }
        // Text contains no octet 0; every capture has one near its beginning.
        let isText = CaptureFormat.recognize(start) == .unknown
        return isText && !start.contains(0)
            ? report(linesOf: &source, path, isJSON: isJSON)
            : await report(captureOf: &source, path, isJSON: isJSON, judgesAllLinks)
    }

    private static func report(
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

    /// How many pages may be formatted at the same time.
    private static var pageLimit: Int { 4 }

    private static func report(
        captureOf source: inout FileOctets, _ path: String, isJSON: Bool, _ judgesAllLinks: Bool
    ) async -> ExitStatus {
        var story = CaptureStory(
            json: isJSON, isColored: StandardStreams.isColored, judgesAllLinks: judgesAllLinks)
        // The capture is followed in this task, record by record; other tasks format what it shows.
        var pages = Queue<Task<Bool, Never>>()
        var last: Task<Bool, Never>?
        while story.failure == nil, let octets = source.next() {
            if pages.count == pageLimit, let first = pages.popFirst() {
                guard await first.value else { return .failure }
            }
            let (page, before) = (story.receive(octets), last)
            let writing = Task.detached {
                let text = page.text
                guard await before?.value ?? true else { return false }
                return StandardStreams.write(lines: text)
            }
            pages.append(writing)
            last = writing
        }
        guard await last?.value ?? true, StandardStreams.write(lines: story.finish().text) else {
            return .failure
        }
        if source.hasFailed { return unreadable(path) }
        if let failure = story.failure {
            StandardStreams.writeError("ancs: \(name(path)): \(Self.message(failure))")
        }
        return story.status
    }

    /// What else the command reads is said if it is not a capture.
    private static func message(_ failure: CaptureReader.Failure) -> String {
        guard case .unknownFormat = failure.reason else { return failure.message }
        return "unknown format: 'ancs decode' reads btsnoop, PacketLogger, pcap, pcapng, and lines "
            + "'ns HEX', 'cp HEX', 'ds HEX'; unpack a compressed file first"
    }

    private static func name(_ path: String) -> String {
        path == "-" ? "standard input" : TerminalText.visible(path)
    }

    /// A file without an octet is a capture that did not come about; a pipeline may find nothing to decode.
    private static func empty(_ path: String) -> ExitStatus {
        StandardStreams.writeError("ancs: \(name(path)) is empty: there is nothing to decode")
        return path == "-" ? .success : .failure
    }

    /// Says that a file cannot be read, and why.
    static func unreadable(_ path: String) -> ExitStatus {
        let reason = String(cString: strerror(errno))
        StandardStreams.writeError("ancs: cannot read \(TerminalText.visible(path)): \(reason)")
        return .usage
    }
}
