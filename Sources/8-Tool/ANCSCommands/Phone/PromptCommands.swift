internal import AccessoryConformance
internal import DeviceCommandKit

/// A line of the prompt of `ancs phone`.
enum PromptCommand {
    case verb(TypedVerb)
    case query(PromptQuery)
}

/// The commands of the prompt: the verbs of scenarios, and queries.
enum PromptCommands {
    /// The names that completion offers, in the order of the help text.
    static let names = {
        var names: [String] = []
        for name in PhoneVerbs.all.map({ $0.name }) + PromptQuery.all.map(\.name)
        where !names.contains(name) { names.append(name) }
        return names
    }()

    /// Parses a line; returns `nil` for an empty one or a comment. `app` finds the identifier of an app by its
    /// name.
    static func parse(
        _ line: String, app: (String) throws(PromptFault) -> String
    ) throws(PromptFault) -> PromptCommand? {
        guard let words = try PromptWords.command(in: line), let name = words.first?.lowercased()
        else { return nil }
        let operands = Array(words.dropFirst())
        let query = PromptQuery.named(name)
        if let query, operands.isEmpty { return .query(query) }
        if name == "service",
            let verb = ["on": "publish", "off": "unpublish"][operands.first ?? ""]
        {
            FormerWord.used("service", successor: verb)
            return try parse(verb, app: app)
        }
        if let verb = verb(name) { return .verb(try verb.read(typed: operands, app: app)) }
        guard let query else {
            throw PromptFault(unknown: words[0], in: names, otherwise: "'help' lists them")
        }
        throw PromptFault(message: "usage: \(query.name)")
    }

    /// What completion offers after these words.
    static func candidates(after words: [String]) -> [WordCandidates] {
        guard let name = words.first?.lowercased() else { return [.words(names)] }
        return verb(name)?.candidates(after: Array(words.dropFirst())) ?? []
    }

    /// The help text.
    static var help: [String] {
        PhoneVerbs.all.flatMap { $0.help } + PromptQuery.all.flatMap(\.help) + [
            "  ACCESSORY is a number, a name or an address; without one, all connected ones.",
            "  N is the number of a notification, or the name that as= gave it.",
        ]
    }

    private static func verb(_ name: String) -> (any PhoneVerb.Type)? {
        PhoneVerbs.all.first { ([$0.name] + $0.aliases).contains { $0.lowercased() == name } }
            ?? PhoneVerbs.former.first { $0.name.lowercased() == name }.flatMap {
                PhoneVerbs.named($0.name)
            }
    }
}
