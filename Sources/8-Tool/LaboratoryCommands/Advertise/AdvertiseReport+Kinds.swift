internal import ANCSEvents
internal import BluetoothLE
internal import CommandKit
internal import EventLines
package import Kinds

extension AdvertiseReport {
    private static let value: LineKind.Members = ["service": .uuid, "characteristic": .uuid]
    private static let octets: LineKind.Members = [
        "octets": .hexadecimal, "value?": .text.described("if the octets are text"),
    ]

    /// The kinds of lines that no other command has.
    static let kinds =
        [
            LineKind("plan", "what fits where, before anything is on air", AdvertisementPlan.form),
            LineKind(
                "advertising", as: "onAir", "advertising started", ["on": .true_],
                then: AdvertisementPlan.form),
            LineKind(
                "advertising", as: "offAir", "advertising ended",
                [
                    "on": .constant(false),
                    "reason": .words(["connected", "timeLimit", "stopped", "interrupted"]),
                    "message?": .text,
                ]),
        ]
        + [
            LineKind("read|written", "a central has read or written a value", value, octets),
            LineKind(
                "subscribed|unsubscribed", "a central subscribed to a value, or unsubscribed", value
            ),
            LineKind(
                "refused", "the write of a central was refused",
                ["service?": .uuid, "characteristic?": .uuid, "attError": .octet]),
        ].map { $0.with(about: ["central": .identifier]) }
        + [
            LineKind(
                "updated", "the user changed a value", value, octets,
                ["subscribers": .count, "sent": .boolean])
        ]

    /// The kinds of lines that only version 0.1 had.
    private static let former = [
        LineKind(
            "state", as: "formerState",
            "version 0.1's line for `ready` and `resetting`; the next version does not print it",
            ["state": .words(["poweredOn", "resetting"]), "reason?": .text]),
        LineKind(
            "listening", as: "formerListening", "version 0.1's line for `listening`",
            ["place": .text]),
        LineKind(
            "identified", as: "formerIdentified", "version 0.1's line for `identified`",
            ["central": .identifier, "known": .identifier]),
    ]

    /// The lines of `ancs advertise`. What it advertises is in its own lines.
    package static let schema = LineSchema(
        "advertise",
        "One object per line on standard output. Documentation/Advertising.md explains it.",
        kinds
            + DeviceEvent.kinds.filter { !["advertising", "warning", "missed"].contains($0.name) }
            + PeerEvent.kinds.map { $0.with(about: ["central": .identifier]) } + former)
}
