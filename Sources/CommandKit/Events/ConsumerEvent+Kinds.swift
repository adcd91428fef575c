internal import ANCSReceiver
internal import JSONText
package import Values

extension NotificationReport {
    /// What the phone announced.
    package static let header: LineKind.Members = [
        "uid": .uid, "flags": .flags.described("an unknown one is `reserved` and its number"),
        "category": .text.described(
            "an unknown one is `reserved` and its number, or the name of what iOS is known to use it for"
        ),
        "categoryID": .octet,
        "categoryCount": .octet.described("how many notifications of the category the phone has"),
    ]

    /// The attributes that arrived.
    package static let texts: LineKind.Members = [
        "app?": .app.described("its `identifier`, and its `displayName` if that is known"),
        "title?": .text, "subtitle?": .text,
        "message?": .text,
        "messageSize?": SchemaFragment(dictionaryLiteral: ("type", ["integer", "string"]))
            .described(
                "that of the message in octets, as the phone says; what is no number is as received"
            ),
        "date?": .text.described(
            "the phone's local time, with its offset from UTC once the phone has said it; what is no "
                + "date is as received"),
        "actions?": .labels,
    ]

    /// The kinds of lines of notifications.
    package static let kinds = [
        LineKind(
            "announced",
            "a call rings. Its `added` follows, complete, unless the call ends first", header),
        LineKind(
            "added|modified",
            "there is a notification, or it has changed. Each notification has one `added`", header,
            texts,
            [
                "completes?": SchemaFragment.true_.described(
                    "of `modified`: missing attributes have arrived"),
                "preExisting?": SchemaFragment.true_.described(
                    "it existed before the session according to its date and the phone's clock, but not "
                        + "according to its flags"),
                "seen?": .boolean.described(
                    "with `--remember`: whether an earlier session showed the same notification"),
                "truncated?": .textNames.described("which texts the phone cut"),
                "repaired?": .textNames.described("which texts were not UTF-8"),
                "failure?": .failure, "displayNameFailure?": .failure,
            ]),
        LineKind(
            "removed", "the notification is gone. The app and the title are those last shown",
            header, ["app?": .app, "title?": .text]),
    ]
}

extension ConsumerEvent.SessionEvent {
    /// The kinds of lines of these events.
    package static let kinds = [
        kind("waitingForService", "the phone does not offer its notifications (yet)"),
        kind("started", "the session began"),
        kind("authorized", "the phone answers"),
        kind(
            "unauthorized",
            "the phone refuses: Share System Notifications is off", ["attError": .octet]),
        kind("silent", "the phone does not answer commands"),
        kind("wedged", "it still does not answer after `ancs` subscribed again"),
        kind("answering", "it answers again"),
        kind("unknown", "another session has begun, and the phone has yet to answer"),
        kind("ended", "the session is over", ["reason": .text]),
    ]

    private static func kind(
        _ state: String, _ meaning: String, _ members: LineKind.Members = [:]
    ) -> LineKind {
        LineKind("session", meaning, ["state": .constant(.string(state))], members)
    }
}
