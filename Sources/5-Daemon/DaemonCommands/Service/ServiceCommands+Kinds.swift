internal import ANCSService
internal import CommandKit
internal import EventLines
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
        [LineKind("pairing", as: "step", "a step of the dialogue", then: PairingStep.form)]
            + PeerEvent.questions.map { $0.with(after: ["time": .time]) })
}
