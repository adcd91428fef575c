internal import DeviceCommandKit

/// An operation of `ancs gatt`: the words after PEER on its command line, or a line at its prompt.
enum GATTOperation: Equatable, Sendable {
    /// Shows all attributes of the peer and their values.
    case list
    case read(String)
    /// Writes octets; `isConfirmed` waits for the response.
    case write(String, [UInt8], isConfirmed: Bool)
    /// Shows a value each time the peer sends it.
    case subscribe(String)
    case unsubscribe(String)
    case rssi
    case help
    case quit

    /// The operations and what they do.
    static let forms: [(form: String, help: String)] = [
        ("list", "show everything, with the values"), ("read ATTRIBUTE", "read a value"),
        ("write ATTRIBUTE VALUE", "write a value, and wait for the response"),
        ("send ATTRIBUTE VALUE", "write a value without a response"),
        ("subscribe ATTRIBUTE", "show a value each time the device sends it"),
        ("unsubscribe ATTRIBUTE", "stop showing it"),
        ("rssi", "show the signal strength of the device, in dBm"), ("help", "show this list"),
        ("quit", "exit"),
    ]

    /// The meaning of ATTRIBUTE and VALUE.
    static let legend = """
        ATTRIBUTE is a handle such as 0x0012, or a UUID such as 2A19 if only one attribute has it. VALUE is
        text, or octets such as 0x0164.
        """

    /// The first words of all operations.
    static let words = forms.map { String($0.form.prefix { $0 != " " }) }

    /// Parses the words of a line, of which there must be at least one.
    init(_ words: [String]) throws(PromptFault) {
        switch (words[0], words.count) {
        case ("list", 1): self = .list
        case ("read", 2): self = .read(words[1])
        case ("write", 3):
            self = .write(words[1], try TypedValue.octets(of: words[2]), isConfirmed: true)
        case ("send", 3):
            self = .write(words[1], try TypedValue.octets(of: words[2]), isConfirmed: false)
        case ("subscribe", 2): self = .subscribe(words[1])
        case ("unsubscribe", 2): self = .unsubscribe(words[1])
        case ("rssi", 1): self = .rssi
        case ("help", 1), ("?", 1): self = .help
        case ("quit", 1), ("exit", 1): self = .quit
        case (let word, _):
            if let index = Self.words.firstIndex(of: word) {
                throw PromptFault(message: "usage: \(Self.forms[index].form)")
            }
            throw PromptFault(
                unknown: word, in: Self.words,
                otherwise: "the commands are \(Self.words.joined(separator: ", "))")
        }
    }
}
