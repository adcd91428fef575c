internal import ANCSCapture
internal import JSONText
internal import Kinds
internal import Printing

extension Line {
    /// What version 0.1 said in other words, for the programs that read those: members of the same object, `kind`
    /// among them. The next version does not print them.
    var formerCaptureMembers: [JSONValue.Member] {
        let members = jsonMembers
        func value(_ name: String) -> JSONValue? { members.first { $0.name == name }?.value }
        func former(_ kind: String, _ rest: KeyValuePairs<String, JSONValue?> = [:]) -> [JSONValue
            .Member]
        {
            [JSONValue.Member](present: ["kind": .string(kind)]) + [JSONValue.Member](present: rest)
        }
        func connection(_ state: String) -> [JSONValue.Member] {
            let link = value("link")
            return former(
                "connection",
                [
                    "state": .string(state), "intervalMilliseconds": link?["interval"],
                    "latency": link?["latency"], "timeoutMilliseconds": link?["timeout"],
                ])
        }
        switch kind {
        case "connected", "transport", "parametersRefused", "disconnecting", "disconnected":
            return connection(kind ?? "")
        case "connectingFailed": return connection("failed")
        case "link": return connection("parametersChanged")
        case "paired": return former("pairing", ["state": "succeeded", "bonding": value("bonded")])
        case "securityFailed" where value("key") == nil:
            return former("pairing", ["state": "failed"])
        case "securityFailed": return former("encryption", ["enabled": false])
        case "secured": return former("encryption", ["enabled": value("encrypted")])
        case "keyMissing": return former("encryption", ["keyMissing": true])
        case "named": return former("name")
        case "subscription": return former("subscription", ["subscribed": value("on")])
        case "commandResult": return former("controlPointResult")
        case .some(let event): return former(event)
        case nil: return []
        }
    }
}

extension LineKind {
    /// The same with what ``Line/formerCaptureMembers`` adds.
    var withFormerCaptureMembers: LineKind {
        func former(_ kinds: String..., and rest: Members = [:]) -> LineKind {
            let kind = SchemaFragment.words(oneOf: kinds)
            return extended(["kind": kind.described("the word of version 0.1, as what follows")])
                .extended(rest)
        }
        func connection(_ state: String) -> LineKind {
            former(
                "connection",
                and: [
                    "state": .constant(.string(state)), "intervalMilliseconds?": .milliseconds,
                    "latency?": .count, "timeoutMilliseconds?": .milliseconds,
                ])
        }
        switch event {
        case "connected", "transport", "parametersRefused", "disconnecting", "disconnected":
            return connection(event)
        case "connectingFailed": return connection("failed")
        case "link": return connection("parametersChanged")
        case "paired":
            return former("pairing", and: ["state": .constant("succeeded"), "bonding": .boolean])
        case "securityFailed":
            return former(
                "pairing", "encryption", and: ["state?": .constant("failed"), "enabled?": .boolean])
        case "secured": return former("encryption", and: ["enabled": .boolean])
        case "keyMissing": return former("encryption", and: ["keyMissing": .true_])
        case "named": return former("name")
        case "subscription": return former("subscription", and: ["subscribed": .boolean])
        case "commandResult": return former("controlPointResult")
        default: return former(event)
        }
    }
}
