internal import ANCSService
internal import Octets

/// What `ancs gatt` does at a peer: what stands behind PEER on its command line, or a line of its prompt.
enum GATTOperation: Hashable, Sendable {
    /// Shows everything that the peer has, with the values that it gives.
    case list
    case read(String)
    /// Writes octets, and waits for the response where `isConfirmed`.
    case write(String, [UInt8], isConfirmed: Bool)
    /// Shows a value each time the peer tells it.
    case subscribe(String)
    case unsubscribe(String)
    case rssi
    case help
    case quit

    /// What can be typed, and what it does.
    static let forms: [(form: String, help: String)] = [
        ("list", "show everything, with the values"),
        ("read ATTRIBUTE", "read a value"),
        ("write ATTRIBUTE VALUE", "write a value, and wait until it is taken"),
        ("send ATTRIBUTE VALUE", "write a value without a response"),
        ("subscribe ATTRIBUTE", "show a value each time the device tells it"),
        ("unsubscribe ATTRIBUTE", "no longer"),
        ("rssi", "how strong the device is heard, in dBm"),
        ("help", "this list"),
        ("quit", "end"),
    ]

    /// What ATTRIBUTE and VALUE stand for.
    static let legend = """
        ATTRIBUTE is a handle such as 0x0012, or a UUID such as 2A19 where only one has it. VALUE is
        a text, or octets such as 0x0164.
        """

    /// The words that begin a line.
    static let words = forms.map { String($0.form.prefix { $0 != " " }) }

    /// Reads the words of a line, of which there is one at least.
    init(_ words: [String]) throws(PromptFault) {
        switch (words[0], words.count) {
        case ("list", 1): self = .list
        case ("read", 2): self = .read(words[1])
        case ("write", 3):
            self = .write(words[1], try Self.value(words[2]), isConfirmed: true)
        case ("send", 3):
            self = .write(words[1], try Self.value(words[2]), isConfirmed: false)
        case ("subscribe", 2): self = .subscribe(words[1])
        case ("unsubscribe", 2): self = .unsubscribe(words[1])
        case ("rssi", 1): self = .rssi
        case ("help", 1), ("?", 1): self = .help
        case ("quit", 1), ("exit", 1): self = .quit
        case (let word, _):
            if let index = Self.words.firstIndex(of: word) {
                throw PromptFault(message: "usage: \(Self.forms[index].form)")
            }
            let meant = NearestWord.of(word, in: Self.words)
            throw PromptFault(
                message: "'\(word)' is not a command; "
                    + (meant.map { "did you mean '\($0)'?" }
                        ?? "the commands are \(Self.words.joined(separator: ", "))"))
        }
    }

    private static func value(_ word: String) throws(PromptFault) -> [UInt8] {
        guard let value = TypedValue.octets(of: word) else {
            throw PromptFault(message: TypedValue.fault)
        }
        return value
    }
}

/// A value as users type it: a text, or octets in hexadecimal after `0x`.
enum TypedValue {
    static let maximumCount = Publication.maximumValueCount

    /// What is wrong with a word that is none.
    static let fault =
        "a value is a text, or octets such as 0x0164, of at most \(maximumCount) octets"

    /// The octets; `nil` for what is no value.
    static func octets(of word: String) -> [UInt8]? {
        let octets: [UInt8]? =
            word.hasPrefix("0x")
            ? Hexadecimal.octets(String(word.dropFirst(2))) : Array(word.utf8)
        return octets.flatMap { $0.count <= maximumCount ? $0 : nil }
    }
}
