internal import ANCSKit
internal import JSONText
internal import Values

extension NotificationReport {
    /// What the phone announced.
    static let header: LineKind.Members = [
        "uid": .uid, "flags": .flags.described("an unknown one is `reserved` and its number"),
        "category": .text.described(
            "an unknown one is `reserved` and its number, or the name of what iOS is known to use it for"
        ),
        "categoryID": .octet,
        "categoryCount": .octet.described("how many notifications of the category the phone has"),
    ]

    /// The attributes that arrived.
    static let texts: LineKind.Members = [
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
    static let kinds = [
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
    static let kinds = [
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

extension ReceiveReport {
    /// The phone and the session that a line is about.
    static let place = LineKind(
        "", "what lines about a phone have",
        [
            "phone": .phone,
            "session?": .ordinal.described(
                "the number of the session within the run, from `started` to the end of the link or the "
                    + "beginning of another session. A UID is valid only within its session"),
        ])

    /// The kinds of lines that answer commands of the user.
    static let answers = [
        LineKind(
            "action", "`perform UID` has ended",
            [
                "uid": .uid, "action": .words(["positive", "negative"]),
                "result": .words(["performed", "failed"]), "failure?": .failure,
            ]),
        LineKind(
            "attributes", "`fetch UID` has ended", ["uid": .uid], NotificationReport.texts,
            ["failure?": .failure]),
    ]

    /// The lines of `ancs receive`.
    static let schema: LineSchema = {
        let session: LineKind.Members = ["session": .ordinal]
        let maybe: LineKind.Members = ["session?": .ordinal]
        func all(_ kinds: [LineKind], _ place: LineKind.Members...) -> [LineKind] {
            kinds.map { kind in
                place.reduce(kind.with(after: ["time": .time])) { $0.with(after: $1) }
            }
        }
        return LineSchema(
            "receive",
            "One object per line on standard output. Documentation/Receive.md explains them.",
            all(NotificationReport.kinds, ["phone": .phone], session)
                + all(ConsumerEvent.SessionEvent.kinds, ["phone": .phone], maybe)
                + all(PeerEvent.kinds, ["phone": .phone], maybe) + all(DeviceEvent.kinds)
                + all(answers, ["phone": .phone], maybe))
    }()

    /// The lines of `ancs list` and `ancs watch`: notifications, with what the daemon adds.
    static let records = LineSchema(
        "record", of: ["list", "watch"],
        "One object per line on standard output: a notification as ancs receive has it, with what the "
            + "daemon adds. Documentation/Serve.md explains them.",
        NotificationReport.kinds.map {
            $0.with(after: [
                "time": .time, "phone": .phone, "session": .ordinal,
                "id": .recordID.described("identifies the notification, in every run"),
                "sameAs?": .recordID.described("the id that it had in an earlier session"),
                "rule?": .text.described("the rule that decided"),
                "muted?": SchemaFragment.true_.described(
                    "it is muted, by a rule or by 'ancs mute': nothing shows it"),
                "code?": .text.described("the one-time code in its text"),
            ])
        })
}
