internal import ANCSCapture
internal import Kinds

// What is said of the Apple Media Service.
extension CaptureEvent.MediaEvent {
    var line: Line {
        switch self {
        case .subscription(let characteristic, let isOn):
            let (name, title) =
                switch characteristic {
                case .remoteCommand: ("remoteCommand", "Remote Command")
                case .entityUpdate: ("entityUpdate", "Entity Update")
                }
            return Self.line(
                "subscription", ["characteristic": .string(name), "on": .boolean(isOn)],
                "\(isOn ? "subscribed to" : "unsubscribed from") \(title)")
        case .supported(let commands):
            let names = commands.octets.map(Self.name)
            return Self.line(
                "supported", ["commands": .array(names.map { .string($0) })],
                names.isEmpty ? "no player" : "the player takes " + names.joined(separator: ", "))
        case .registration(let octets, let error): return Self.registration(octets, error)
        case .update(let octets):
            guard let update = try? EntityUpdate(decoding: octets.span) else {
                return Self.malformed("update", "Entity Update value", octets)
            }
            return Self.value(
                "update", update.attribute, update.value, isTruncated: update.isTruncated)
        case .command(let octets, let error):
            guard octets.count == 1 else {
                return Self.malformed("command", "Remote Command write", octets)
            }
            return Self.result(
                "command", ["command": .string(Self.name(octets[0]))], Self.name(octets[0]), error)
        case .value(let attribute, let octets): return Self.value("value", attribute, octets)
        case .part(let attribute, let octets):
            return Self.value("value", attribute, octets, isTruncated: true)
        case .unread(let attribute, let error):
            return Self.result(
                "value", ["attribute": attribute.map { .string($0.description) }],
                "reading \(attribute?.description ?? "an attribute that has no name")", error)
        }
    }

    private static func name(_ octet: UInt8) -> String {
        RemoteCommandID(rawValue: octet).description
    }

    private static func line(
        _ state: String, _ members: KeyValuePairs<String, JSONValue?>, _ sentence: String,
        _ emphasis: Line.Emphasis = .item
    ) -> Line {
        Line(
            "media", [.init("state", .string(state))] + [JSONValue.Member](present: members),
            sentence, emphasis)
    }

    /// What was written, and what came of it.
    private static func result(
        _ state: String, _ members: KeyValuePairs<String, JSONValue?>, _ subject: String,
        _ error: ATTErrorCode?
    ) -> Line {
        guard let error else { return line(state, members, "✓ \(subject): accepted") }
        var line = line(state, members, "\(subject) refused: \(error.mediaMessage)", .problem)
        line.add([
            .init("attError", .integer(Int(error.rawValue))),
            .init("name", .string(error.mediaName)),
            .init("meaning", .string(error.mediaMeaning)),
        ])
        return line
    }

    private static func malformed(_ state: String, _ what: String, _ octets: [UInt8]) -> Line {
        let shown = Hexadecimal.text(Array(octets.prefix(32)))
        return line(
            state, ["octets": .string(Hexadecimal.text(octets))], "a malformed \(what): \(shown)",
            .problem)
    }

    private static func registration(_ octets: [UInt8], _ error: ATTErrorCode?) -> Line {
        guard let registration = try? EntityUpdateRegistration(decoding: octets.span) else {
            return malformed("registration", "Entity Update write", octets)
        }
        let names = registration.attributeIDs.map {
            MediaAttribute(registration.entityID, $0).description
        }
        return result(
            "registration", ["attributes": .array(names.map { .string($0) })],
            "registering for " + names.joined(separator: ", "), error)
    }

    private static func value(
        _ state: String, _ attribute: MediaAttribute?, _ octets: [UInt8], isTruncated: Bool? = nil
    ) -> Line {
        let text = UTF8Text.repaired(octets)
        let name = attribute?.description ?? "an attribute that has no name"
        var sentence = "♪ \(name)" + (octets.isEmpty ? ": none" : ": \(text)")
        if isTruncated == true {
            sentence += state == "value" ? " (not read to its end)" : " (truncated)"
        }
        if isTruncated == nil { sentence += " (read)" }
        return line(
            state,
            [
                "attribute": attribute.map { .string($0.description) }, "value": .string(text),
                "octets": Array(text.utf8) == octets ? nil : .string(Hexadecimal.text(octets)),
                "truncated": isTruncated.map { .boolean($0) },
            ], sentence, .heading)
    }

    /// The kinds of lines.
    static let kinds: [LineKind] = {
        let error: LineKind.Members = ["attError?": .octet, "name?": .text, "meaning?": .text]
        let texts: LineKind.Members = [
            "attribute?": .text, "value?": .text,
            "octets?": SchemaFragment.hexadecimal.described(
                "of what is not UTF-8, or is malformed"),
        ]
        func kind(_ state: String, _ meaning: String, _ members: LineKind.Members...) -> LineKind {
            members.reduce(
                LineKind(
                    "media", as: "media" + state.prefix(1).uppercased() + state.dropFirst(),
                    meaning,
                    ["state": .constant(.string(state))])
            ) { $0.extended($1) }
        }
        return [
            kind(
                "subscription", "of the Apple Media Service: a subscription began or ended",
                ["characteristic": .words(["remoteCommand", "entityUpdate"]), "on": .boolean]),
            kind("supported", "what the player can be told from now on", ["commands": .texts]),
            kind(
                "registration", "a write to Entity Update: what is to be reported from now on",
                ["attributes?": .texts, "octets?": .hexadecimal], error),
            kind("update", "a value of Entity Update", texts, ["truncated?": .boolean]),
            kind(
                "command", "a write to Remote Command",
                ["command?": .text, "octets?": .hexadecimal], error),
            kind(
                "value", "an attribute was read whole, or not", texts, ["truncated?": .boolean],
                error),
        ]
    }()
}

extension ATTErrorCode {
    /// The errors of AMS have the codes of those of ANCS, and other meanings.
    fileprivate var mediaName: String {
        (0xA0...0xA2).contains(rawValue)
            ? MediaServiceError(rawValue: rawValue).description : description
    }

    fileprivate var mediaMeaning: String {
        switch MediaServiceError(rawValue: rawValue) {
        case .invalidState: "the accessory has not subscribed to Entity Update"
        case .invalidCommand: "the write is malformed, or the player does not take the command"
        case .absentAttribute: "the attribute is empty"
        default: meaning
        }
    }

    fileprivate var mediaMessage: String {
        "\(mediaName) (0x\(Hexadecimal.text([rawValue]).uppercased())): \(mediaMeaning)"
    }
}
