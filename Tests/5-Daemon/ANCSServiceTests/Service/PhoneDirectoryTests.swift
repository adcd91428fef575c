import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver
@testable import ANCSService

@Suite("The directory of phones")
struct PhoneDirectoryTests {
    private static let digest = "0123456789abcdef"
    private static let description = PeerDescription(
        address: "F0:F1:F2:F3:F4:F5", identity: "F0:F1:F2:F3:F4:F5", digest: digest)

    private static func stranger(_ number: UInt64) -> PeerDescription {
        PeerDescription(
            address: "F0:F1:F2:F3:F4:F5", identity: nil, digest: "stranger \(number)")
    }

    /// A directory after these events.
    private static func directory(after events: ConsumerEvent...) -> PhoneDirectory {
        var directory = PhoneDirectory(name: "Desk")
        for event in events { _ = directory.receive(event) }
        return directory
    }

    private static func phone(_ number: UInt64) -> PhoneID { PhoneID(rawValue: number) }

    private static let encrypted = LinkProtection(
        isEncrypted: true, isAuthenticated: false, usesSecureConnections: true)

    @Test("a phone without its keys is listed with that advice until it has them again")
    func lostKeys() throws {
        var directory = Self.directory(
            after: .peer(Self.phone(1), .connected(Self.description)),
            .peer(Self.phone(1), .keyTrouble(KeyTrouble(.different, isLasting: true))))
        let advice = try #require(directory.phones.first?.advice)
        #expect(advice.contains("forget 'Desk' on the phone"))
        #expect(directory.phones.map(\.keys) == [.lost])
        #expect(directory.receive(.peer(Self.phone(1), .disconnected(.linkEnded))).count == 1)
        // It connects again and again, and that changes nothing.
        for number in UInt64(2)...4 {
            #expect(
                directory.receive(.peer(Self.phone(number), .connected(Self.description))).isEmpty)
            #expect(directory.phones.map(\.state) == [.away])
            #expect(directory.phones.map(\.advice) == [advice])
            #expect(directory.phones.map(\.keys) == [.lost])
            guard number < 4 else { break }
            #expect(directory.receive(.peer(Self.phone(number), .disconnected(.linkEnded))).isEmpty)
        }
        let news = directory.receive(.peer(Self.phone(4), .secured(Self.encrypted)))
        #expect(news.map(\.advice) == [nil])
        #expect(news.map(\.keys) == [.fine])
        #expect(news.map(\.state) == [.connected])
        _ = directory.receive(.peer(Self.phone(4), .disconnected(.linkEnded)))
        #expect(directory.phones.map(\.advice) == [nil])
    }

    @Test("a device that is pairing is no phone of ours before it has shown its identity")
    func pairing() {
        var directory = Self.directory(
            after: .peer(Self.phone(1), .connected(Self.stranger(1))))
        let news = directory.receive(.peer(Self.phone(1), .secured(Self.encrypted)))
        #expect(news.allSatisfy { !$0.isPaired })
        _ = directory.receive(
            .peer(Self.phone(1), .paired(Self.description, isBonded: true, replacing: nil)))
        #expect(directory.phones.map(\.phone.digest) == [Self.digest])
        #expect(directory.phones.map(\.isPaired) == [true])
    }

    @Test("the link's parameters are known during the link, also when pairing reveals the phone")
    func link() {
        let own = LinkParameters(
            interval: .milliseconds(30), supervisionTimeout: .milliseconds(720))
        var description = Self.description
        description.link = own
        var directory = Self.directory(after: .peer(Self.phone(1), .connected(description)))
        #expect(directory.phones.map(\.link) == [own])
        let granted = LinkParameters(
            interval: .milliseconds(45), supervisionTimeout: .seconds(6))
        let news = directory.receive(.peer(Self.phone(1), .linkParameters(granted)))
        #expect(news.map(\.link) == [granted])
        #expect(directory.receive(.peer(Self.phone(1), .linkParameters(granted))).isEmpty)
        // What the port describes at pairing is older than what the phone has granted.
        description.digest = "fedcba9876543210"
        _ = directory.receive(
            .peer(Self.phone(1), .paired(description, isBonded: true, replacing: nil)))
        #expect(directory.phones.map(\.link) == [granted])
        _ = directory.receive(.peer(Self.phone(1), .disconnected(.linkEnded)))
        #expect(directory.phones.map(\.link) == [nil])
    }

    @Test("trouble that may pass is reported, without the advice to forget the phone")
    func passing() throws {
        let directory = Self.directory(
            after: .peer(Self.phone(1), .connected(Self.description)),
            .peer(Self.phone(1), .keyTrouble(KeyTrouble(.unknown))))
        let advice = try #require(directory.phones.first?.advice)
        #expect(advice.contains("nothing is to be done") && !advice.contains("forget"))
        #expect(directory.phones.map(\.keys) == [.doubtful])
    }

    @Test("where pairing again does not replace a bond, the advice is to remove it")
    func removal() throws {
        var directory = PhoneDirectory(name: "Desk", keepsBonds: true)
        _ = directory.receive(.peer(Self.phone(1), .connected(Self.description)))
        _ = directory.receive(.peer(Self.phone(1), .keyTrouble(KeyTrouble(.missing))))
        let advice = try #require(directory.phones.first?.advice)
        let address = Self.description.identity ?? Self.description.address
        #expect(
            advice.hasSuffix(
                "if you removed 'Desk' on the phone, run 'bluetoothctl remove \(address)', "
                    + "run 'ancs pair', and choose 'Desk' there again"))
    }

    @Test("a device with the phone's address changes nothing while the phone is connected")
    func impostor() {
        var directory = Self.directory(
            after: .peer(Self.phone(1), .connected(Self.description)),
            .peer(Self.phone(1), .secured(Self.encrypted)),
            .session(
                SessionID(provider: Self.phone(1), number: 1).provider,
                .started(SessionID(provider: Self.phone(1), number: 1))))
        let before = directory.phones
        _ = directory.receive(.peer(Self.phone(2), .connected(Self.description)))
        #expect(directory.receive(.peer(Self.phone(2), .disconnected(.linkEnded))).isEmpty)
        #expect(directory.phones == before)
    }

    @Test("refused strangers are not listed, and pairing ones are")
    func strangers() {
        var directory = PhoneDirectory(name: "Desk")
        _ = directory.know([
            BondedPeer(digest: Self.digest, name: "Ada's iPhone")
        ])
        #expect(directory.phones.map(\.isPaired) == [true])
        for number in UInt64(1)...200 {
            for event: ConsumerEvent in [
                .peer(Self.phone(number), .connected(Self.stranger(number))),
                .peer(Self.phone(number), .pairingRefused),
                .peer(Self.phone(number), .securityFailed(.bondMissing)),
                .peer(Self.phone(number), .disconnected(.linkEnded)),
            ] {
                #expect(directory.receive(event).isEmpty)
            }
        }
        #expect(directory.phones.map(\.phone.digest) == [Self.digest])
        // One of them pairs.
        _ = directory.receive(.peer(Self.phone(201), .connected(Self.stranger(200))))
        #expect(directory.phones.count == 1)
        _ = directory.receive(
            .peer(Self.phone(201), .paired(Self.stranger(200), isBonded: true, replacing: nil)))
        #expect(directory.phones.filter(\.isPaired).count == 2)
        // Another one is encrypted, but leaves before it has paired.
        _ = directory.receive(.peer(Self.phone(202), .connected(Self.stranger(202))))
        #expect(directory.receive(.session(Self.phone(202), .waitingForService)).count == 1)
        #expect(directory.phones.count == 3)
        _ = directory.receive(.peer(Self.phone(202), .disconnected(.linkEnded)))
        #expect(directory.phones.count == 2)
    }

    @Test("advice that belongs to a session ends with the link")
    func sharing() {
        var directory = Self.directory(
            after: .peer(Self.phone(1), .connected(Self.description)),
            .peer(Self.phone(1), .secured(Self.encrypted)),
            .session(Self.phone(1), .waitingForService))
        #expect(directory.phones.first?.advice?.contains("Share System Notifications") == true)
        _ = directory.receive(.peer(Self.phone(1), .disconnected(.linkEnded)))
        #expect(directory.phones.map(\.state) == [.away])
        #expect(directory.phones.map(\.advice) == [nil])
    }
}
