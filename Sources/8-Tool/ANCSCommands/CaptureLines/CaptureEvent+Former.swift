internal import Kinds

/// What version 0.1 said in other words, for the programs that read those: members of the same object, `kind` among
/// them. The next version does not print them.
private struct FormerWords {
    /// Several if the rest of the line decides.
    var kinds: [String]
    var state: String?
    /// Members under their former names, with those that they repeat; `nil` if they are always true.
    var members: [(former: String, today: String?, form: SchemaFragment)] = []

    /// Of the lines with this event.
    init(of event: String) {
        kinds = [event]
        switch event {
        case "connected", "transport", "parametersRefused", "disconnecting", "disconnected":
            (kinds, state) = (["connection"], event)
        case "connectingFailed": (kinds, state) = (["connection"], "failed")
        case "link": (kinds, state) = (["connection"], "parametersChanged")
        case "paired":
            (kinds, state, members) = (["pairing"], "succeeded", [("bonding", "bonded", .boolean)])
        case "securityFailed": (kinds, state) = (["pairing", "encryption"], "failed")
        case "secured": (kinds, members) = (["encryption"], [("enabled", "encrypted", .boolean)])
        case "keyMissing": (kinds, members) = (["encryption"], [("keyMissing", nil, .true_)])
        case "named": kinds = ["name"]
        case "subscription": members = [("subscribed", "on", .boolean)]
        case "commandResult": kinds = ["controlPointResult"]
        // The others had only `kind` in place of `event`.
        default: break
        }
        guard kinds == ["connection"] else { return }
        members = [
            ("intervalMilliseconds?", "interval", .milliseconds), ("latency?", "latency", .count),
            ("timeoutMilliseconds?", "timeout", .milliseconds),
        ]
    }
}

extension Line {
    /// What version 0.1 had in this line besides.
    var formerCaptureMembers: [JSONValue.Member] {
        // 0.1 knew nothing of media.
        guard let kind, kind != "media" else { return [] }
        let (words, today) = (FormerWords(of: kind), jsonMembers)
        func value(_ name: String) -> JSONValue? { today.first { $0.name == name }?.value }
        // A failure that has the kind of the key is one of encryption.
        let isSecond = words.kinds.count > 1 && value("key") != nil
        var former: [JSONValue.Member] = [.init("kind", .string(words.kinds[isSecond ? 1 : 0]))]
        if let state = words.state { former.append(.init("state", .string(state))) }
        for member in words.members {
            let name = member.former.last == "?" ? String(member.former.dropLast()) : member.former
            let found = member.today.map { value($0) ?? value("link")?[$0] } ?? true
            if let found { former.append(.init(name, found)) }
        }
        return former
    }
}

extension LineKind {
    /// The same with what ``Line/formerCaptureMembers`` adds.
    var withFormerCaptureMembers: LineKind {
        let words = FormerWords(of: event)
        var kind = extended([
            "kind": SchemaFragment.words(oneOf: words.kinds)
                .described("the word of version 0.1, as what follows")
        ])
        if let state = words.state { kind = kind.extended(["state": .constant(.string(state))]) }
        for member in words.members {
            kind = kind.extended(.init(dictionaryLiteral: (member.former, member.form)))
        }
        return kind
    }
}
