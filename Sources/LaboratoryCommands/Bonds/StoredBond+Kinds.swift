internal import CommandKit
package import Values

extension StoredBond {
    private static let device = SchemaFragment.words(["accessory", "phone"])

    /// The lines of `ancs bonds`.
    package static let schema = LineSchema(
        "bonds", "One object per line on standard output. No line has a key.",
        [
            LineKind(
                "bond", "a bond, without its keys: only their names",
                [
                    "device": device, "peer": .peerAddress, "identifier?": .identifier,
                    "name?": .text, "local": .peerAddress, "secureConnections": .boolean,
                    "authenticated": .boolean, "keySize": .integer(in: 7...16),
                    "keys": .list(
                        of: .words([
                            "localLTK", "peerLTK", "localIRK", "peerIRK", "localCSRK", "peerCSRK",
                        ])),
                    "services?": .list(
                        of: .object([
                            "uuid": .uuid, "name?": .text, "first": .handle, "last": .handle,
                            "primary": .boolean,
                        ])),
                    "subscriptions": .list(
                        of: .object([
                            "handle": .handle, "notification": .boolean, "indication": .boolean,
                        ])),
                ]),
            LineKind(
                "peer", "a known peer that is not bonded",
                [
                    "device": device, "peer": .peerAddress, "identifier": .identifier,
                    "name?": .text,
                ]),
            LineKind(
                "removed", "a bond was removed, or a peer forgotten",
                ["device": device, "peer": .peerAddress]),
        ])
}
