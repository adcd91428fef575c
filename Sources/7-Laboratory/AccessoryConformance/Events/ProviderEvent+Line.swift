package import ANCSKit
package import EventLines
package import Kinds

extension ProviderEvent {
    /// What a phone says about the event; `posted` is the notification that it is about. Without it, as in a
    /// scenario, which has the texts, no content is said.
    package func line(for reporter: Reporter, _ posted: PostedNotification? = nil) -> Line {
        switch self {
        case .device(let event): event.line(for: reporter)
        case .peer(let id, let event): event.line(for: reporter).about(id.jsonMember)
        case .link(let id, let event): event.line.about(id.jsonMember)
        case .session(let id, let event): event.line.about(id.jsonMember)
        case .notification(let change, let id): Self.line(of: change, id, posted)
        }
    }

    private static func line(
        of change: EventID, _ id: NotificationID, _ posted: PostedNotification?
    ) -> Line {
        let mark = change.mark
        let isGone = change == .removed
        let present = isGone ? nil : posted
        return Line(
            "notification",
            [
                .init("change", .string(change.description)),
                .init("notification", .integer(Int(id.rawValue))),
            ] + (present?.jsonMembers ?? []),
            isGone ? "- \(id.rawValue)" : present?.heading(id, mark), .heading,
            below: present?.below ?? [], detail: "a notification of the phone: \(change)"
        ).viewed(posted?.view(mark, isGone: isGone) ?? .sight("\(mark) a notification"))
    }

    /// Whether it is of no interest to people: the traffic of a session, which only programs, logs and views of
    /// both sides show. Its line has no sentence.
    package var isRoutine: Bool {
        switch self {
        case .session(_, .announced), .session(_, .command): true
        case .session(_, .answered(_, let outcome)): !outcome.isRefusal
        case .session(_, .media(let event)): event.isRoutine
        case .device, .peer, .link, .session, .notification: false
        }
    }

    /// What a log says of it, and a failure of what came before it; without the content of notifications.
    package var log: String { line(for: Reporter(side: .phone, name: "")).log ?? "" }
}

extension AccessoryID {
    /// Which accessory an object is about.
    fileprivate var jsonMember: JSONValue.Member { .init("accessory", .integer(Int(rawValue))) }
}

extension ProviderEvent.SessionEvent {
    fileprivate var line: Line {
        switch self {
        case .subscriptionChanged(let characteristic, let isSubscribed):
            SubscribedCharacteristic(characteristic).line(isSubscribed)
        case .serviceChangedSubscription(let isSubscribed):
            SubscribedCharacteristic.serviceChanged.line(isSubscribed)
        case .serviceChangedConfirmed: Line("confirmed", [], detail: "confirmed Service Changed")
        case .attributeRead(let attribute):
            Line(
                "read", ["characteristic": .string(attribute.rawValue)],
                detail: "read \(attribute.text)")
        case .attributeSubscription(let attribute, let isSubscribed):
            Line(
                "subscription",
                ["characteristic": .string(attribute.rawValue), "on": .boolean(isSubscribed)],
                detail: subscriptionText(isSubscribed, attribute.text))
        case .started:
            Line("session", ["state": "started"], "receives notifications")
                .viewed(.link(.left, "subscribed: a session begins"))
        case .ended: Line("session", ["state": "ended"], "no longer receives notifications")
        case .announced(let notification, let source):
            Line(
                "announced",
                [
                    "notification": .integer(Int(notification.rawValue)),
                    "value": .object(source.jsonMembers),
                ],
                detail: "announced: UID \(source.notificationUID) \(source.eventID), notification "
                    + "\(notification.rawValue)"
            ).viewed(.traffic(.right, source.eventID.description))
        case .command(let command):
            Line("command", command.jsonMembers, detail: command.text)
                .viewed(.traffic(.left, command.brief))
        case .commandWithoutResponse(let octets):
            Line(
                "commandWithoutResponse", ["octets": .string(Hexadecimal.text(octets))],
                "wrote \(counted(octets.count, "octet")) without a response, which the phone ignores",
                detail: "a Write Command, which is ignored (\(octets.hexText))")
        case .answered(let command, let outcome): outcome.line(of: command)
        case .action(let request, let isPerformed):
            Line(
                "action",
                [
                    "notification": .integer(Int(request.notificationID.rawValue)),
                    "uid": .integer(Int(request.notificationUID.rawValue)),
                    "action": .string(request.actionID.description),
                    "performed": .boolean(isPerformed),
                ],
                "\(request.actionID) action on \(request.notificationID.rawValue)"
                    + (isPerformed ? "" : " failed"),
                detail: "\(request.actionID) action of UID \(request.notificationUID) "
                    + (isPerformed ? "performed" : "not performed"))
        case .media(let event): event.line
        }
    }
}

extension SubscribedCharacteristic {
    func line(_ isSubscribed: Bool) -> Line {
        Line(
            "subscription", ["characteristic": .string(rawValue), "on": .boolean(isSubscribed)],
            detail: subscriptionText(isSubscribed, text))
    }
}

extension ProviderSession.Command {
    fileprivate var jsonMembers: [JSONValue.Member] {
        switch self {
        case .decoded(let command): command.jsonMembers
        case .malformed(let octets, _):
            [.init("command", "malformed"), .init("octets", .string(Hexadecimal.text(octets)))]
        }
    }

    /// The name of the command alone.
    fileprivate var name: String {
        switch self {
        case .decoded(let command): command.commandID.description
        case .malformed: "a value that is not a command"
        }
    }

    /// Words short enough for an arrow.
    fileprivate var brief: String {
        switch self {
        case .decoded(.getNotificationAttributes): "attributes?"
        case .decoded(.getAppAttributes): "app name?"
        case .decoded(.performNotificationAction(let perform)): perform.actionID.description
        case .malformed: "malformed"
        }
    }
}

extension ProviderSession.Outcome {
    /// How a command ended. A refusal is always said.
    fileprivate func line(of command: ProviderSession.Command) -> Line {
        Line(
            "answered", jsonMembers + command.jsonMembers,
            isRefusal ? "\(command.text): refused, \(text)" : nil,
            detail: "answer to \(command.name): \(text)"
        ).viewed(.traffic(.right, brief))
    }

    fileprivate var isRefusal: Bool {
        switch self {
        case .refused: true
        case .sent, .withheld, .performed, .ignored, .abandoned: false
        }
    }

    private var jsonMembers: [JSONValue.Member] {
        func outcome(_ word: String) -> JSONValue.Member { .init("outcome", .string(word)) }
        return switch self {
        case .sent(let octets): [outcome("sent"), .init("octets", .integer(octets))]
        case .withheld: [outcome("withheld")]
        case .performed: [outcome("performed")]
        case .refused(let error):
            [
                outcome("refused"), .init("attError", .integer(Int(error.rawValue))),
                .init("name", .string(error.description)),
            ]
        case .ignored: [outcome("ignored")]
        case .abandoned(let octets): [outcome("abandoned"), .init("octets", .integer(octets))]
        }
    }

    /// What the command got.
    private var text: String {
        switch self {
        case .sent(let octets): counted(octets, "octet")
        case .withheld: "none"
        case .performed: "performed"
        case .refused(let error): error.code.nameWithCode
        case .ignored: "no response"
        case .abandoned(let octets): "abandoned after \(counted(octets, "octet"))"
        }
    }

    /// Words short enough for an arrow.
    private var brief: String {
        switch self {
        case .sent(let octets): counted(octets, "octet")
        case .performed: "performed"
        case .refused(let error): "error 0x\([error.rawValue].hexText)"
        case .withheld, .ignored: "no answer"
        case .abandoned(let octets): "lost at \(octets)"
        }
    }
}

extension ProviderEvent {
    /// The kinds of lines of an accessory's links and sessions, without the accessory.
    package static let ofAccessories =
        LinkEvent.kinds + [
            LineKind(
                "subscription", "an accessory subscribed to a characteristic, or unsubscribed",
                [
                    "characteristic": .words([
                        "notificationSource", "dataSource", "serviceChanged", "batteryLevel",
                        "currentTime", "remoteCommand", "entityUpdate",
                    ]), "on": .boolean,
                ]),
            LineKind("confirmed", "an accessory confirmed Service Changed"),
            LineKind(
                "read", "an accessory read a value",
                [
                    "characteristic": .words([
                        "batteryLevel", "currentTime", "localTimeInformation",
                        "referenceTimeInformation",
                    ])
                ]),
            LineKind(
                "session", as: "session", "an ANCS session started or ended",
                ["state": .words(["started", "ended"])]),
            LineKind(
                "announced", as: "announcedTo", "a notification was announced to an accessory",
                [
                    "notification": .count,
                    "value": .object(
                        ["event": .words(["added", "modified", "removed"])],
                        NotificationSourceValue.members),
                ]),
            LineKind(
                "command", "an accessory wrote a command to the Control Point",
                ShownCommand.subject, ShownCommand.attributes),
            LineKind("command", "it wrote what is not a command", ShownCommand.malformed),
            LineKind(
                "commandWithoutResponse", "a Write Command to the Control Point, which is ignored",
                ["octets": .hexadecimal]),
            LineKind(
                "answered", "a command has ended",
                [
                    "outcome": .words([
                        "sent", "withheld", "performed", "refused", "ignored", "abandoned",
                    ]), "octets?": .count.described("those of the answer"), "attError?": .octet,
                    "name?": .text,
                ], ShownCommand.subject, ShownCommand.attributes),
            LineKind(
                "answered", "what is not a command was refused, or ignored",
                ["outcome": .words(["refused", "ignored"]), "attError?": .octet, "name?": .text],
                ShownCommand.malformed),
            LineKind(
                "action", as: "actionOf", "an accessory requested an action",
                ["notification": .count, "uid": .uid, "action": .text, "performed": .boolean]),
            MediaSourceEvent.kind,
        ]

    /// The kinds of lines of these events.
    package static let kinds =
        DeviceEvent.kinds
        + (PeerEvent.kinds + ofAccessories).map { $0.with(about: ["accessory": .ordinal]) }
        + [notification]

    package static let notification = LineKind(
        "notification",
        "a notification of the phone has changed. In a scenario its content is not repeated",
        ["change": .words(["added", "modified", "removed"]), "notification": .count],
        PostedNotification.content)
}

/// A command that an accessory wrote to the Control Point, and one that is none.
enum ShownCommand {
    static let subject: LineKind.Members = [
        "command": .words([
            "getNotificationAttributes", "getAppAttributes", "performNotificationAction",
        ]), "uid?": .uid, "appIdentifier?": .text, "action?": .text, "actionID?": .octet,
    ]
    static let attributes: LineKind.Members = ["attributes?": .requestedAttributes]
    static let malformed: LineKind.Members = [
        "command": .constant("malformed"), "octets": .hexadecimal,
    ]
}
