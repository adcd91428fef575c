internal import ANCSEvents
internal import ANCSKit
internal import CommandKit
internal import JSONText
internal import Values

extension PostedNotification {
    /// What the phone shows of a notification.
    static let content: LineKind.Members = [
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
                "interval?": .milliseconds,
                "connections?": .words(["oneDevice", "none"])
                    .described("who may connect, if not everyone"),
                "flags": .boolean, "txPower": .boolean,
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
                        "requirement": .words(["L1", "L2", "L4", "L5", "L6", "L7"]),
                        "editions": .words(["2022", "2025", "2022 and 2025"]),
                    ])
                ).described(
                    "which of Apple's requirements the request breaks, and in which editions"),
            ]),
        LineKind(
            "parametersUpdated", "the parameters of an accessory's link have changed",
            ["link": .link]),
        LineKind(
            "phoneAddressChanged",
            "the phone connects with another address than on the link before, as it does now and then"
        ),
        LineKind(
            "services", "the primary services of an accessory were discovered",
            ["services": .texts]),
    ]
}
