internal import ANCS
internal import ANCSService

/// One command of the prompt of `ancs phone`: all that there is to say about it. To add one, declare it
/// in a file of `Prompt` and list it in that file's table.
protocol PromptCommand: Hashable, Sendable {
    /// What is typed first; more than one mean the same, and only the first is offered.
    static var words: [String] { get }
    /// What follows, in order.
    static var operands: [PromptOperand] { get }
    /// What it is for, in a line.
    static var help: String { get }

    /// Reads the operands, of which there are as many as the declaration allows.
    init(reading operands: [String]) throws(PromptFault)

    /// Does it.
    func carryOut(on phone: PromptPhone) async throws(PromptFault)
}

/// What is wrong with a line, or cannot be done, in a sentence.
struct PromptFault: Error, Hashable {
    var message: String
}

/// Something that follows a command.
struct PromptOperand: Sendable {
    /// How the help text shows it.
    var text: String
    /// What may stand there.
    var candidates: PromptCandidates
    var isRequired: Bool
    /// Whether any number of words may stand there; only for the last operand.
    var isOpenEnded = false

    static func required(_ text: String, _ candidates: PromptCandidates = .unknown) -> Self {
        Self(text: text, candidates: candidates, isRequired: true)
    }

    static func optional(_ text: String, _ candidates: PromptCandidates = .unknown) -> Self {
        Self(text: text, candidates: candidates, isRequired: false)
    }

    /// This, and more of the same.
    var andMore: Self {
        var operand = self
        operand.isOpenEnded = true
        return operand
    }
}

/// What may stand in the place of an operand.
enum PromptCandidates: Sendable {
    /// Anything.
    case unknown
    case words([String])
    /// What is said about a notification by name.
    case settings
    case installedApps
    case notifications
    case ringingCalls
    case activeCalls
    case accessories
    /// The apps that bind accessories, and the services that they look for.
    case boundApps
    case services
}

extension PromptCommand {
    /// Its name.
    static var name: String { words[0] }

    /// The name with the operands.
    static var heading: String { ([name] + operands.map(\.text)).joined(separator: " ") }

    /// The fault of a line that gives it other operands.
    static var usage: PromptFault { PromptFault(message: "usage: \(heading)") }

    /// Whether so many operands are as many as it takes.
    fileprivate static func takes(_ count: Int) -> Bool {
        let isOpenEnded = operands.last?.isOpenEnded == true
        return count >= operands.count(where: \.isRequired)
            && (isOpenEnded || count <= operands.count)
    }

    /// The operand at a position; the last one, where it is open-ended, at all that follow.
    fileprivate static func operand(at index: Int) -> PromptOperand? {
        guard index >= operands.count else { return operands[index] }
        return operands.last.flatMap { $0.isOpenEnded ? $0 : nil }
    }
}

/// The commands of the prompt.
enum PromptCommands {
    /// In the order of the help text.
    static let all: [any PromptCommand.Type] =
        notificationCommands + callCommands + appCommands + accessoryCommands + serviceCommands
        + bindingCommands + valueCommands + phoneCommands

    /// Reads a line; `nil` for a blank one and for a comment.
    static func parse(_ line: String) throws(PromptFault) -> (any PromptCommand)? {
        guard let words = try PromptWords.command(in: line), let word = words.first else {
            return nil
        }
        guard let command = command(word) else { throw unknown(word) }
        guard command.takes(words.count - 1) else { throw command.usage }
        return try command.init(reading: Array(words.dropFirst()))
    }

    /// What may follow the words that were typed.
    static func candidates(after words: [String]) -> PromptCandidates {
        guard let word = words.first else { return .words(all.map { $0.name }) }
        return command(word)?.operand(at: words.count - 1)?.candidates ?? .unknown
    }

    /// The help text.
    static var help: [String] {
        all.flatMap { ["  \($0.heading)", "      \($0.help)"] } + [
            "  ACCESSORY is a number, a name or an address; without one, all that are connected."
        ]
    }

    private static func command(_ word: String) -> (any PromptCommand.Type)? {
        all.first { $0.words.contains(word) }
    }

    private static func unknown(_ word: String) -> PromptFault {
        let meant = NearestWord.of(word, in: all.map { $0.name })
        return PromptFault(
            message: "'\(word)' is not a command; "
                + (meant.map { "did you mean '\($0)'?" } ?? "'help' lists them"))
    }
}

// MARK: Kinds of commands

/// A command that takes nothing.
protocol PlainPromptCommand: PromptCommand {
    init()
}

extension PlainPromptCommand {
    static var operands: [PromptOperand] { [] }

    init(reading operands: [String]) { self.init() }
}

/// A command about a call: the newest one where none is named.
protocol CallPromptCommand: PromptCommand {
    /// The number of the call.
    var number: UInt64? { get }
    /// The calls that it can be about.
    static var candidates: PromptCandidates { get }

    init(number: UInt64?)
}

extension CallPromptCommand {
    static var candidates: PromptCandidates { .ringingCalls }
    static var operands: [PromptOperand] { [.optional("[N]", candidates)] }

    init(reading operands: [String]) throws(PromptFault) {
        self.init(number: try operands.first.map(PromptCommands.number))
    }
}

/// A command about an accessory: all that are connected where none is named.
protocol AccessoryPromptCommand: PromptCommand {
    /// The accessory: a number, a name or an address.
    var accessory: String? { get }

    init(accessory: String?)
}

extension AccessoryPromptCommand {
    static var operands: [PromptOperand] { [.optional("[ACCESSORY]", .accessories)] }

    init(reading operands: [String]) { self.init(accessory: operands.first) }
}

extension PromptCommands {
    /// The number of a notification.
    static func number(_ word: String) throws(PromptFault) -> UInt64 {
        guard let number = UInt64(word) else {
            throw PromptFault(message: "'\(word)' is not the number of a notification")
        }
        return number
    }

    static let onOrOff = PromptOperand.required("on|off", .words(["on", "off"]))

    /// `nil` for another word.
    static func isOn(_ word: String) -> Bool? { ["on": true, "off": false][word] }
}
