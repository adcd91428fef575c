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
