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
        let app = self[.appIdentifier].map { app in
            JSONValue.object(present: [
                "identifier": .string(app.text),
                "displayName": displayName.map { .string($0.text) },
            ])
        }
        let failures = [JSONValue.Member](present: [
            "failure": failure?.json, "displayNameFailure": displayNameFailure?.json,
        ])
        return [JSONValue.Member](present: ["app": app])
            + [AttributeValue].members(of: attributes, utcOffset: utcOffset) + marks + failures
    }
}

extension NotificationFeed.Delivery {
    /// Members that are present only if they are true.
    private var marks: [JSONValue.Member] {
        let isEarlier = isPreExisting && !source.eventFlags.contains(.preExisting)
        let texts: [NotificationAttributeID] = [.title, .subtitle, .message]
        let repaired = texts.filter { id in self[id].map { !$0.isValidUTF8 } ?? false }
        return [JSONValue.Member](present: [
            "completes": isCompletion ? true : nil, "preExisting": isEarlier ? true : nil,
            "seen": wasSeen.map { .boolean($0) }, "truncated": Self.names(truncatedTexts),
            "repaired": Self.names(repaired),
        ])
    }

    private static func names(_ ids: [NotificationAttributeID]) -> JSONValue? {
        ids.isEmpty ? nil : .array(ids.map { .string($0.description) })
    }
}

extension NotificationSourceValue {
    /// The announcement, member by member: `event`, `uid`, `flags`, `category`, `categoryID`,
    /// `categoryCount`.
    package var jsonMembers: [JSONValue.Member] { jsonMembers(event: eventID.description) }

    /// The same with another `event`, such as `announced` for a ringing call whose texts have yet to arrive.
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
        func value(_ id: NotificationAttributeID) -> AttributeValue? {
            attributes.first { $0.id == id.rawValue }
        }
        func text(_ id: NotificationAttributeID) -> JSONValue? {
            value(id).map { .string($0.text) }
        }
        let actions = [JSONValue.Member](present: [
            "positive": text(.positiveActionLabel), "negative": text(.negativeActionLabel),
        ])
        return [JSONValue.Member](present: [
            "title": text(.title), "subtitle": text(.subtitle), "message": text(.message),
            "messageSize": value(.messageSize)?.number.map { .integer($0) } ?? text(.messageSize),
            "date": value(.date)?.date.map { .string($0.text(at: utcOffset)) } ?? text(.date),
            "actions": actions.isEmpty ? nil : .object(actions),
        ])
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
