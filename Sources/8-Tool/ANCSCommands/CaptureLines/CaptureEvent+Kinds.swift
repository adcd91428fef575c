internal import ANCSCapture
internal import AccessoryConformance
internal import Kinds

extension CaptureEvent {
    private typealias Members = LineKind.Members

    private static let reason: Members = ["reason": .text, "code": .octet]
    private static let maybeReason: Members = ["reason?": .text, "code?": .octet]
    static let transport = SchemaFragment.words(["LE", "BR/EDR"])
    private static let characteristic = SchemaFragment.words([
        "notificationSource", "controlPoint", "dataSource",
    ])
    private static func kind(
        _ kind: String, key: String = "event", _ state: String? = nil, _ meaning: String,
        _ members: Members...
    ) -> LineKind {
        let name = state.map { kind + $0.prefix(1).uppercased() + $0.dropFirst() }
        let states: Members =
            state.map { ["state": .words(oneOf: $0.split(separator: "|").map(String.init))] } ?? [:]
        let line = LineKind(
            kind, as: name?.split(separator: "|").first.map(String.init), key: key, meaning,
            states)
        return members.reduce(line) { $0.extended($1) }
    }

    /// The kinds of lines of a capture, without the time and the place.
    private static let ofCapture = [
        kind(
            "adapter", "added", "the machine that made the capture has an adapter",
            ["address": .address, "name": .text]),
        kind("adapter", "known", "its address becomes known", ["address": .address]),
        kind("adapter", "removed", "it is gone"),
        kind("lost", nil, "records that the capture dropped", ["records": .count]),
        kind("cut", nil, "packets were recorded incompletely", ["octets": .count]),
        kind(
            "notShown", nil,
            "what a link over BR/EDR, or the capture with audio, had besides, counted",
            ["contents": .list(of: NotShown.form.schema).filled.adding("maxItems", 16)]),
        kind("controllerReset", nil, "the controller is reset"),
        kind("hardwareError", nil, "the controller reports an error", ["code": .octet]),
        LineKind(
            "advertising", "this side begins to advertise, otherwise than before", Advertising.form),
        kind(
            "malformed", nil, "what is at this octet of the file is malformed",
            ["what": .text, "offset": .count]),
        LineKind(
            "connected", "a link begins, or one from before the capture is first seen",
            ConnectionFacts.form),
        kind("connectingFailed", nil, "connecting failed", ["address?": .address], reason),
        kind(
            "transport", nil, "the transport of a link from before the capture becomes known",
            ["transport": transport]),
        kind("link", nil, "its parameters have changed", ["link": .link]),
        LineKind(
            "parametersWanted", "a Peripheral requested connection parameters",
            ConnectionParameters.wanted),
        kind(
            "parametersAnswered", nil, "the Central answered it over L2CAP",
            ["accepted": .boolean]),
        kind("parametersRefused", nil, "other parameters were refused", reason),
        kind("disconnecting", nil, "the local side ends it"),
        kind("disconnected", nil, "it has ended", maybeReason, ["seconds?": .number]),
        kind(
            "advice", nil, "what to do about a device that came over BR/EDR, once for each",
            [
                "about": .words([
                    "phonePairedOverBREDR", "accessoryPairedOverBREDR", "phoneOverBREDR",
                ]), "advice": .text, "name?": .text, "address?": .address,
            ]),
        kind(
            "secured", nil, "the encryption of a link begins or ends",
            ["encrypted": .boolean, "key?": .words(["new", "stored"])]),
        kind("keyMissing", nil, "the side that was captured has no key for the other"),
        kind("pairing", "wanted|began", "a side asks to pair, or begins", ["side": .side]),
        kind("pairing", "agreed", "how the devices pair", ["bonding": .boolean], terms),
        kind("paired", nil, "they have paired", ["bonded": .boolean], terms),
        kind(
            "securityFailed", nil, "pairing or encryption failed",
            ["side?": .side.described("of pairing: who says so")], reason,
            ["key?": .words(["new", "stored"]).described("of encryption")]),
        kind("pairing", "unfinished", "it does not go on"),
        kind(
            "pairing", "identity", "a side says who it is",
            ["side": .side, "address": .address, "addressType": .addressType]),
        kind("pairing", "deriving", "a side derives keys for Low Energy", ["side": .side]),
        kind("pairing", "derived", "keys for Low Energy were derived"),
        kind(
            "pairing", "notDerived", "keys for Low Energy were not derived", ["side?": .side],
            maybeReason),
        kind(
            "mtu", nil, "the ATT_MTU was negotiated",
            ["mtu": SchemaFragment.count.described("in octets")]),
        kind("named", nil, "the name of a side", ["side": .side, "name": .text]),
        kind(
            "services", nil, "the services of a side were discovered",
            ["side": .side, "services": .uuids, "ancs": .boolean]),
        kind("services", nil, "a service was not found", ["side": .side, "missing": .uuid])
            .named("serviceMissing"),
        LineKind(
            "handles", "where ANCS is", ["side": .side.described("of the phone")],
            then: ANCSHandles.form),
        kind(
            "serviceChanged", nil, "Service Changed was indicated",
            ["side": .side, "first": .handle, "last": .handle, "ancs": .boolean]),
        LineKind(
            "refused", "a request was refused",
            ["request": .text, "handle": .handle, "characteristic?": characteristic],
            then: ATTErrorCode.form),
        kind(
            "unanswered", nil, "a request was not answered",
            ["request": .text, "since": .number, "why": .text]),
        kind("stray", nil, "a response without a request", ["response": .text]),
        kind(
            "unreadable", nil, "a PDU that is not understood", ["channel": .text, "octets": .count]),
        kind(
            "subscription", nil, "a subscription began or ended",
            [
                "characteristic": .words([
                    "notificationSource", "controlPoint", "dataSource", "serviceChanged",
                ]), "on": .boolean,
            ]),
        kind(
            "subscriptionRead", nil, "the accessory read whether it is subscribed",
            ["characteristic": characteristic, "on": .boolean]),
        kind("session", "started", "an ANCS session begins"),
        LineKind(
            "session", as: "sessionEnded", "it ends", ["state": .constant("ended")],
            then: SessionCounts.form),
        kind(
            "commandResult", nil, "a command has ended", command,
            [
                "error?": .text, "result": .words(["performed", "refused"]), "attError?": .octet,
                "name?": .text, "meaning?": .text, "seconds": .number,
            ]),
        kind(
            "unanswered", nil, "a command was not answered", command,
            ["error?": .text, "since": .number, "why": .text]
        ).named("commandUnanswered"),
    ]

    private static let terms: Members = [
        "method?": .words(["justWorks", "numericComparison", "passkeyEntry", "outOfBand"]),
        "transport?": .constant("BR/EDR"), "secureConnections?": .boolean,
        "authenticated?": .boolean, "keySize?": .count, "derivesLinkKey?": .true_,
    ]
    /// The identity of a command.
    private static let command: Members = [
        "command?": .text, "uid?": .uid, "appIdentifier?": .text, "action?": .text,
        "actionID?": .octet,
    ]

    /// The kinds of lines of single values, which a capture has too.
    private static let ofValues = [
        kind(
            "notificationSource", key: "kind", nil, "a value of the Notification Source",
            [
                "event?": [
                    "type": "string", "pattern": "^(added|modified|removed|reserved[0-9]+)$",
                ], "uid?": .uid, "flags?": .flags, "category?": .text, "categoryID?": .octet,
                "categoryCount?": .octet, "error?": .text,
            ]),
        kind(
            "controlPoint", key: "kind", nil, "a command, written to the Control Point", command,
            [
                "attributes?": .requestedAttributes, "error?": .text, "attError?": .octet,
                "withoutResponse?": .true_,
            ]),
        kind(
            "dataSource", key: "kind", nil, "an answer on the Data Source",
            [
                "command?": .text, "uid?": .uid, "appIdentifier?": .text,
                "attributes?": .list(
                    of: .object([
                        "id": .octet, "name": .text, "length": .count, "value": .text,
                        "octets?": .hexadecimal,
                    ])), "complete?": .boolean, "why?": .text, "trailing?": .hexadecimal,
                "trailingCount?": .count, "error?": .text,
                "seconds?": .number.described("since its command"), "late?": .boolean,
                "stray?": SchemaFragment.true_.described("the octets answer no command"),
                "beforeCapture?": .boolean.described(
                    "whether their command may have come before the capture"),
            ]),
    ]

    private static let place: Members = [
        "adapter?": .count, "connection?": .ordinal, "session?": .ordinal,
    ]

    /// The kinds of lines of a file.
    private static let ofFile = [
        kind("capture", "began", "the capture begins", ["format": .text, "at": .text]),
        kind(
            "capture", "ended", "it ends",
            [
                "time": .number, "records": .count, "connections": .count, "sessions": .count,
                "complete": .boolean,
            ]),
        kind("capture", nil, "it is damaged", ["error": .text, "offset": .count]).named("damage"),
    ]

    /// What happened, in the order of a page.
    static let events: [LineKind] =
        ofFile.map(\.withFormerCaptureMembers)
        + (ofCapture + MediaEvent.kinds).map { kind in
            let whole = kind.with(after: ["time": .number, "at": .text]).with(after: place)
            return kind.event == "media" ? whole : whole.withFormerCaptureMembers
        }

    /// Single values, which a capture has too, and what is none.
    static let values: [LineKind] =
        ofValues.map { $0.with(after: ["time?": .number, "at?": .text]).with(after: place) }
        + [kind("unknown", key: "kind", nil, "a line that is not understood", ["error": .text])]

    /// The lines of `ancs decode`.
    static let schema = LineSchema(
        "decode",
        "One object per line on standard output: of a capture what happened, in order, or of lines what "
            + "each means. Documentation/Captures.md explains each kind.",
        events + values + [
            RequirementVerdict.ofANCS, RequirementVerdict.ofLink,
            LineKind(
                "redacted", "with `--redact`: the file is written",
                [
                    "packets": .count, "leftOut": .count.described("records that are no packets"),
                    "strangers": .count.described(
                        "packets that say only that a device without a link advertises"),
                ]),
            LineKind(
                "scenario", "with `--scenario`: the file is written",
                [
                    "steps": .count,
                    "remarks": .texts.described(
                        "what the capture has and the scenario does not say"),
                ]),
        ])
}
