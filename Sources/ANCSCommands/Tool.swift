internal import Glibc

/// The tool: finds the command and runs it.
public enum Tool: Sendable {
    /// Carries out a command line, without the name of the program; returns the exit status.
    public static func run(
        _ arguments: [String], environment: [String: String]
    ) async -> ExitStatus {
        guard let command = arguments.first else {
            StandardStreams.writeError(help)
            return .usage
        }
        do throws(CommandSyntax.UsageError) {
            switch command {
            case "demo": return try await demo(arguments.dropFirst())
            case "receive": return try await receive(arguments.dropFirst(), environment)
            case "phone": return try await phone(arguments.dropFirst())
            case "controllers": return try await controllers(arguments.dropFirst())
            case "decode": return try decode(arguments.dropFirst())
            case "help", "--help", "-h":
                StandardStreams.writeLine(help)
                return .success
            default:
                throw .init(message: "'\(command)' is not a command; see 'ancs help'")
            }
        } catch {
            StandardStreams.writeError("ancs: \(TerminalText.visible(error.message))")
            return .usage
        }
    }

    private static let help = """
        usage: ancs COMMAND [options]

          demo         show a phone and an accessory that talk, here and now
          receive      receive the notifications of an iPhone
          phone        be an iPhone that tests an accessory
          controllers  serve Bluetooth controllers in software
          decode       explain values of the ANCS characteristics

        'ancs COMMAND --help' tells more.
        """

    private static func demo(
        _ words: ArraySlice<String>
    ) async throws(CommandSyntax.UsageError) -> ExitStatus {
        let arguments = try DemoOptions.syntax.parse(words)
        if arguments.has("--help") {
            StandardStreams.writeLine(DemoOptions.syntax.help)
            return .success
        }
        return try await DemoCommand.run(try DemoOptions(arguments))
    }

    private static func receive(
        _ words: ArraySlice<String>, _ environment: [String: String]
    ) async throws(CommandSyntax.UsageError) -> ExitStatus {
        let arguments = try ReceiveOptions.syntax.parse(words)
        if arguments.has("--help") {
            StandardStreams.writeLine(ReceiveOptions.syntax.help)
            return .success
        }
        return await ReceiveCommand.run(try ReceiveOptions(arguments, environment: environment))
    }

    private static func phone(
        _ words: ArraySlice<String>
    ) async throws(CommandSyntax.UsageError) -> ExitStatus {
        let arguments = try PhoneOptions.syntax.parse(words)
        if arguments.has("--help") {
            StandardStreams.writeLine(PhoneOptions.syntax.help)
            return .success
        }
        return try await PhoneCommand.run(try PhoneOptions(arguments))
    }

    private static func controllers(
        _ words: ArraySlice<String>
    ) async throws(CommandSyntax.UsageError) -> ExitStatus {
        let arguments = try ControllersOptions.syntax.parse(words)
        if arguments.has("--help") {
            StandardStreams.writeLine(ControllersOptions.syntax.help)
            return .success
        }
        return await ControllersCommand.run(try ControllersOptions(arguments))
    }

    private static func decode(
        _ words: ArraySlice<String>
    ) throws(CommandSyntax.UsageError) -> ExitStatus {
        let arguments = try DecodeCommand.syntax.parse(words)
        if arguments.has("--help") {
            StandardStreams.writeLine(DecodeCommand.syntax.help)
            return .success
        }
        return DecodeCommand.run(
            path: arguments.operands.first ?? "-", isJSON: arguments.has("--json"))
    }
}
