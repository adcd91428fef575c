import Foundation

/// Reads the names of public declarations from a file that the formatter has formatted.
struct DeclarationReader {
    private struct Scope {
        let name: String
        let depth: Int
        /// What is public in it without a word: cases, or whatever a protocol requires.
        let isOpen: (_ kind: Substring?) -> Bool
    }

    private var scopes: [Scope] = []
    private var depth = 0

    private static let types = ["class", "struct", "enum", "protocol", "extension"]
    private static let modifiers: Set<Substring> = [
        "public", "open", "final", "static", "class", "override", "convenience", "weak", "indirect",
        "internal(set)",
    ]

    /// The names, such as `CBPeripheral.readValue(for:)`.
    mutating func publicNames(in text: String) -> Set<String> {
        var names: Set<String> = []
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        while let line = lines.popFirst() {
            var code = Self.code(of: line)
            // A list of parameters goes on until it is closed.
            while code.count(where: { $0 == "(" }) > code.count(where: { $0 == ")" }),
                let next = lines.popFirst()
            {
                code += " " + Self.code(of: next)
            }
            names.formUnion(read(code))
            depth += code.count(where: { $0 == "{" }) - code.count(where: { $0 == "}" })
            while let scope = scopes.last, scope.depth >= depth { scopes.removeLast() }
        }
        return names
    }

    /// A line without its comment and the contents of its strings.
    private static func code(of line: Substring) -> String {
        var code = ""
        for (index, part) in line.split(separator: "\"", omittingEmptySubsequences: false)
            .enumerated()
        where index.isMultiple(of: 2) {
            code += part
        }
        let end = code.range(of: "//")?.lowerBound ?? code.endIndex
        return code[..<end].trimmingCharacters(in: .whitespaces)
    }

    private mutating func read(_ code: String) -> [String] {
        var words = code.split(separator: " ")[...]
        while words.first?.hasPrefix("@") == true { words.removeFirst() }
        var isPublic =
            scopes.last?.depth == depth - 1 && scopes.last?.isOpen(words.first) == true
        while let word = words.first, Self.modifiers.contains(word) {
            // `class` is a modifier only before `var` and `func`.
            if word == "class",
                words.dropFirst().first.map({ !["var", "func"].contains($0) }) ?? true
            {
                break
            }
            isPublic = isPublic || word == "public" || word == "open"
            words.removeFirst()
        }
        guard let kind = words.popFirst() else { return [] }
        let prefix = scopes.last.map { $0.name + "." } ?? ""
        let rest = words.joined(separator: " ")
        if Self.types.contains(String(kind)) {
            let name = prefix + Self.identifier(rest)
            if code.hasSuffix("{") {
                let (isPublic, isProtocol) = (isPublic, kind == "protocol")
                let scope = Scope(name: name, depth: depth) { member in
                    isPublic && (isProtocol || kind == "enum" && member == "case")
                }
                scopes.append(scope)
            }
            return isPublic && kind != "extension" ? [name] : []
        }
        guard isPublic else { return [] }
        switch kind {
        case "case": return rest.split(separator: ",").map { prefix + Self.identifier(String($0)) }
        case "var", "let", "typealias", "associatedtype":
            return Self.variables(rest).map { prefix + $0 }
        case "func": return [prefix + Self.signature(rest)]
        case _ where kind.hasPrefix("init"): return [prefix + Self.signature("\(kind) \(rest)")]
        default: return []
        }
    }

    private static func variables(_ text: String) -> [String] { [identifier(text)] }

    private static func identifier(_ text: String) -> String {
        String(
            text.trimmingCharacters(in: .whitespaces).prefix {
                $0.isLetter || $0.isNumber || $0 == "_"
            })
    }

    /// `readValue(for characteristic: CBCharacteristic)` is `readValue(for:)`.
    private static func signature(_ text: String) -> String {
        let name = text.prefix { $0 != "(" && $0 != "<" }.trimmingCharacters(in: .whitespaces)
        var (labels, depth, isLabel): (String, Int, Bool) = ("", 0, true)
        var word = ""
        for character in text.dropFirst(name.count) {
            switch character {
            case "(", "[", "<": depth += 1
            case ")", "]", ">": depth -= 1
            case ":" where depth == 1 && isLabel:
                // Parameters of operators have no labels.
                let label = name.first?.isLetter == true ? word.split(separator: " ").first : nil
                labels += (label ?? "_") + ":"
                isLabel = false
            case "," where depth == 1: (word, isLabel) = ("", true)
            default: if depth == 1 { word.append(character) }
            }
            if depth == 0, character == ")" { break }
        }
        return "\(name)(\(labels))"
    }
}
