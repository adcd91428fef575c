internal import ANCSEvents
internal import JSONText
package import Values

extension DeviceEvent {
    /// The kinds of lines of these events.
    package static let kinds = [
        LineKind("listening", "the transport waits for a controller at this place", ["at": .text]),
        LineKind("ready", "the Bluetooth stack is ready"),
        LineKind(
            "resetting", "the controller failed and is set up again; all links have ended",
            ["reason": .text]),
        LineKind("advertising", "this device advertises, or no longer does", ["on": .boolean]),
        LineKind(
            "scanning", "this device looks for accessories, or no longer does", ["on": .boolean]),
        LineKind("resumed", "the machine was suspended and has resumed"),
        LineKind(
            "pairing", as: "pairingWindow", "devices that connect may pair from now on, or may not",
            ["window": .words(["open", "closed"])]),
        LineKind("warning", "there is a problem; the device continues", ["text": .text]),
        LineKind(
            "missed", "events were dropped because standard output was read too slowly",
            ["count": .ordinal]),
    ]
}

extension PeerEvent {
    private static let description: LineKind.Members = [
        "name?": .text, "address": .address,
        "identity?": .address.described("if the device is bonded"),
        "link?": .link.described("except with bluetoothd"),
    ]

    /// What a question of pairing can be, and that it is withdrawn.
    package static let questions = [
        LineKind(
            "pairing", as: "pairingQuestion", "pairing asks the user",
            [
                "ask": .words(["confirm", "enterPasskey"]),
                "value?": .passkey.described("the six digits to compare"),
            ]),
        LineKind(
            "pairing", as: "pairingDigits", "pairing shows digits",
            ["display": .passkey.described("six digits to type on the other device")]),
        LineKind(
            "pairing", as: "pairingWithdrawn", "the last question is not asked any more",
            ["withdrawn": .true_]),
    ]

    /// The kinds of lines of these events.
    package static let kinds =
        [
            LineKind("discovered", "a device is on air", description),
            LineKind("connectingFailed", "connecting failed", ["reason": .text]),
            LineKind("connected", "a device has connected", description),
            LineKind("named", "its name is known", ["name": .text]),
            LineKind(
                "link",
                "the parameters of the link have changed, or the device keeps its own although it was "
                    + "asked for others, and is not asked again; at most 16 times on a link",
                ["link": .link]),
            LineKind(
                "mtu", "the ATT_MTU was negotiated",
                ["mtu": SchemaFragment.integer.adding("minimum", 23).described("in octets")]),
            LineKind(
                "secured", "the protection of the link has changed",
                ["encrypted": .boolean, "authenticated": .boolean, "secureConnections": .boolean]),
        ] + questions + [
            LineKind(
                "paired", "pairing succeeded",
                [
                    "bonded": .boolean.described("whether both sides keep keys"),
                    "replaced?": .text.described(
                        "the device was bonded, and these are new keys: its name, or empty"),
                ]),
            LineKind("bondRestored", "the link is encrypted with the keys of an earlier pairing"),
            LineKind(
                "identified",
                "pairing revealed that the device was known before; its former identifier is not valid "
                    + "any more",
                ["formerly": .identifier]),
            LineKind(
                "pairingRefused", "an unknown device may not pair",
                ["text?": .text.described("what its user can do")]),
            LineKind(
                "keyTrouble",
                "the keys of a bonded device do not work, or another device claims to be it",
                [
                    "keys": .words(["missing", "different", "unknown"]).described(
                        "it has none, it has another one, or it asked for the key of another bond"),
                    "lasting": .boolean.described("whether it goes on"),
                    "text?": .text.described("what its user can do"),
                ]),
            LineKind(
                "securityFailed", "pairing or encryption failed",
                [
                    "reason": .text,
                    "text?": .text.described("the same with what its user can do"),
                ]),
            LineKind(
                "accessDenied", "the device was refused access to an attribute",
                ["handle": .handle, "attError": .octet]),
            LineKind("disconnected", "the link has ended", ["reason": .text]),
        ]
}
