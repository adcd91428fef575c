import CommandKit
import DeviceCommandKit
@testable import Printing
import ANCSService
import BluetoothLE

@testable import ANCS
@testable import ANCSCommands

/// Text that people type or read.
enum TextDecoders {
    /// Text received over the air must be safe for a terminal and fit its place.
    static func terminalText(_ octets: [UInt8]) throws {
        var input = FuzzInput(octets)
        let width = input.number(in: 1...80)
        let rest = input.rest()
        let text = UTF8Text.repaired(rest)
        let shown = TerminalText.visible(text)
        try TextRules.checkLine(shown)
        try check(
            TerminalText.width(of: TerminalText.clipped(shown, to: width)) <= width,
            "a clipped text is wider than it may be")
        let lines = TerminalText.wrapped(shown, to: width, limit: 5)
        try check(lines.count <= 5, "a text has \(lines.count) lines")
        for line in lines {
            try check(
                TerminalText.width(of: line) <= max(width, 2), "a line is wider than it may be")
        }
        let kept = UTF8Text.withoutDirections(rest)
        try check(
            UTF8Text.withoutDirections(kept) == kept, "a text without directions still has some")
        _ = UTF8Text.endsWithinCharacter(rest)
    }

    /// Keys typed at a prompt.
    static func lineEditor(_ octets: [UInt8]) throws {
        var input = FuzzInput(octets)
        let columns = input.octet()
        var editor = LineEditor()
        for octet in input.rest() {
            switch editor.receive(octet) {
            case .complete:
                _ = editor.complete(with: ["post", "pair", "modify", "title="])
            case .submit(let line): _ = try? PromptCommands.parse(line) { $0 }
            case .redraw, .clear, .end, nil: break
            }
            try check((0...editor.text.count).contains(editor.cursor), "the cursor is off the line")
            try check(editor.text.count <= 1000, "a line of \(editor.text.count) characters")
        }
        _ = editor.display(prompt: "phone> ", columns: Int(columns))
        try TextRules.checkLine(editor.shown)
    }

    /// A command at a prompt, with quoted words.
    static func prompt(_ octets: [UInt8]) throws {
        let line = String(decoding: octets, as: UTF8.self)
        _ = PromptCommands.candidates(after: (try? PromptWords.split(line)) ?? [])
        do throws(PromptFault) { _ = try PromptCommands.parse(line) { $0 } } catch let fault {
            try check(!fault.message.isEmpty, "a fault without words")
        }
        let words = try PromptWords.split(PromptWords.quoted(line))
        try check(words == [line], "a word in quotes is read as \(words)")
    }

    /// The description of a characteristic's value.
    static func value(_ octets: [UInt8]) throws {
        var input = FuzzInput(octets)
        let uuid = BluetoothUUID(input.number(UInt16.self))
        try TextRules.checkLine(ValueText.text(of: input.rest(), uuid))
    }

    /// The words after the name of a command.
    static func commandLine(_ octets: [UInt8]) throws {
        let words = String(decoding: octets, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        do throws(CommandSyntax.UsageError) {
            let arguments = try ReceiveOptions.syntax.parse(words)
            _ = try ReceiveOptions(arguments, environment: [:])
        } catch {
            try check(!error.message.isEmpty, "a fault without words")
        }
    }
}
