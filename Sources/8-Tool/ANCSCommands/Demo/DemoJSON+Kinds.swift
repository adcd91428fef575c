internal import AccessoryConformance
internal import CommandKit
internal import EventLines

extension DemoJSON {
    /// The lines of `ancs demo`.
    static let schema = LineSchema(
        "demo",
        "One object per line on standard output: the lines of ancs phone and, without the phone and the "
            + "session, of ancs receive, with the side and the time in seconds since the start.",
        lines("phone", ProviderEvent.kinds) + lines("scenario", ScenarioReport.kinds)
            + lines(
                "accessory",
                NotificationReport.kinds + ConsumerEvent.SessionEvent.kinds + PeerEvent.kinds
                    + DeviceEvent.kinds + [
                        LineKind(
                            "pressed", "the user of the accessory presses a button",
                            ["uid": .uid, "action": .text, "label": .text])
                    ]))

    private static func lines(_ side: String, _ kinds: [LineKind]) -> [LineKind] {
        kinds.map { kind in
            kind.with(before: ["side": .constant(.string(side)), "time": .seconds])
                .named("\(side).\(kind.name)")
        }
    }
}
