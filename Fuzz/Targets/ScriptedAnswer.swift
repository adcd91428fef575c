import Octets

@testable import ANCS

/// Answers of a Notification Provider, well-formed or nearly.
enum ScriptedAnswer {
    /// One of a few apps; `nil` for an identifier that no command can contain.
    static func app(_ input: inout FuzzInput) -> AppIdentifier? {
        try? AppIdentifier(input.element(of: ["a", "com.apple.mobilephone", "é", ""]))
    }

    static func octets(to command: ControlPointCommand, _ input: inout FuzzInput) -> [UInt8] {
        guard let identity = ResponseIdentity(answering: command) else { return input.octets() }
        var attributes: [AttributeValue] = []
        switch command {
        case .getNotificationAttributes(let get):
            for request in get.attributes {
                let kind = input.choice(8)
                // The attribute is missing or doubled.
                if kind == 0 { continue }
                if kind == 1 { attributes.append(value(of: request.id, &input)) }
                attributes.append(value(of: request.id, &input))
            }
        case .getAppAttributes:
            if input.choice(4) > 0 {
                attributes.append(AttributeValue(id: 0, octets: input.text()))
            }
        case .performNotificationAction: break
        }
        if input.flag() { attributes.reverse() }
        var octets = AttributeResponse(identity: identity, attributes: attributes).octets
        if input.choice(8) == 0 { octets += input.octets() }
        if input.choice(8) == 0 { octets = octets.dropLast(input.choice(16)) }
        return octets
    }

    private static func value(
        of id: NotificationAttributeID, _ input: inout FuzzInput
    ) -> AttributeValue {
        switch id {
        case .appIdentifier:
            return AttributeValue(
                id, input.element(of: ["a", "com.apple.mobilephone", "", "é", "a\0b"]))
        case .date:
            return AttributeValue(
                id, input.element(of: ["20250101T000000", "20270101T000000", "", "T"]))
        case .messageSize: return AttributeValue(id, input.element(of: ["0", "12", "9999999999"]))
        default: return AttributeValue(id, octets: input.text())
        }
    }

    /// Exactly the requested attributes.
    static func complete(to command: ControlPointCommand) -> [UInt8] {
        guard let identity = ResponseIdentity(answering: command) else { return [] }
        let attributes: [AttributeValue] =
            switch command {
            case .getNotificationAttributes(let get):
                get.attributes.map { request in
                    AttributeValue(request.id, request.id == .appIdentifier ? "a" : "")
                }
            case .getAppAttributes: [AttributeValue(.displayName, "A")]
            case .performNotificationAction: []
            }
        return AttributeResponse(identity: identity, attributes: attributes).octets
    }
}
