internal import ANCSKit
internal import JSONText
internal import Values

extension PostedNotification {
    /// What the phone shows of a notification.
    fileprivate static let content: LineKind.Members = [
        "flags?": .flags, "category?": .text, "categoryID?": .octet, "app?": .app, "title?": .text,
        "subtitle?": .text, "message?": .text, "date?": .text, "actions?": .labels,
    ]
}

/// A command that an accessory wrote to the Control Point, and one that is none.
enum WrittenCommand {
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

extension ProviderEvent {
    /// The kinds of lines of an accessory's links and sessions, without the accessory.
    static let ofAccessories =
        LinkEvent.kinds + [
            LineKind(
                "subscription", "an accessory subscribed to a characteristic, or unsubscribed",
                [
                    "characteristic": .words([
                        "notificationSource", "dataSource", "serviceChanged", "batteryLevel",
                        "currentTime",
                    ]), "on": .boolean,
                ]),
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
                        NotificationReport.header),
                ]),
            LineKind(
                "command", "an accessory wrote a command to the Control Point",
                WrittenCommand.subject, WrittenCommand.attributes),
            LineKind(
                "command", "it wrote what is not a command", WrittenCommand.malformed),
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
                ], WrittenCommand.subject, WrittenCommand.attributes),
            LineKind(
                "answered", "what is not a command was refused, or ignored",
                ["outcome": .words(["refused", "ignored"]), "attError?": .octet, "name?": .text],
                WrittenCommand.malformed),
            LineKind(
                "action", as: "actionOf", "an accessory requested an action",
                ["notification": .count, "uid": .uid, "action": .text, "performed": .boolean]),
        ]

    /// The kinds of lines of these events.
    static let kinds =
        DeviceEvent.kinds
        + (PeerEvent.kinds + ofAccessories).map { $0.with(about: ["accessory": .ordinal]) }
        + [notification]

    static let notification = LineKind(
        "notification",
        "a notification of the phone has changed. In a scenario its content is not repeated",
        ["change": .words(["added", "modified", "removed"]), "notification": .count],
        PostedNotification.content)
}

extension ProviderEvent.LinkEvent {
    /// The kinds of lines of these events.
    fileprivate static let kinds = [
        LineKind(
            "advertising", as: "advertisingAccessory",
            "the phone is about to connect to an accessory that advertises so",
            [
                "interval?": .milliseconds, "flags": .boolean, "txPower": .boolean,
                "scanResponse": .boolean,
                "lacks": .texts.described("what Apple asks for and it does not have"),
            ]),
        LineKind(
            "parametersRequested",
            "an accessory requested connection parameters, by L2CAP or by the link layer",
            [
                "minimum": .milliseconds, "maximum": .milliseconds, "latency": .count,
                "timeout": .milliseconds,
                "answer": .words(["accepted", "refused", "acceptedOnly", "ignored"]),
                "breaks": .list(
                    of: .object([
                        "rule": .words(["L1", "L2", "L4", "L5", "L6", "L7"]),
                        "editions": .words(["2022", "2025", "2022 and 2025"]),
                    ])
                ).described("which of Apple's rules the request breaks, and in which editions"),
            ]),
        LineKind(
            "parametersUpdated", "the parameters of an accessory's link have changed",
            ["link": .link]),
        LineKind(
            "services", "the primary services of an accessory were discovered",
            ["services": .texts]),
    ]
}

extension PhoneReport {
    private static let states = SchemaFragment.words([
        "unbound", "justUnbound", "bound", "searching", "connecting", "connected",
    ])

    /// The kinds of lines of bindings, and of commands of the prompt.
    static let ofPrompt: [LineKind] = [
        LineKind(
            "binding", as: "bindingState", "the state of an app's binding has changed",
            ["app": .text, "state": states, "peripheral?": .identifier]),
        LineKind(
            "binding", as: "bindingChange", "something else happened to an app's binding",
            [
                "app": .text,
                "change": .words([
                    "bound", "unbound", "justUnbound", "accessoryUnknown", "warning", "missed",
                ]), "peripheral?": .identifier, "name?": .text, "text?": .text, "count?": .count,
            ]),
        LineKind(
            "accessories", "what `accessories` lists",
            [
                "list": .list(
                    of: .object([
                        "accessory": .ordinal, "name?": .text, "address": .address,
                        "identity?": .address, "link?": .link, "connected": .boolean,
                        "bonded": .boolean, "consent": .boolean, "encrypted?": .boolean,
                        "authenticated?": .boolean, "secureConnections?": .boolean, "mtu?": .count,
                        "notificationSource?": .boolean, "dataSource?": .boolean,
                    ]))
            ]),
        LineKind(
            "bindings", "what `bindings` lists",
            [
                "list": .list(
                    of: .object([
                        "app": .text, "service": .uuid, "state": states, "peripheral?": .identifier,
                        "name?": .text,
                    ]))
            ]),
        LineKind("apps", "what `apps` lists", ["list": .list(of: .app)]),
        LineKind(
            "notifications", "what `notifications` lists",
            ["list": .list(of: .object(["notification": .count], PostedNotification.content))]),
    ]

    /// The kinds of lines of a scenario.
    static let ofScenario: [LineKind] = [
        LineKind("scenario", "a scenario begins", ["title": .text, "steps": .count]),
        LineKind(
            "step", "a step of a scenario ended",
            [
                "number": .count, "step": .text, "path": .text, "round?": .count,
                "result": .words(["passed", "failed", "missed", "notReached"]), "seconds": .amount,
                "expected?": .text, "came?": .text, "because?": .texts, "before?": .texts,
            ]),
        LineKind(
            "rule", "the verdict on a rule of ANCS, for each accessory",
            [
                "accessory": .text, "rule": .text, "statement": .text,
                "result": .words(["passed", "failed", "notExercised"]), "evidence?": .texts,
            ]),
        LineKind(
            "result", "the scenario is over",
            [
                "title": .text, "result": .words(["passed", "failed"]), "passed": .count,
                "steps": .count, "seconds": .amount, "failedRules?": .count,
                "interruption?": .words(["timedOut", "interrupted", "phoneFailed", "notStarted"]),
            ]),
    ]

    /// The lines of `ancs phone`.
    static let schema = LineSchema(
        "phone",
        "One object per line on standard output: the events of the phone, and of its scenario if it plays "
            + "one. Documentation/Accessory.md and Scenarios.md explain them.",
        ProviderEvent.kinds + ofPrompt + ofScenario + [
            LineKind(
                "waiting", "a step has been waiting for a while",
                ["step": .text, "path": .text, "upTo": .seconds])
        ])
}
