internal import ANCS
internal import ANCSService

/// One command of the prompt of `ancs phone`, with its syntax, help and action. To add one, declare it in a
/// file of `Prompt` and list it in that file's table.
protocol PromptCommand: Hashable, Sendable {
    /// The names of the command, all equivalent; completion offers only the first.
    static var words: [String] { get }
    /// The operands, in order.
    static var operands: [PromptOperand] { get }
    /// The description, in one line.
    static var help: String { get }

    /// Parses the operands, whose number has been checked against the declaration.
    init(reading operands: [String]) throws(PromptFault)

    /// Carries the command out.
    func carryOut(on phone: PromptPhone) async throws(PromptFault)
}

/// A line that is wrong or a command that cannot be carried out, with the reason in one sentence.
struct PromptFault: Error, Hashable {
    var message: String
}

/// An operand of a command.
struct PromptOperand: Sendable {
    /// The operand as shown in the help text.
    var text: String
    /// The values that completion offers.
    var candidates: PromptCandidates
    var isRequired: Bool
    /// Whether any number of words may follow; only for the last operand.
    var isOpenEnded = false

    static func required(_ text: String, _ candidates: PromptCandidates = .unknown) -> Self {
        Self(text: text, candidates: candidates, isRequired: true)
    }

    static func optional(_ text: String, _ candidates: PromptCandidates = .unknown) -> Self {
        Self(text: text, candidates: candidates, isRequired: false)
    }

    /// The same operand, repeatable.
    var andMore: Self {
        var operand = self
        operand.isOpenEnded = true
        return operand
    }
}

/// The values that completion offers for an operand.
enum PromptCandidates: Sendable {
    /// None: any text.
    case unknown
    case words([String])
    /// The settings of a notification, such as `title=`.
    case settings
    case installedApps
    case notifications
    case ringingCalls
    case activeCalls
    case accessories
    /// The apps with bindings, and the services that they look for.
    case boundApps
    case services
}

extension PromptCommand {
    /// Its name.
    static var name: String { words[0] }

    /// The name with the operands.
    static var heading: String { ([name] + operands.map(\.text)).joined(separator: " ") }

    /// The fault of a line with the wrong operands.
    static var usage: PromptFault { PromptFault(message: "usage: \(heading)") }

    /// Whether this is a valid number of operands.
    fileprivate static func takes(_ count: Int) -> Bool {
        let isOpenEnded = operands.last?.isOpenEnded == true
        return count >= operands.count(where: \.isRequired)
            && (isOpenEnded || count <= operands.count)
    }

    /// The operand at an index; an open-ended last operand stands for all that follow.
    fileprivate static func operand(at index: Int) -> PromptOperand? {
        guard index >= operands.count else { return operands[index] }
        return operands.last.flatMap { $0.isOpenEnded ? $0 : nil }
    }
}

/// The commands of the prompt.
enum PromptCommands {
    /// All commands, in the order of the help text.
    static let all: [any PromptCommand.Type] =
        notificationCommands + callCommands + appCommands + accessoryCommands + serviceCommands
        + bindingCommands + valueCommands + phoneCommands

    /// Parses a line; returns `nil` for an empty one or a comment.
    static func parse(_ line: String) throws(PromptFault) -> (any PromptCommand)? {
        guard let words = try PromptWords.command(in: line), let word = words.first else {
            return nil
        }
        guard let command = command(word) else { throw unknown(word) }
        guard command.takes(words.count - 1) else { throw command.usage }
        return try command.init(reading: Array(words.dropFirst()))
    }

    /// The values that completion offers after these words.
    static func candidates(after words: [String]) -> PromptCandidates {
        guard let word = words.first else { return .words(all.map { $0.name }) }
        return command(word)?.operand(at: words.count - 1)?.candidates ?? .unknown
    }

    /// The help text.
    static var help: [String] {
        all.flatMap { ["  \($0.heading)", "      \($0.help)"] } + [
            "  ACCESSORY is a number, a name or an address; without one, all connected ones."
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

/// A command without operands.
protocol PlainPromptCommand: PromptCommand {
    init()
}

extension PlainPromptCommand {
    static var operands: [PromptOperand] { [] }

    init(reading operands: [String]) { self.init() }
}

/// A command about a call, by default the newest one.
protocol CallPromptCommand: PromptCommand {
    /// The number of the call.
    var number: UInt64? { get }
    /// The calls to which the command applies.
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

/// A command about accessories, by default all that are connected.
protocol AccessoryPromptCommand: PromptCommand {
    /// The accessory, by number, name or address.
    var accessory: String? { get }

    init(accessory: String?)
}

extension AccessoryPromptCommand {
    static var operands: [PromptOperand] { [.optional("[ACCESSORY]", .accessories)] }

    init(reading operands: [String]) { self.init(accessory: operands.first) }
}

extension PromptCommands {
    /// Parses the number of a notification.
    static func number(_ word: String) throws(PromptFault) -> UInt64 {
        guard let number = UInt64(word) else {
            throw PromptFault(message: "'\(word)' is not a notification number")
        }
        return number
    }

    static let onOrOff = PromptOperand.required("on|off", .words(["on", "off"]))

    /// Parses `on` or `off`; `nil` for any other word.
    static func isOn(_ word: String) -> Bool? { ["on": true, "off": false][word] }
}
