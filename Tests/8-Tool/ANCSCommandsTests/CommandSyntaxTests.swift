import Testing
import Kinds

@testable import CommandKit

/// How a command line is read, whatever the command.
@Suite struct CommandSyntaxTests {
    static let syntax = CommandSyntax(
        command: "try", summary: "Tries.", operands: "[FILE]", operandCount: 0...1,
        options: [
            .init("--number", .text("N"), "a number"), .init("--wait", .text("S"), "seconds"),
            .init("--flag", nil, "a flag"), .help,
        ])

    /// What is wrong with a command line, or `nil`.
    private func fault(_ words: String...) -> String? {
        do throws(CommandSyntax.UsageError) {
            _ = try Self.syntax.parse(words)
            return nil
        } catch { return error.message }
    }

    @Test(
        "options may precede or follow operands; their values follow a space or an equals sign")
    func forms() throws {
        for words in [
            ["--number", "7", "--flag", "file"], ["file", "--flag", "--number=7"],
            ["--number", "1", "--number", "7", "file", "--flag", "--flag"],
        ] {
            let arguments = try Self.syntax.parse(words)
            #expect(arguments["--number"] == "7")
            #expect(arguments.has("--flag"))
            #expect(arguments.operands == ["file"])
            #expect(arguments["--wait"] == nil)
        }
    }

    @Test("a value may be empty, begin with a hyphen or hold an equals sign")
    func oddValues() throws {
        #expect(try Self.syntax.parse(["--number="])["--number"] == "")
        #expect(try Self.syntax.parse(["--number=a=b"])["--number"] == "a=b")
        #expect(try Self.syntax.parse(["--number", "--flag"])["--number"] == "--flag")
    }

    @Test("a hyphen alone is an operand, and so is everything after two")
    func operands() throws {
        #expect(try Self.syntax.parse(["-"]).operands == ["-"])
        #expect(try Self.syntax.parse(["--", "--flag"]).operands == ["--flag"])
        #expect(try Self.syntax.parse([""]).operands == [""])
    }

    @Test("an invalid command line is reported in one sentence")
    func faults() {
        let list = "; 'ancs try --help' lists them"
        #expect(fault("--nonsense") == "'--nonsense' is not an option of 'ancs try'" + list)
        #expect(fault("--nonsense=1") == "'--nonsense' is not an option of 'ancs try'" + list)
        #expect(fault("-f") == "'-f' is not an option of 'ancs try'" + list)
        #expect(fault("--number") == "--number needs a value: N")
        #expect(fault("--flag=yes") == "--flag takes no value")
        #expect(fault("a", "b") == "unexpected 'b'; usage: ancs try [options] [FILE]")
        #expect(fault("a") == nil)
    }

    @Test(
        "an option that was nearly right is suggested",
        arguments: ["--nubmer", "--numbers=7", "-number", "--Number"])
    func suggestion(word: String) {
        #expect(fault(word)?.hasSuffix("; did you mean '--number'?") == true)
    }

    @Test("a missing operand is reported")
    func missingOperand() throws {
        var syntax = Self.syntax
        syntax.operandCount = 1...1
        let error = #expect(throws: CommandSyntax.UsageError.self) { try syntax.parse([]) }
        #expect(error?.message == "missing argument; usage: ancs try [options] [FILE]")
    }

    @Test("a number is whole and in its range", arguments: ["0", "11", "1.5", "x", "", " 5", "٣"])
    func wrongNumbers(text: String) throws {
        let arguments = try Self.syntax.parse(["--number", text])
        let error = #expect(throws: CommandSyntax.UsageError.self) {
            try arguments.value("--number", .integer(in: 1...10))
        }
        #expect(error?.message == "--number takes a whole number from 1 to 10, not '\(text)'")
    }

    @Test("numbers at the limits of their range are accepted")
    func numbers() throws {
        for (text, value) in [("1", 1), ("10", 10)] {
            let arguments = try Self.syntax.parse(["--number", text])
            #expect(try arguments.value("--number", .integer(in: 1...10)) == value)
        }
        #expect(try Self.syntax.parse([]).value("--number", .integer(in: 1...10)) == nil)
    }

    @Test(
        "seconds are more than none", arguments: ["0", "-1", "nan", "inf", "1e10", "x", "", "1s"])
    func wrongSeconds(text: String) throws {
        let arguments = try Self.syntax.parse(["--wait=\(text)"])
        let error = #expect(throws: CommandSyntax.UsageError.self) {
            try arguments.value("--wait", .someSeconds)
        }
        #expect(error?.message == "--wait takes a number of seconds above 0, not '\(text)'")
    }

    @Test("seconds may have a fraction")
    func seconds() throws {
        #expect(
            try Self.syntax.parse(["--wait=0.5"]).value("--wait", .someSeconds)
                == .milliseconds(500))
        #expect(try Self.syntax.parse([]).value("--wait", .someSeconds) == nil)
    }

    @Test("two options with one file are refused if one of them would write it")
    func sameFile() {
        let syntax = CommandSyntax(
            command: "try", summary: "Tries.", operands: "[FILE ...]", operandCount: 0...9,
            operandValues: [.file()],
            options: [
                .init("--report", .file(), "writes", isWritten: true),
                .init("--junit", .file(), "writes too", isWritten: true),
                .init("--scenario", .file(), "reads"), .init("--state", .directory, "a folder"),
            ])
        func fault(_ words: String...) -> String? {
            do throws(CommandSyntax.UsageError) { _ = try syntax.parse(words) } catch {
                return error.message
            }
            return nil
        }
        #expect(
            fault("--report", "a", "--junit", "./a")
                == "--report and --junit name the same file, ./a: each needs one of its own")
        #expect(fault("--scenario", "a", "--junit", "a") != nil)
        #expect(fault("--report", "b", "a", "b") != nil, "an operand would be overwritten")
        #expect(fault("--report", "a", "--junit", "b") == nil)
        #expect(fault("--report", "a", "--report", "b", "--junit", "a") == nil)
        #expect(fault("--scenario", "a", "a", "a") == nil, "what is read may be read again")
        #expect(fault("--report", "/dev/null", "--junit", "/dev/null") == nil)
        #expect(fault("--report", "-", "-") == nil, "'-' is standard input")
    }

    @Test("--help needs no operands")
    func helpAlone() throws {
        var syntax = Self.syntax
        syntax.operandCount = 1...1
        #expect(try syntax.parse(["--help"]).has("--help"))
        #expect(try syntax.parse(["-h"]).has("--help"))
        #expect(throws: CommandSyntax.UsageError.self) { try syntax.parse(["--flag"]) }
    }

    @Test("the help text of an option is wrapped and aligned")
    func wrappedHelp() {
        let syntax = CommandSyntax(
            command: "try", summary: "Tries.", operands: "[FILE]",
            options: [
                .init("--number", .text("N"), "a number that is explained in more words than fit"),
                .help,
            ])
        #expect(
            syntax.help(width: 44) == """
                usage: ancs try [options] [FILE]

                Tries.

                  --number N  a number that is explained in
                              more words than fit
                  -h, --help  print this text

                """)
    }

    @Test("the help names every option, aligned")
    func help() {
        #expect(
            Self.syntax.help() == """
                usage: ancs try [options] [FILE]

                Tries.

                  --number N  a number
                  --wait S    seconds
                  --flag      a flag
                  -h, --help  print this text

                """)
    }
}
