internal import ANCSMedia
internal import CommandKit
internal import EventLines

extension ReceiveReport {
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
                + all(answers + PhoneMedia.kinds + former, ["phone": .phone], maybe))
    }()
}
