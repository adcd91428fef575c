package import JSONText

// The values that members of lines have, as the kinds of lines name them.

extension SchemaFragment {
    /// Any text of this form, a regular expression.
    private static func pattern(_ pattern: String) -> SchemaFragment {
        ["type": "string", "pattern": .string(pattern)]
    }

    package static let address = pattern("^[0-9A-F]{2}(:[0-9A-F]{2}){5}$").defined(as: "address")
    /// An identifier that this machine gave to a peer.
    package static let identifier = pattern("^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$")
        .defined(as: "identifier")
    package static let uuid = pattern("^([0-9A-F]{4}|[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12})$")
        .defined(as: "uuid")
    package static let hexadecimal = pattern("^([0-9a-f]{2})*$")
    package static let recordID = pattern("^[0-9a-z]+$")
    package static let octet = integer(in: 0...255)
    package static let handle = integer(in: 0...65535)
    package static let uid = integer(in: 0...Int(UInt32.max))
    package static let passkey = integer(in: 0...999_999)
    package static let uuids = list(of: .uuid)

    package static let time = pattern("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$")
        .described("RFC 3339, UTC, milliseconds").defined(as: "time")
    package static let phone = pattern("^[0-9a-f]{16}$").described(
        "a pseudonym of the phone, the same in every run: a keyed digest of its identity, or of its "
            + "address until it is bonded"
    ).defined(as: "phone")

    package static let flags: SchemaFragment = list(
        of: .words([
            "silent", "important", "preExisting", "positiveAction", "negativeAction", "reserved5",
            "reserved6", "reserved7",
        ])
    ).distinct.defined(as: "flags")
    /// Which of the texts of a notification.
    package static let textNames: SchemaFragment = list(
        of: .words(["title", "subtitle", "message"])
    ).distinct
        .filled
    package static let app = object(["identifier": .text, "displayName?": .text]).defined(as: "app")
    package static let labels = object(["positive?": .text, "negative?": .text])
        .described("the labels of the actions").defined(as: "actions")
    package static let failure = object([
        "reason": .words([
            "refused", "timedOut", "removed", "sessionEnded", "evicted", "responseTooLong",
            "contentUnavailable", "invalidCommand", "actionUnavailable", "alreadyPerformed",
            "tooManyRequests",
        ]), "attError?": .octet, "name?": .text,
    ]).described("why something is missing, or failed").defined(as: "failure")
    package static let link = object([
        "interval": .milliseconds, "latency": .count, "timeout": .milliseconds, "kept?": .true_,
    ]).described(
        "what the link has; `timeout` is the supervision timeout; `kept`: the peer keeps its own, "
            + "although it was asked for others"
    ).defined(as: "linkParameters")
    /// The kind of an address.
    package static let addressType = words([
        "public", "static", "resolvable", "nonResolvable", "reserved",
    ])
    /// An address with its kind.
    package static let peerAddress = object(["address": .address, "kind": addressType])
        .defined(as: "peerAddress")
    /// The attributes that a command asks for.
    package static let requestedAttributes = list(
        of: .object(["id": .octet, "name": .text, "maxLength?": .handle]))
    package static let side = words(["local", "remote"])

    /// An object with these members and no others.
    package static func object(_ members: LineKind.Members...) -> SchemaFragment {
        object(
            members.joined().map { name, value in
                let member = LineKind.Member(name, value)
                return (member.name, member.value, member.isRequired)
            })
    }

    /// The same list, with at least one element.
    package var filled: SchemaFragment { adding("minItems", 1) }
    /// The same list, without repetition.
    package var distinct: SchemaFragment { adding("uniqueItems", true) }

    package func adding(_ name: String, _ value: JSONValue) -> SchemaFragment {
        adding([.init(name, value)])
    }
}

extension StringProtocol {
    /// Whether it is the address of a device, such as `F0:F1:F2:F3:F4:F5`.
    package var isDeviceAddress: Bool {
        let parts = split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 6
            && parts.allSatisfy { $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) }
    }
}
