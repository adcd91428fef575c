package import ANCSReceiver
internal import EventLines
package import JSONText

/// Notifications as JSON: the format of `ancs receive --json` and of the protocol pipe.
extension NotificationFeed.Delivery: JSONDescribed {
    /// An object with the announcement and the attributes that arrived. Attributes that were not requested
    /// are absent, those that are empty on the phone are `""`.
    package var json: JSONValue { .object(jsonMembers) }

    /// Describes the announcement and the attributes that arrived.
    package func describe(to object: inout some JSONMembers) {
        source.describe(to: &object)
        describeAttributes(to: &object)
    }

    /// Describes the attributes that arrived, and their marks.
    package func describeAttributes(to object: inout some JSONMembers) {
        describeApp(to: &object)
        attributes.describe(utcOffset: utcOffset, to: &object)
        describeMarks(to: &object)
        object.add("failure", present: failure?.json)
        object.add("displayNameFailure", present: displayNameFailure?.json)
    }

    /// Describes the app and the title: what a removal repeats.
    package func describeNames(to object: inout some JSONMembers) {
        describeApp(to: &object)
        attributes.describe(.title, as: "title", to: &object)
    }

    private func describeApp(to object: inout some JSONMembers) {
        guard let app = self[.appIdentifier] else { return }
        object.add("app") { members in
            members.add("identifier", text: app.octets)
            if let displayName { members.add("displayName", text: displayName.octets) }
        }
    }

    /// Describes what is true of it; its other members are absent.
    private func describeMarks(to object: inout some JSONMembers) {
        if isCompletion { object.add("completes", true) }
        if isPreExisting, !source.eventFlags.contains(.preExisting) {
            object.add("preExisting", true)
        }
        object.add("seen", present: wasSeen.map { .boolean($0) })
        let texts: [NotificationAttributeID] = [.title, .subtitle, .message]
        let repaired = texts.filter { id in self[id].map { !$0.isValidUTF8 } ?? false }
        if !truncatedTexts.isEmpty {
            object.add("truncated", texts: truncatedTexts.map(\.description))
        }
        if !repaired.isEmpty { object.add("repaired", texts: repaired.map(\.description)) }
    }
}

extension [AttributeValue] {
    /// Describes the texts, the size, the date and the action labels of a notification's attributes; an
    /// invalid number or date remains a string. A date has its offset from UTC, if that is known.
    package func describe(utcOffset: UTCOffset? = nil, to object: inout some JSONMembers) {
        describe(.title, as: "title", to: &object)
        describe(.subtitle, as: "subtitle", to: &object)
        describe(.message, as: "message", to: &object)
        if let size = value(.messageSize) {
            object.add("messageSize", size.number.map { .integer($0) } ?? .string(size.text))
        }
        if let value = value(.date) {
            if let date = value.date {
                object.addText("date", atMost: 25) { date.write(at: utcOffset, to: &$0) }
            } else {
                object.add("date", text: value.octets)
            }
        }
        guard value(.positiveActionLabel) != nil || value(.negativeActionLabel) != nil else {
            return
        }
        object.add("actions") { labels in
            describe(.positiveActionLabel, as: "positive", to: &labels)
            describe(.negativeActionLabel, as: "negative", to: &labels)
        }
    }

    fileprivate func describe(
        _ id: NotificationAttributeID, as name: StaticString, to object: inout some JSONMembers
    ) {
        if let value = value(id) { object.add(name, text: value.octets) }
    }

    private func value(_ id: NotificationAttributeID) -> AttributeValue? {
        first { $0.id == id.rawValue }
    }
}

extension RequestError {
    /// An object with `reason` and, where the phone refused, `attError` and its name.
    package var json: JSONValue {
        switch code {
        case .refused(let error): error.refusal
        case .notPerformed: ControlPointError.actionFailed.refusal
        case .timedOut: ["reason": "timedOut"]
        case .removed: ["reason": "removed"]
        case .notConnected, .sessionEnded: ["reason": "sessionEnded"]
        case .evicted: ["reason": "evicted"]
        case .responseTooLong: ["reason": "responseTooLong"]
        case .contentUnavailable: ["reason": "contentUnavailable"]
        case .actionUnavailable: ["reason": "actionUnavailable"]
        case .alreadyPerformed: ["reason": "alreadyPerformed"]
        case .tooManyRequests: ["reason": "tooManyRequests"]
        case .invalidRequest: ["reason": "invalidCommand"]
        }
    }
}

extension RequestFailure {
    /// An object with `reason` and, where the phone refused, `attError` and its name.
    package var json: JSONValue { RequestError(failure: self).json }
}

extension ControlPointError {
    fileprivate var refusal: JSONValue {
        ["reason": "refused", "attError": .integer(Int(rawValue)), "name": .string(description)]
    }
}
