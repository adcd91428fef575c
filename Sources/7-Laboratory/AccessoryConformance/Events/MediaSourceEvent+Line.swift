internal import ANCSKit
internal import Kinds

extension MediaSourceEvent {
    /// What a phone says of an accessory's use of its media. What somebody pressed, and what was refused, is always
    /// said.
    var line: Line {
        switch self {
        case .subscriptionChanged(let characteristic, let isOn):
            return SubscribedCharacteristic(characteristic).line(isOn)
        case .registered(let registration, let error):
            let names = registration.attributeIDs.prefix(16).map {
                MediaAttribute(registration.entityID, $0).description
            }
            return line(
                "registered", ["attributes": .array(names.map { .string($0) })], error,
                "a registration for " + names.joined(separator: ", "), isShown: error != nil)
        case .asked(let attribute, let error):
            // An empty value is no mistake of the accessory.
            let isShown = error != nil && error != .absentAttribute
            return line(
                "asked", ["attribute": .string(attribute.description)], error,
                "the whole \(attribute) is wanted", isShown: isShown)
        case .read(let attribute, let part, let count):
            return line(
                "read",
                [
                    "attribute": .string(attribute.description),
                    "octets": .integer(part.upperBound), "of": .integer(count),
                ], nil,
                "\(attribute) read up to \(part.upperBound) of \(counted(count, "octet"))")
        case .commanded(let command, let error):
            return line(
                "command", ["command": .string(command.description)], error,
                "\(command) for the player", isShown: true)
        case .malformed(let octets):
            return line(
                "malformed", ["value": .string(Hexadecimal.text(octets))], .invalidCommand,
                "octets that make no sense (\(octets.hexText))", isShown: true)
        case .offered(let commands):
            let names = commands.octets.map { RemoteCommandID(rawValue: $0).description }
            return line(
                "offered", ["commands": .array(names.map { .string($0) })], nil,
                "the player supports " + (names.isEmpty ? "nothing" : names.joined(separator: ", "))
            )
        case .updated(let update):
            let text = UTF8Text.repaired(update.value)
            return line(
                "updated",
                [
                    "attribute": .string(update.attribute.description), "value": .string(text),
                    "truncated": .boolean(update.isTruncated),
                ], nil,
                "\(update.attribute): \(text)" + (update.isTruncated ? ", truncated" : ""))
        }
    }

    private func line(
        _ change: String, _ members: KeyValuePairs<String, JSONValue?>, _ error: MediaServiceError?,
        _ text: String, isShown: Bool = false
    ) -> Line {
        let refusal = [JSONValue.Member](present: [
            "attError": error.map { .integer(Int($0.rawValue)) },
            "name": error.map { .string($0.description) },
        ])
        let text = text + (error.map { ": refused, \($0)" } ?? "")
        return Line(
            "media",
            [.init("change", .string(change))] + [JSONValue.Member](present: members) + refusal,
            isShown ? text : nil, detail: "media: " + text
        ).viewed(.traffic(isOfPhone ? .right : .left, change))
    }

    /// Whether the phone did it.
    private var isOfPhone: Bool {
        switch self {
        case .offered, .updated: true
        case .subscriptionChanged, .registered, .asked, .read, .commanded, .malformed: false
        }
    }

    /// Whether it is of no interest to people.
    var isRoutine: Bool { line.sentence == nil }

    static let kind = LineKind(
        "media", "an accessory used the media of the phone, or was sent of them",
        [
            "change": .words([
                "registered", "asked", "read", "command", "malformed", "offered", "updated",
            ]), "attribute?": .text, "attributes?": .texts, "command?": .text, "commands?": .texts,
            "octets?": .count.described("up to which it was read"), "of?": .count, "value?": .text,
            "truncated?": .boolean, "attError?": .octet, "name?": .text,
        ])
}
