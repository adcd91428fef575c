internal import Printing

/// Formats decoded lines for users, one line each, safe for a terminal.
enum DecodedText {
    /// The line for an object of ``LineDecoder``.
    static func line(_ object: JSONValue) -> String {
        let words = [source(object), subject(object), content(object), remarks(object)]
        return words.filter { !$0.isEmpty }.joined(separator: "  ")
    }

    private static func source(_ object: JSONValue) -> String {
        switch object["kind"]?.string {
        case "notificationSource": "Notification Source"
        case "controlPoint": "Control Point      "
        case "dataSource": "Data Source        "
        case _: "Unknown            "
        }
    }

    private static func subject(_ object: JSONValue) -> String {
        var words: [String] = []
        if let event = object["event"]?.string { words.append(event) }
        if let command = object["command"]?.string { words.append(command) }
        if let uid = object["uid"]?.integer { words.append("uid \(uid)") }
        if let app = object["appIdentifier"]?.string { words.append(TerminalText.visible(app)) }
        if let action = object["action"]?.string { words.append(action) }
        return words.joined(separator: " ")
    }

    private static func content(_ object: JSONValue) -> String {
        var words: [String] = []
        if let category = object["category"]?.string {
            words.append("\(category) (\(object["categoryCount"]?.integer ?? 0))")
        }
        words += (object["flags"]?.array ?? []).compactMap(\.string)
        words += (object["attributes"]?.array ?? []).map(attribute)
        return words.joined(separator: " ")
    }

    private static func attribute(_ attribute: JSONValue) -> String {
        let name = attribute["name"]?.string ?? ""
        if let value = attribute["value"]?.string {
            let cut = attribute["octets"] == nil ? "" : " (repaired)"
            return "\(name)=\"\(TerminalText.visible(value))\"\(cut)"
        }
        return attribute["maxLength"]?.integer.map { "\(name)≤\($0)" } ?? name
    }

    private static func remarks(_ object: JSONValue) -> String {
        var remarks: [String] = []
        if let count = object["trailingCount"]?.integer {
            remarks.append("[\(counted(count, "octet")) after the answer]")
        }
        if let why = object["why"]?.string {
            remarks.append("[incomplete: \(TerminalText.visible(why))]")
        }
        if let error = object["error"]?.string {
            remarks.append("error: \(TerminalText.visible(error))")
        }
        if let code = object["attError"]?.integer {
            remarks.append("(ATT error 0x\(String(code, radix: 16, uppercase: true)))")
        }
        return remarks.joined(separator: " ")
    }
}
