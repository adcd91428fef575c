package import ANCS
package import ANCSReceiver
package import JSONText

/// Notifications as JSON: the format of `ancs receive --json` and of the protocol pipe.
extension NotificationFeed.Delivery {
    /// An object with the announcement and the attributes that arrived. Attributes that were not requested
    /// are absent, those that are empty on the phone are `""`.
    package var json: JSONValue {
        .object(source.jsonMembers + attributeMembers)
    }

    /// The attributes that arrived, and their marks.
    var attributeMembers: [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        if let app = self[.appIdentifier] {
            var appMembers = [JSONValue.Member("identifier", .string(app.text))]
            if let displayName {
                appMembers.append(JSONValue.Member("displayName", .string(displayName.text)))
            }
            members.append(JSONValue.Member("app", .object(appMembers)))
        }
        members += [AttributeValue].members(of: attributes, utcOffset: utcOffset)
        members += marks
        if let failure { members.append(JSONValue.Member("failure", failure.json)) }
        if let displayNameFailure {
            members.append(JSONValue.Member("displayNameFailure", displayNameFailure.json))
        }
        return members
    }
}

extension NotificationFeed.Delivery {
    /// Members that are present only if they are true.
    private var marks: [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        if isCompletion { members.append(JSONValue.Member("completes", true)) }
        if isPreExisting, !source.eventFlags.contains(.preExisting) {
            members.append(JSONValue.Member("preExisting", true))
        }
        if let wasSeen { members.append(JSONValue.Member("seen", .boolean(wasSeen))) }
        let texts: [NotificationAttributeID] = [.title, .subtitle, .message]
        let lists = [
            ("truncated", truncatedTexts),
            ("repaired", texts.filter { id in self[id].map { !$0.isValidUTF8 } ?? false }),
        ]
        for (name, ids) in lists where !ids.isEmpty {
            members.append(JSONValue.Member(name, .array(ids.map { .string($0.description) })))
        }
        return members
    }
}

extension NotificationSourceValue {
    /// The announcement, member by member: `event`, `uid`, `flags`, `category`, `categoryID`,
    /// `categoryCount`.
    package var jsonMembers: [JSONValue.Member] { jsonMembers(event: eventID.description) }

    /// The announcement of a ringing call whose texts have yet to arrive: the same with `event` as
    /// `announced`.
    package var announcedJSON: JSONValue { .object(jsonMembers(event: "announced")) }

    /// The same with another `event`.
    func jsonMembers(event: String) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        describe(event: event, to: &members)
        return members
    }

    /// Says what was announced, member by member.
    package func describe(to object: inout some JSONMembers) {
        describe(event: eventID.description, to: &object)
    }

    package func describe(event: String, to object: inout some JSONMembers) {
        object.add("event", .string(event))
        object.add("uid", .integer(Int(notificationUID.rawValue)))
        object.add("flags", .array(eventFlags.names.map { .string($0) }))
        object.add("category", .string(categoryID.description))
        object.add("categoryID", .integer(Int(categoryID.rawValue)))
        object.add("categoryCount", .integer(Int(categoryCount)))
    }
}

extension Array where Element == AttributeValue {
    /// The texts, the size, the date and the action labels of a notification's attributes; an invalid number
    /// or date remains a string. A date has its offset from UTC, if that is known.
    package static func members(
        of attributes: [AttributeValue], utcOffset: UTCOffset? = nil
    ) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        func value(_ id: NotificationAttributeID) -> AttributeValue? {
            attributes.first { $0.id == id.rawValue }
        }
        for id in [NotificationAttributeID.title, .subtitle, .message] {
            guard let text = value(id)?.text else { continue }
            members.append(JSONValue.Member(id.description, .string(text)))
        }
        if let size = value(.messageSize) {
            let number = size.number.map { JSONValue.integer($0) }
            members.append(JSONValue.Member("messageSize", number ?? .string(size.text)))
        }
        if let date = value(.date) {
            members.append(
                JSONValue.Member("date", .string(date.date?.text(at: utcOffset) ?? date.text)))
        }
        var actions: [JSONValue.Member] = []
        if let label = value(.positiveActionLabel) {
            actions.append(JSONValue.Member("positive", .string(label.text)))
        }
        if let label = value(.negativeActionLabel) {
            actions.append(JSONValue.Member("negative", .string(label.text)))
        }
        if !actions.isEmpty { members.append(JSONValue.Member("actions", .object(actions))) }
        return members
    }
}

extension RequestError {
    /// An object with `reason` and, where the phone refused, `attError` and its name.
    package var json: JSONValue {
        switch code {
        case .refused(let error): RequestFailure.refused(error).json
        case .notPerformed: RequestFailure.refused(.actionFailed).json
        case .timedOut: RequestFailure.timedOut.json
        case .removed: RequestFailure.removed.json
        case .notConnected, .sessionEnded: RequestFailure.sessionEnded.json
        case .evicted: RequestFailure.evicted.json
        case .responseTooLong: RequestFailure.responseTooLong.json
        case .contentUnavailable: RequestFailure.contentUnavailable.json
        case .actionUnavailable: ["reason": "actionUnavailable"]
        case .alreadyPerformed: ["reason": "alreadyPerformed"]
        case .tooManyRequests: ["reason": "tooManyRequests"]
        case .invalidRequest: ["reason": "invalidCommand"]
        }
    }
}

extension RequestFailure {
    /// An object with `reason` and, where the phone refused, `attError` and its name.
    package var json: JSONValue {
        switch self {
        case .refused(let error):
            [
                "reason": "refused", "attError": .integer(Int(error.rawValue)),
                "name": .string(error.description),
            ]
        case .timedOut: ["reason": "timedOut"]
        case .removed: ["reason": "removed"]
        case .sessionEnded: ["reason": "sessionEnded"]
        case .evicted: ["reason": "evicted"]
        case .responseTooLong: ["reason": "responseTooLong"]
        case .contentUnavailable: ["reason": "contentUnavailable"]
        }
    }
}
