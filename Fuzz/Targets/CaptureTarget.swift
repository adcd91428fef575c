@testable import Printing
import ANCSService
import BluetoothLE
import CaptureRedaction
import HCITransports
import JSONText
import Octets

@testable import ANCSCommands
@testable import LinuxIO

/// `ancs decode`, from the octets of a file to lines: arbitrary captures, captures with records from a
/// script, and lines of text.
struct CaptureTarget {
    private var input: FuzzInput

    static func run(_ script: [UInt8]) throws {
        var target = Self(input: FuzzInput(script))
        switch target.input.choice(4) {
        case 0: try target.report(target.input.rest())
        case 1: try target.report(ScriptedCapture.header(&target.input) + target.input.rest())
        case 2: try target.explain(target.input.rest())
        default: try target.report(ScriptedCapture.octets(&target.input))
        }
    }

    /// The story of a capture, for people and for programs, must not depend on how the file is divided into
    /// pieces.
    private func report(_ octets: [UInt8]) throws {
        for isJSON in [false, true] {
            let lines = Self.lines(octets, isJSON: isJSON, piece: .max)
            for line in lines { try Self.examine(line, isJSON: isJSON) }
            // A record has 13 octets or more and causes only a few happenings; what is open is reported at
            // the end.
            try check(
                lines.count <= 64 + octets.count, "\(lines.count) lines of \(octets.count) octets")
            let others = Self.lines(octets, isJSON: isJSON, piece: 1 + octets.count / 7)
            try check(lines == others, "the story depends on the pieces of the file")
        }
        try redact(octets)
    }

    /// A redacted capture must have the same packets with the same lengths, and be a capture itself; recorded live too.
    private func redact(_ octets: [UInt8]) throws {
        let (format, records) = Self.packets(octets)
        guard let format else { return }
        var clues = CaptureClues(format)
        for record in records { clues.receive(record) }
        let form = RedactedFile(like: format)
        for clues in [clues, nil] {
            var redactor = CaptureRedactor(format, clues: clues, seed: 1, maximumAge: .seconds(10))
            var (file, count) = (form.header, 0)
            func drain() {
                while let record = redactor.pollOutput() {
                    file += form.octets(of: record)
                    count += 1
                }
            }
            // All but those that say only that strangers advertise.
            var kept: [CaptureReader.Record] = []
            for record in records {
                let strangers = redactor.strangers
                redactor.receive(record)
                if redactor.strangers == strangers { kept.append(record) }
                drain()
            }
            redactor.finish()
            drain()
            try check(count == kept.count, "\(count) packets of \(kept.count)")
            let redacted = Self.packets(file).records
            try check(
                redacted.map(Self.length) == kept.map(Self.length),
                "a redacted packet has another length")
        }
    }

    private static func packets(
        _ octets: [UInt8]
    ) -> (format: CaptureFormat?, records: [CaptureReader.Record]) {
        var reader = CaptureReader()
        var (format, records): (CaptureFormat?, [CaptureReader.Record]) = (nil, [])
        reader.receive(octets)
        reader.finish()
        while let output = reader.pollOutput() {
            switch output {
            case .format(let found): format = found
            case .record(let record): if case .packet = record.content { records.append(record) }
            case .failed: break
            }
        }
        return (format, records)
    }

    private static func length(_ record: CaptureReader.Record) -> Int {
        guard case .packet(let packet, _, let missing) = record.content else { return -1 }
        return packet.encodedCount + missing
    }

    private static func lines(_ octets: [UInt8], isJSON: Bool, piece: Int) -> [String] {
        var story = CaptureStory(json: isJSON)
        var text: [UInt8] = []
        var rest = octets[...]
        while story.failure == nil, !rest.isEmpty {
            text += story.receive(rest.prefix(piece)).text
            rest = rest.dropFirst(piece)
        }
        text += story.finish().text
        _ = story.status
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
        for line in lines { trace(line) }
        return lines
    }

    /// Decodes `ns`, `cp` and `ds` lines.
    private func explain(_ octets: [UInt8]) throws {
        let lines = String(decoding: octets, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for isJSON in [false, true] {
            var command = DecodeCommand(json: isJSON)
            let output = lines.compactMap { command.output(for: $0) }
            for line in output { try Self.examine(line, isJSON: isJSON) }
            try check(
                output.count <= lines.count, "more lines of output than of input")
        }
    }

    private static func examine(_ line: String, isJSON: Bool) throws {
        guard isJSON else { return try TextRules.checkLine(line) }
        try TextRules.checkJSON(line)
        let object = try JSONValue(parsing: line)
        try check(
            (object["event"] ?? object["kind"])?.string != nil,
            "an object that does not say what it is: \(line)")
    }
}

/// The rules for text that people read.
enum TextRules {
    /// The text must be one line that does not move the cursor, hide text or change the direction of writing.
    static func checkLine(_ line: String) throws {
        var slashed = String.UnicodeScalarView()
        for scalar in line.unicodeScalars { slashed.append(scalar == "\\" ? "/" : scalar) }
        try check(
            TerminalText.visible(String(slashed)) == String(slashed),
            "a line that is not safe on a terminal: \(TerminalText.visible(line))")
    }

    /// JSON must be one line that a terminal obeys nothing of. Programs read it, so what is merely invisible
    /// stays in it.
    static func checkJSON(_ line: String) throws {
        let obeyed = line.unicodeScalars.first { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: true
            default: scalar.properties.isBidiControl
            }
        }
        try check(
            obeyed == nil, "JSON that is not safe on a terminal: \(TerminalText.visible(line))")
    }
}
