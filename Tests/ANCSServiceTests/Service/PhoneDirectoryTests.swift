import Testing

@testable import ANCSKit
@testable import ANCSService

@Suite("The directory of phones")
struct PhoneDirectoryTests {
    private static let digest = "0123456789abcdef"
    private static let description = ProviderDescription(
        address: "F0:F1:F2:F3:F4:F5", identity: nil, digest: digest)

    /// A directory after these events.
    private static func directory(after events: ConsumerEvent...) -> PhoneDirectory {
        var directory = PhoneDirectory(name: "Desk")
        for event in events { _ = directory.receive(event) }
        return directory
    }

    private static func phone(_ number: UInt64) -> ProviderID { ProviderID(rawValue: number) }

    private static let encrypted = LinkProtection(
        isEncrypted: true, isAuthenticated: false, usesSecureConnections: true)

    @Test("a phone without its keys is listed with that advice until it has them again")
    func lostKeys() throws {
        var directory = Self.directory(
            after: .connected(Self.phone(1), Self.description),
            .pairingRefused(Self.phone(1), isBonded: true))
        let advice = try #require(directory.phones.first?.advice)
        #expect(advice.contains("forget 'Desk' on the phone"))
        for number in UInt64(1)...3 {
            _ = directory.receive(.disconnected(Self.phone(number), .linkEnded))
            #expect(directory.phones.map(\.state) == [.away])
            #expect(directory.phones.map(\.advice) == [advice])
            _ = directory.receive(.connected(Self.phone(number + 1), Self.description))
            #expect(directory.phones.map(\.state) == [.connected])
            #expect(directory.phones.map(\.advice) == [advice])
        }
        let news = directory.receive(.secured(Self.phone(4), Self.encrypted))
        #expect(news.map(\.advice) == [nil])
        _ = directory.receive(.disconnected(Self.phone(4), .linkEnded))
        #expect(directory.phones.map(\.advice) == [nil])
    }

    @Test("what the link has is known while there is one, also when pairing reveals the phone")
    func link() {
        let own = LinkParameters(
            interval: .milliseconds(30), supervisionTimeout: .milliseconds(720))
        var description = Self.description
        description.link = own
        var directory = Self.directory(after: .connected(Self.phone(1), description))
        #expect(directory.phones.map(\.link) == [own])
        let granted = LinkParameters(
            interval: .milliseconds(45), supervisionTimeout: .seconds(6))
        let news = directory.receive(.linkParameters(Self.phone(1), granted))
        #expect(news.map(\.link) == [granted])
        #expect(directory.receive(.linkParameters(Self.phone(1), granted)).isEmpty)
        // What the port describes at pairing is older than what the phone has granted.
        description.digest = "fedcba9876543210"
        _ = directory.receive(.paired(Self.phone(1), description))
        #expect(directory.phones.map(\.link) == [granted])
        _ = directory.receive(.disconnected(Self.phone(1), .linkEnded))
        #expect(directory.phones.map(\.link) == [nil])
    }

    @Test("a stranger is not a paired phone, and makes room for one")
    func strangers() {
        var directory = PhoneDirectory(name: "Desk")
        _ = directory.know([
            BondedProvider(digest: Self.digest, name: "Ada's iPhone")
        ])
        #expect(directory.phones.map(\.isPaired) == [true])
        for number in UInt64(1)...200 {
            let stranger = ProviderDescription(
                address: "F0:F1:F2:F3:F4:F5", identity: nil, digest: "stranger \(number)")
            _ = directory.receive(.connected(Self.phone(number), stranger))
            _ = directory.receive(.pairingRefused(Self.phone(number), isBonded: false))
            _ = directory.receive(.disconnected(Self.phone(number), .linkEnded))
        }
        let known = directory.phones.filter(\.isPaired)
        #expect(known.map(\.phone.digest) == [Self.digest])
        #expect(directory.phones.count == 64)
        // One of them pairs.
        let last = ProviderDescription(
            address: "F0:F1:F2:F3:F4:F5", identity: nil, digest: "stranger 200")
        _ = directory.receive(.connected(Self.phone(201), last))
        #expect(directory.phones.filter(\.isPaired).count == 1)
        _ = directory.receive(.paired(Self.phone(201), last))
        #expect(directory.phones.filter(\.isPaired).count == 2)
    }

    @Test("advice that belongs to a session ends with the link")
    func sharing() {
        var directory = Self.directory(
            after: .connected(Self.phone(1), Self.description),
            .secured(Self.phone(1), Self.encrypted), .waitingForService(Self.phone(1)))
        #expect(directory.phones.first?.advice?.contains("Share System Notifications") == true)
        _ = directory.receive(.disconnected(Self.phone(1), .linkEnded))
        #expect(directory.phones.map(\.state) == [.away])
        #expect(directory.phones.map(\.advice) == [nil])
    }
}
