internal import ANCS

/// Makes the answers to commands about things that exist, according to a ``ProviderBehavior``.
struct AnswerComposer: Sendable {
    let behavior: ProviderBehavior
    /// The number of the answer, which distinguishes shuffled orders.
    let number: UInt64

    /// The attributes of a notification (R27 to R29).
    func answer(
        to command: GetNotificationAttributes, about notification: ProviderNotification
    ) throws(ControlPointError) -> Answer {
        if command.attributes.isEmpty { try check(behavior.noAttributes) }
        var attributes: [AnswerAttribute] = []
        attributes.reserveCapacity(command.attributes.count)
        for request in ordered(command.attributes, id: { $0.id.rawValue }) {
            guard let value = try value(request, of: notification) else { continue }
            attributes.append(AnswerAttribute(id: request.id.rawValue, value: value))
        }
        return Answer(.notification(command.notificationUID), attributes)
    }

    /// Attributes of an app (R36); the display name is `nil` for an app that is not installed.
    func answer(
        to command: GetAppAttributes, displayName: [UInt8]?
    ) throws(ControlPointError) -> Answer {
        let identity = ResponseIdentity.app(command.appIdentifier)
        if command.attributes.isEmpty { try check(behavior.noAttributes) }
        if displayName == nil {
            switch behavior.unknownApp {
            case .headerOnly: return Answer(identity, [])
            case .emptyValues: break
            case .refused(let error): throw error
            }
        }
        var attributes: [AnswerAttribute] = []
        for id in ordered(command.attributes, id: { $0.rawValue }) {
            let isKnown = id == .displayName
            guard let value = isKnown ? (displayName ?? [])[...] : try reservedValue() else {
                continue
            }
            attributes.append(AnswerAttribute(id: id.rawValue, value: value))
        }
        return Answer(identity, attributes)
    }

    /// The value for a request; `nil` to omit it.
    private func value(
        _ request: NotificationAttributeRequest, of notification: ProviderNotification
    ) throws(ControlPointError) -> ArraySlice<UInt8>? {
        if request.maxLength == 0 { try check(behavior.zeroMaximum) }
        switch request.id {
        case .appIdentifier: return notification.appIdentifier.octets[...]
        case .title: return cut(notification.title, to: request.maxLength)
        case .subtitle: return cut(notification.subtitle, to: request.maxLength)
        case .message: return cut(notification.message, to: request.maxLength)
        case .messageSize: return Array("\(messageSize(notification.message))".utf8)[...]
        case .date: return hasDate(notification) ? (notification.date?.octets ?? [])[...] : []
        case .positiveActionLabel: return (notification.positiveActionLabel ?? [])[...]
        case .negativeActionLabel: return (notification.negativeActionLabel ?? [])[...]
        case _: return try reservedValue()
        }
    }

    private func check(_ request: ProviderBehavior.DegenerateRequest) throws(ControlPointError) {
        if case .refused(let error) = request { throw error }
    }

    private func reservedValue() throws(ControlPointError) -> ArraySlice<UInt8>? {
        switch behavior.reservedAttribute {
        case .emptyValue: return []
        case .omitted: return nil
        case .refused(let error): throw error
        }
    }

    private func hasDate(_ notification: ProviderNotification) -> Bool {
        switch behavior.dates {
        case .all: true
        case .allButIncomingCalls: notification.categoryID != .incomingCall
        case .none: false
        }
    }

    private func messageSize(_ message: [UInt8]) -> Int {
        // Every character of UTF-8 has one octet that is not a continuation. Those beyond the Basic
        // Multilingual Plane start with 0xF0 or more and take two units of UTF-16.
        switch behavior.messageSizeUnit {
        case .octets: message.count
        case .scalars: message.count { !$0.continuesCharacter }
        case .utf16: message.count { !$0.continuesCharacter } + message.count { $0 >= 0xF0 }
        }
    }

    private func ordered<Request>(_ requests: [Request], id: (Request) -> UInt8) -> [Request] {
        if behavior.attributeOrder == .asRequested { return requests }
        return places(of: requests.map(id)).map { requests[$0] }
    }

    /// The places of the requests for these attributes, in the order of the answers.
    private func places(of ids: [UInt8]) -> [Int] {
        switch behavior.attributeOrder {
        case .asRequested: return Array(ids.indices)
        case .ascending: return ids.indices.sorted { ids[$0] < ids[$1] }
        case .reversed: return ids.indices.reversed()
        case .shuffled(let seed):
            var generator = SeededGenerator(seed: seed &+ number)
            return ids.indices.shuffled(using: &generator)
        }
    }
}

// MARK: - Truncation

extension AnswerComposer {
    /// A text cut to at most `maximum` octets (R24), in the way of the behavior (S10).
    private func cut(_ text: [UInt8], to maximum: UInt16?) -> ArraySlice<UInt8> {
        let maximum = Int(maximum ?? .max)
        guard text.count > maximum else { return text[...] }
        switch behavior.truncation {
        case .characters: return wholeCharacters(of: text, maximum)
        case .octets: return text[..<maximum]
        case .ellipsisBeyond:
            // U+2026; with it, the value must still not exceed the longest possible length.
            let ellipsis: [UInt8] = [0xE2, 0x80, 0xA6]
            let longest = Int(UInt16.max) - ellipsis.count
            return wholeCharacters(of: text, min(maximum, longest)) + ellipsis
        }
    }

    private func wholeCharacters(of text: [UInt8], _ maximum: Int) -> ArraySlice<UInt8> {
        var end = maximum
        // A character has at most three continuation octets; more are not UTF-8.
        while end > 0, maximum - end < 4, text[end].continuesCharacter { end -= 1 }
        return text[..<end]
    }
}

extension UInt8 {
    /// Whether the octet continues a UTF-8 character.
    fileprivate var continuesCharacter: Bool { self & 0xC0 == 0x80 }
}
