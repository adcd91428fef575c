internal import ANCSCapture
internal import EventLines

/// Decodes lines of the forms `ns HEX`, `cp HEX` and `ds HEX [HEX...]`. A `ds` line answers the `cp` line
/// before it; its words are the values in which the answer arrived.
struct LineDecoder {
    /// The command that a `ds` line answers.
    private var command: ControlPointCommand?
    /// The log that the lines are of, as somebody pasted it.
    private var pasted: PastedLog?

    /// The content of a line, as an object with a `kind`; `nil` for blank lines and comments.
    mutating func decode(_ line: String) -> JSONValue? {
        // Text that was pasted into an editor may begin with a byte order mark.
        let content = line.drop { $0 == "\u{FEFF}" }.prefix { $0 != "#" }
        let words = content.split(whereSeparator: \.isWhitespace)
        guard let keyword = words.first else { return nil }
        guard let kind = Kind(keyword: keyword) else {
            return text(ofUnknown: line, keyword).map { Self.failure("unknown", $0) }
        }
        if kind == .controlPoint { command = nil }
        let values: [[UInt8]]
        switch octets(of: words.dropFirst()) {
        case .success(let octets): values = octets
        case .failure(let error): return Self.failure(kind.rawValue, error.text)
        }
        switch kind {
        case .notificationSource: return Self.notificationSource(values.flatMap { $0 })
        case .controlPoint:
            let octets = values.flatMap { $0 }
            command = try? ControlPointCommand(decoding: octets.span)
            return Self.controlPoint(octets)
        case .dataSource: return DataSourceAnswer(values, to: command).json
        }
    }

    /// Decodes a value of the Notification Source.
    static func notificationSource(_ octets: [UInt8]) -> JSONValue {
        .object([JSONValue.Member](describedBy: { describe(source: octets, to: &$0) }))
    }

    /// Decodes a value written to the Control Point.
    static func controlPoint(_ octets: [UInt8]) -> JSONValue {
        .object([JSONValue.Member](describedBy: { describe(CaptureEvent.Write(octets), to: &$0) }))
    }

    /// Describes a value of the Notification Source, member by member, starting with `kind`.
    static func describe(source octets: [UInt8], to object: inout some JSONMembers) {
        object.add("kind", "notificationSource")
        do throws(DecodingError) {
            try NotificationSourceValue(decoding: octets.span).describe(to: &object)
        } catch {
            let requirement =
                "a Notification Source value has exactly 8 octets, this one has \(octets.count)"
            let fault = octets.count < NotificationSourceValue.count ? "truncated" : "excess"
            let offset = min(octets.count, NotificationSourceValue.count)
            object.add("error", .string("\(fault) at octet \(offset): \(requirement)"))
        }
    }

    /// Describes a write to the Control Point, member by member, starting with `kind`.
    static func describe(_ write: CaptureEvent.Write, to object: inout some JSONMembers) {
        object.add("kind", "controlPoint")
        if let command = write.command { return command.describe(to: &object) }
        do throws(ControlPointCommand.Rejection) {
            _ = try ControlPointCommand(decoding: write.octets.span)
        } catch {
            object.add("error", .string(error.text))
            object.add("attError", .integer(Int(error.error.rawValue)))
        }
    }

    private static func failure(_ kind: String, _ text: String) -> JSONValue {
        ["kind": .string(kind), "error": .string(text)]
    }

    /// The `kind` of an object.
    private enum Kind: String {
        case notificationSource
        case controlPoint
        case dataSource

        init?(keyword: some StringProtocol) {
            switch keyword.lowercased() {
            case "ns": self = .notificationSource
            case "cp": self = .controlPoint
            case "ds": self = .dataSource
            default: return nil
            }
        }
    }

    /// Says what a line of another kind is, as far as that can be seen; `nil` for the rest of a text that was
    /// named, each line of which would say the same.
    private mutating func text(ofUnknown line: String, _ keyword: Substring) -> String? {
        if let log = PastedLog(line) { return exchange(&pasted, with: log) == log ? nil : log.text }
        guard pasted == nil else { return nil }
        return "a line starts with ns, cp or ds, not with '\(keyword.prefix(20))'"
    }

    private struct HexadecimalError: Error { var text: String }

    /// The octets of a word as tools print them: `0010`, `00-10`, `00:10`, `0x00,0x10`, `<0010>`.
    private static func octets(ofPrinted word: Substring) -> [UInt8]? {
        let separators: Set<Character> = [
            ",", ";", "<", ">", "{", "}", "[", "]", "(", ")", "-", ":",
        ]
        var octets: [UInt8] = []
        for part in word.split(whereSeparator: separators.contains) {
            var digits = part
            if digits.hasPrefix("0x") || digits.hasPrefix("0X") { digits = digits.dropFirst(2) }
            guard let read = Hexadecimal.octets(String(digits)), !read.isEmpty else { return nil }
            octets += read
        }
        return octets
    }

    private func octets(of words: some Sequence<Substring>) -> Result<[[UInt8]], HexadecimalError> {
        var values: [[UInt8]] = []
        for word in words {
            guard let octets = Self.octets(ofPrinted: word) else {
                let offset = values.reduce(0) { $0 + $1.count }
                return .failure(
                    HexadecimalError(
                        text: "not hexadecimal at octet \(offset): '\(word.prefix(20))' is not an "
                            + "even number of hexadecimal digits"))
            }
            if !octets.isEmpty { values.append(octets) }
        }
        return .success(values)
    }
}

extension ControlPointCommand.Rejection {
    /// The error and its position, in one sentence.
    fileprivate var text: String {
        switch reason {
        case .empty: "truncated at octet 0: a command has at least a command identifier"
        case .unknownCommand(let command):
            "unknown command at octet 0: \(command.rawValue) is reserved"
        case .truncated:
            "truncated at octet \(offset): the notification identifier or the action is missing"
        case .unterminatedAppIdentifier:
            "truncated at octet \(offset): no NUL ends the app identifier"
        case .invalidAppIdentifier: "invalid at octet \(offset): the app identifier is not UTF-8"
        case .missingMaximumLength(let id):
            "truncated at octet \(offset): \(id) needs a maximum length of two octets"
        case .excess(let count):
            "excess at octet \(offset): \(counted(count, "octet")) after the end of the command"
        }
    }
}
