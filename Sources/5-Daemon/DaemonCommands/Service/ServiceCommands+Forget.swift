internal import ANCSService
package import CommandKit
internal import DBus

// `ancs forget`.
extension ServiceCommands {
    package static func forget(
        _ client: ServiceClient, _ arguments: CommandSyntax.Arguments
    ) async throws(ServiceClient.Failure) {
        let phones = try await client.phones().map(\.phone)
        let digest = try ForgottenPhone(arguments.operands[0]).digest(among: phones)
        _ = try await client.call("Forget", [.string(digest)])
        let name = TerminalText.visible(
            try await client.properties()["Name"]?.string ?? "this machine")
        StandardStreams.writeLine(
            "forgotten; on the iPhone, forget '\(name)' too: Settings > Bluetooth, the (i) "
                + "next to it, Forget This Device")
    }
}

/// The phone to forget, given by its name, its digest or the beginning of its digest.
struct ForgottenPhone: Sendable {
    /// A shorter prefix is more likely to be a typing error.
    private static let shortestPrefix = 4

    private let text: String

    init(_ text: String) { self.text = text }

    func digest(among phones: [PhoneName]) throws(ServiceClient.Failure) -> String {
        // A phone chooses its name, but not its digest.
        if let phone = phones.first(where: { $0.digest == text.lowercased() }) {
            return phone.digest
        }
        let candidates = phones.filter { phone in
            TypedName.matches(text, phone.name ?? "") || isDigest(of: phone)
        }
        if let phone = candidates.first, candidates.count == 1 { return phone.digest }
        guard candidates.isEmpty else {
            let digests = candidates.map(\.digest).joined(separator: ", ")
            throw .init(
                status: .usage,
                message: "several phones are called '\(text)'; use a digest (\(digests))"
            )
        }
        let digest = text.lowercased()
        // The daemon may still store something about a phone that it no longer lists.
        guard PhoneName.isDigest(digest) else {
            let known = phones.map { phone in
                phone.name.map { "\($0) (\(phone.digest))" } ?? phone.digest
            }
            throw .init(
                status: .failure,
                message: "unknown phone '\(text)'; known: "
                    + (known.isEmpty ? "none" : known.joined(separator: ", "))
                    + "; 'ancs bonds list' shows the bonds of 'ancs receive --hci' and 'ancs phone'"
            )
        }
        return digest
    }

    private func isDigest(of phone: PhoneName) -> Bool {
        text.utf8.count >= Self.shortestPrefix
            && phone.digest.utf8.starts(with: text.lowercased().utf8)
    }
}
