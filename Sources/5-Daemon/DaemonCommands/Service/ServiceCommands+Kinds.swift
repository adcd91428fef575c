internal import ANCSEvents
internal import ANCSService
internal import CommandKit
internal import EventLines
internal import JSONText
package import Kinds

extension ServiceCommands {
    /// The lines of `ancs list` and `ancs watch`: notifications, with what the daemon adds.
    package static let recordSchema = LineSchema(
        "record", of: ["list", "watch"],
        "One object per line on standard output: a notification as ancs receive has it, with what the "
            + "daemon adds. Documentation/Serve.md explains them.",
        (NotificationReport.kinds + [NotificationReport.kindOfCalls]).map {
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

    /// The line of `ancs status`.
    package static let statusSchema = LineSchema(
        "status", "One object on standard output.",
        [
            LineKind(
                "", "the state of the daemon, of its phones and of what it passes notifications to",
                StatusReport.form)
        ])

    /// The lines of `ancs mute --list`, which version 0.1 called `ancs apps`.
    package static let appsSchema = LineSchema(
        "apps", of: ["mute", "apps"],
        "One object per line on standard output: an app that has sent notifications.",
        [LineKind("", "an app that has sent notifications", ListedApp.form)])

    /// The lines of `ancs pair`. Those with a step are also what the method `PairingSteps` on D-Bus returns.
    package static let pairSchema = LineSchema(
        "pair",
        "One object per line on standard output. Documentation/Serve.md describes the steps. The lines "
            + "with a step are also what the D-Bus method PairingSteps returns.",
        [
            step(
                "alreadyReceiving|onAir|offAir|obstacle|connected|noDigits|declined|failed|noService"
                    + "|consentMissing|silent|keyTrouble|adapterFailed|otherApp|otherCauses",
                as: "step", "a step of the dialogue"),
            step(
                "opened", "phones may pair",
                ["seconds": SchemaFragment.ordinal.described("how long")]),
            step(
                "crowd|hesitation", as: "unpaired", "devices that are not paired have connected",
                ["count": SchemaFragment.ordinal.described("how often")]),
            step(
                "asks", "the user will be asked",
                ["question": .words(["display", "compare", "enter", "consent", "accept"])]),
            step(
                "paired", "the phone has paired",
                [
                    "replaced?": .text.described(
                        "the name of the phone whose keys were replaced; empty if it has none")
                ]),
            step(
                "ended", as: "receiving", "the last step: notifications are received",
                ["result": .constant("receiving")]),
            step(
                "ended", as: "ended", "the last step: they are not",
                [
                    "result": .constant("failed"),
                    "cause": .words([
                        "closed", "adapterGone", "consentMissing", "noService", "silent", "left",
                        "unfinished", "keyTrouble", "declined", "unanswered", "failed", "noDigits",
                        "unaccepted", "neverPaired", "notOnAir", "noDevice",
                    ]).described("the most likely one"),
                    "count?": SchemaFragment.ordinal.described(
                        "of neverPaired: how often devices that are not paired have connected"),
                ]),
        ] + PeerEvent.questions.map { $0.with(after: ["time": .time]) })

    private static func step(
        _ words: String, as name: String? = nil, _ meaning: String,
        _ members: LineKind.Members = [:]
    ) -> LineKind {
        let words = words.split(separator: "|").map(String.init)
        return LineKind(
            "pairing", as: name ?? words[0], meaning,
            [
                "step": .words(oneOf: words),
                "number": SchemaFragment.ordinal.described(
                    "counts the steps since the daemon started"),
                "text": .nonemptyText.described(
                    "what happened and what to do, in one sentence. It may contain the name of a phone, "
                        + "which is untrusted"), "time": .time, "phone?": .phone,
                "name?": .text.described("the name of the phone, untrusted"),
            ], members)
    }
}
