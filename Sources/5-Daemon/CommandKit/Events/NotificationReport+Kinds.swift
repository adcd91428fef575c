internal import ANCSService
internal import EventLines
package import Kinds

extension NotificationReport {
    /// The attributes that arrived.
    package static let texts: LineKind.Members = [
        "app?": .app.described("its `identifier`, and its `displayName` if that is known"),
        "title?": .text, "subtitle?": .text, "message?": .text,
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
            "announced", "a call rings. Its `added` follows, complete, unless the call ends first",
            NotificationSourceValue.members),
        LineKind(
            "added|modified",
            "there is a notification, or it has changed. Each notification has one `added`",
            NotificationSourceValue.members, texts,
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
            NotificationSourceValue.members, ["app?": .app, "title?": .text]),
    ]

    /// The kind of lines of what became of a call.
    package static let kindOfCalls = LineKind(
        "answered|ended", "of watch: the call that began with the notification is active, or over",
        NotificationSourceValue.members,
        [
            "app?": .app, "title?": .text,
            "outcome?": .words(CallOutcome.allCases.map(\.rawValue)).described(
                "of ended: how. `missed`; `declined` or `answered` here; `elsewhere`, on the phone or another "
                    + "device; `hungUp` after it was active; `unknown` if the phone has gone"),
        ])
}
