package import ANCSEvents
package import Kinds

extension PeerEvent {
    /// What is said about the event. `address` is that of the peer, where it is known.
    package func line(for reporter: Reporter, address: String? = nil) -> Line {
        let side = reporter.side
        switch self {
        case .discovered(let peer):
            return Line("discovered", peer.jsonMembers, detail: "on air: \(peer.text)")
                .viewed(.link(.left, "\(peer.name ?? "an accessory") is on air and asks for ANCS"))
        case .connectingFailed(let error):
            return Line(
                "connectingFailed", ["reason": .string(error.message)],
                detail: "connecting failed: \(error.message)"
            ).viewed(.link(.right, "no connection: \(error.message)"))
        case .connected(let peer):
            let end = side == .accessory ? " to \(peer.identity ?? peer.address)" : ""
            let bond = peer.identity == nil ? ", not bonded" : ""
            return Line(
                "connected", peer.jsonMembers, "connected" + end,
                detail: "connected: \(peer.text)\(bond)"
            ).viewed(.link(.right, "connected"))
        case .named(let name):
            return Line("named", ["name": .string(name)], "its name is \(name)", .hint)
                .said(if: side == .accessory)
        case .linkParameters(let link):
            let words = link.isKept ? "keeps the parameters of its link:" : "has a link with"
            return Line(
                "link", ["link": link.json], "the \(reporter.noun) \(words) \(link.message)", .hint
            ).said(if: side == .accessory && link.isKept)
        case .mtuChanged(let mtu):
            return Line("mtu", ["mtu": .integer(mtu)], detail: "ATT_MTU is \(mtu)")
        case .secured(let protection):
            return Line("secured", protection.jsonMembers, protection.message)
                .said(if: side == .adapter && protection.isEncrypted)
                .viewed(protection.isEncrypted ? .link(.none, protection.brief) : nil)
        case .pairing(let request):
            return Line(
                "pairing", request.question.jsonMembers,
                request.question.message(peer: reporter.peer),
                detail: "pairing asks the user")
        // The command shows which question was withdrawn.
        case .pairingWithdrawn:
            return Line("pairing", ["withdrawn": true], detail: "pairing asks no more")
        case .paired(_, let isBonded, let bond):
            return reporter.paired(isBonded, replacing: bond).viewed(.link(.none, "paired"))
        case .bondRestored:
            return Line("bondRestored", [:], "encrypted with the keys of an earlier pairing")
                .said(if: side != .accessory)
                .viewed(.link(.none, "encrypted with the keys of an earlier pairing"))
        case .identified(let former):
            return Line(
                "identified", ["formerly": .string(former.text)],
                "it is known; until now it was \(former.text.prefix(8))"
            ).said(if: side == .adapter)
        case .pairingRefused:
            return reporter.advice("pairingRefused", [], reporter.refusal, "it may not pair")
        case .keyTrouble(let trouble):
            let members = [
                JSONValue.Member("keys", .string(trouble.kind.name)),
                JSONValue.Member("lasting", .boolean(trouble.isLasting)),
            ]
            return reporter.advice(
                "keyTrouble", members, reporter.message(of: trouble, address: address),
                "its keys do not work: \(trouble.kind.name)")
        case .unserved(let reason):
            return reporter.advice(
                "unserved", [.init("reason", .string(reason.rawValue))],
                "nothing is received from the \(reporter.noun): "
                    + reason.message(pairing: "type 'pair' here", places: "--phones"),
                "it is not received from: \(reason.rawValue)")
        case .securityFailed(let failure):
            let reason = failure.message
            guard side == .accessory else {
                return Line("securityFailed", ["reason": .string(reason)], reason)
                    .viewed(.link(.none, reason))
            }
            return reporter.advice(
                "securityFailed", [.init("reason", .string(reason))],
                failure.message(for: reporter.name, unless: Reporter.acceptance), reason)
        case .accessDenied(let handle, let errorCode):
            return Line(
                "accessDenied",
                ["handle": .integer(Int(handle)), "attError": .integer(Int(errorCode))],
                detail: "was refused access to handle \(AccessRefusal(handle, errorCode).text)"
            ).viewed(.link(.right, "refused: not paired yet"))
        case .disconnected(let reason):
            return Line(
                "disconnected", ["reason": .string(reason.message)],
                "disconnected: \(reason.message)"
            ).viewed(.link(.none, "disconnected: \(reason.message)"))
        }
    }
}

extension Reporter {
    /// What a peer is called in a sentence about it.
    fileprivate var noun: String { side == .accessory ? "phone" : peer }

    /// What an accessory says in a sentence that its user can act on, and the others in the log.
    fileprivate func advice(
        _ kind: String, _ members: [JSONValue.Member], _ text: String, _ other: String
    ) -> Line {
        guard side == .accessory else { return Line(kind, members, detail: other) }
        return Line(kind, members + [.init("text", .string(text))], text)
    }

    fileprivate func paired(_ isBonded: Bool, replacing bond: BondedPeer?) -> Line {
        guard let bond else {
            return Line(
                "paired", ["bonded": .boolean(isBonded)],
                isBonded ? "paired" : "paired without bonding")
        }
        let name = bond.name.map { "'\($0)'" } ?? "the \(noun) \(bond.digest.prefix(4))"
        return Line(
            "paired", ["bonded": .boolean(isBonded), "replaced": .string(bond.name ?? "")],
            "paired: the keys of \(name), which was paired before, are replaced")
    }
}

extension PeerDescription {
    /// The name, address, identity and link, as far as known.
    package var jsonMembers: [JSONValue.Member] {
        [JSONValue.Member](present: [
            "name": name.map { .string($0) }, "address": .string(address),
            "identity": identity.map { .string($0) }, "link": link?.json,
        ])
    }

    /// The address that it is known by, and the name.
    fileprivate var text: String { (identity ?? address) + (name.map { " \"\($0)\"" } ?? "") }
}

extension LinkProtection {
    /// What protects the link.
    package var jsonMembers: [JSONValue.Member] {
        [
            .init("encrypted", .boolean(isEncrypted)),
            .init("authenticated", .boolean(isAuthenticated)),
            .init("secureConnections", .boolean(usesSecureConnections)),
        ]
    }

    fileprivate var brief: String {
        "encrypted by " + (usesSecureConnections ? "LE Secure Connections" : "LE legacy pairing")
    }

    fileprivate var message: String {
        guard isEncrypted else { return "the link is no longer encrypted" }
        return "the link is encrypted, " + (isAuthenticated ? "protected" : "not protected")
            + " against a man in the middle, by "
            + (usesSecureConnections ? "LE Secure Connections" : "LE legacy pairing")
    }
}

extension PairingQuestion {
    /// The question as the members of an event `pairing`.
    package var jsonMembers: [JSONValue.Member] {
        switch self {
        case .display(let digits): [.init("display", .integer(Int(digits) ?? 0))]
        case .compare(let digits):
            [.init("ask", "confirm"), .init("value", .integer(Int(digits) ?? 0))]
        case .enter: [.init("ask", "enterPasskey")]
        case .consent: [.init("ask", "confirm")]
        case .accept(let name): [.init("ask", "accept"), .init("name", .string(name))]
        }
    }
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
                "ask": .words(["confirm", "enterPasskey", "accept"]),
                "name?": .text.described(
                    "of a device to accept that is paired already, by another program"),
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
                "unserved", "a device with a bond and ANCS is not received from",
                [
                    "reason": .words(Unserved.allCases.map(\.rawValue)).described(
                        "its bond is not accepted, or was declined, or there is no place for it"),
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
