internal import ANCSReceiver
internal import Kinds

extension ConsumerEvent {
    /// What version 0.1 printed with `--json` in place of a line, for the programs that read that: `nil` if it was the
    /// same, or nothing. A link that ended without a session had ended one.
    func former(_ line: Line, hadSession: Bool) -> Line? {
        func kept(_ names: String..., in event: String, state: String? = nil) -> Line {
            let state = state.map { [JSONValue.Member("state", .string($0))] } ?? []
            return Line(event, state + line.jsonMembers.filter { names.contains($0.name) })
        }
        func failed(isBonded: Bool? = nil) -> Line {
            let text = line.jsonMembers.first { $0.name == "text" }?.value ?? ""
            let bonded = isBonded.map { JSONValue.boolean($0) }
            return Line(
                "pairing",
                [JSONValue.Member("failed", text)] + [JSONValue.Member](present: ["bonded": bonded])
                    + line.jsonMembers.filter { $0.name == "keys" })
        }
        switch self {
        case .peer(_, .connected):
            return kept("address", "identity", "link", in: "session", state: "connected")
        case .peer(_, .secured(let protection)) where protection.isEncrypted:
            return kept("authenticated", "secureConnections", in: "session", state: "encrypted")
        case .peer(_, .disconnected) where !hadSession:
            return kept("reason", in: "session", state: "ended")
        case .peer(_, .named): return kept("name", in: "phone")
        case .peer(_, .paired(_, _, .some)): return kept("replaced", in: "bond")
        case .peer(_, .securityFailed): return failed()
        case .peer(_, .pairingRefused): return failed(isBonded: false)
        case .peer(_, .keyTrouble): return failed(isBonded: true)
        case .session(_, .started): return kept(in: "session", state: "subscribed")
        case .device, .peer, .session, .notification: return nil
        }
    }
}

extension ReceiveReport {
    /// The kinds of lines that only version 0.1 had, beside the end of a session.
    static let former = [
        LineKind(
            "session", as: "formerState",
            "version 0.1's line for `connected`, `secured` and `started`; the next version does not print it",
            [
                "state": .words(["connected", "encrypted", "subscribed"]), "address?": .address,
                "identity?": .address, "link?": .link, "authenticated?": .boolean,
                "secureConnections?": .boolean,
            ]),
        LineKind("phone", as: "formerName", "version 0.1's line for `named`", ["name": .text]),
        LineKind(
            "bond", as: "formerBond", "version 0.1's line for `paired` with `replaced`",
            ["replaced": .text]),
        LineKind(
            "pairing", as: "formerFailure",
            "version 0.1's line for `securityFailed`, `pairingRefused` and `keyTrouble`",
            ["failed": .text, "bonded?": .boolean, "keys?": .text]),
    ]
}
