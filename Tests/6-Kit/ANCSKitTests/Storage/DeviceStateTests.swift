import BluetoothLE
import Foundation
import JSONText
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// What a device keeps, as JSON and back, and what is not that.
@Suite struct DeviceStateTests {
    static let identity = DeviceAddress(0xC011_2233_4455, kind: .random)
    static let peer = DeviceAddress(0x0A0B_0C0D_0E0F, kind: .public)

    /// A bond with everything that a bond can have.
    static let full: BondRecord = {
        let bond = Bond(
            identityAddress: peer, identityResolvingKey: 1,
            localIdentityAddress: identity, localIdentityResolvingKey: .max,
            localLongTermKey: .init(
                value: 0x0102_0304_0506_0708_090A_0B0C_0D0E_0F10, ediversifier: 0xBEEF,
                random: 0xFEDC_BA98_7654_3210),
            peerLongTermKey: .init(value: 0, ediversifier: 0, random: 0), keySize: 7,
            isAuthenticated: true, usesSecureConnections: false, signatureResolvingKey: 3,
            localSignatureResolvingKey: 1 << 127)
        var client = ClientConfiguration(supportedFeatures: [0x05], databaseHash: 42)
        client[AttributeHandle(9)] = .indication
        return BondRecord(
            bond: bond, clientConfiguration: client, remoteDatabase: RemoteDatabase(hash: [1, 2]))
    }()

    static let bare = BondRecord(
        bond: Bond(
            identityAddress: DeviceAddress(0xC0FF_EEC0_FFEE, kind: .random),
            localIdentityAddress: identity, keySize: 16, isAuthenticated: false,
            usesSecureConnections: true))

    @Test("every field is stored", arguments: [[], [bare], [full], [full, bare]])
    func roundTrip(bonds: [BondRecord]) throws {
        let state = DeviceState(identityAddress: Self.identity, bonds: bonds)
        let parsed = try JSONValue(parsing: state.json.text)
        #expect(try DeviceState(json: parsed) == state)
    }

    /// `Tests/Contract/bonds.json` is of version 0.1, whose reader asked for the same members.
    @Test("a file of version 0.1 is read, and is written so that version 0.1 can read it")
    func version01() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Contract/bonds.json").standardizedFileURL
        let json = try JSONValue(parsing: String(contentsOf: file, encoding: .utf8))
        let state = try DeviceState(json: json)
        #expect(state.bonds == [Self.full, Self.bare] && state.peers == Self.peers)
        #expect(state.json == json)
    }

    @Test("keys are written most significant digit first")
    func keyDigits() throws {
        let json = DeviceState(identityAddress: Self.identity, bonds: [Self.full]).json
        let bond = try #require(json["bonds"]?.array?.first)
        #expect(bond["peerIRK"]?.string == "00000000000000000000000000000001")
        #expect(bond["localLTK"]?["value"]?.string == "0102030405060708090a0b0c0d0e0f10")
        #expect(bond["localLTK"]?["rand"]?.string == "fedcba9876543210")
        #expect(bond["peer"]?["address"]?.string == "0A:0B:0C:0D:0E:0F")
    }

    /// Replaces, or takes away, one member of the first bond or of the state.
    private func changed(
        _ path: [String], to value: JSONValue?, in json: JSONValue
    ) -> JSONValue {
        guard let name = path.first else { return value ?? .null }
        switch json {
        case .object(let members):
            return .object(
                members.compactMap { member in
                    guard member.name == name else { return member }
                    if path.count == 1, value == nil { return nil }
                    return .init(
                        name, changed(Array(path.dropFirst()), to: value, in: member.value))
                })
        case .array(let elements):
            return .array(elements.map { changed(path, to: value, in: $0) })
        case .null, .boolean, .integer, .number, .string: return json
        }
    }

    struct Damage: Sendable, CustomTestStringConvertible {
        var path: [String]
        /// `nil` takes the member away.
        var value: JSONValue?
        /// The member that the error names.
        var member: String
        var testDescription: String {
            path.joined(separator: ".") + " = " + (value?.text ?? "missing")
        }
    }

    static let damages: [Damage] = [
        .init(path: ["version"], value: nil, member: "version"),
        .init(path: ["version"], value: 2, member: "version"),
        .init(path: ["version"], value: "1", member: "version"),
        .init(path: ["identity"], value: nil, member: "identity"),
        .init(path: ["identity"], value: "C0:11:22:33:44:55", member: "identity"),
        .init(path: ["identity", "address"], value: "C0:11:22:33:44", member: "identity"),
        .init(path: ["identity", "random"], value: nil, member: "identity"),
        // A random address that is not static identifies nobody.
        .init(path: ["identity", "address"], value: "40:11:22:33:44:55", member: "identity"),
        .init(path: ["bonds"], value: nil, member: "bonds"),
        .init(path: ["bonds"], value: [:], member: "bonds"),
        .init(path: ["bonds"], value: [1], member: "keySize"),
        .init(path: ["peers"], value: "none", member: "peers"),
        .init(path: ["bonds", "keySize"], value: nil, member: "keySize"),
        .init(path: ["bonds", "keySize"], value: 6, member: "keySize"),
        .init(path: ["bonds", "keySize"], value: 17, member: "keySize"),
        .init(path: ["bonds", "keySize"], value: "16", member: "keySize"),
        .init(path: ["bonds", "authenticated"], value: 1, member: "authenticated"),
        .init(path: ["bonds", "secureConnections"], value: nil, member: "secureConnections"),
        .init(path: ["bonds", "peer"], value: nil, member: "peer"),
        .init(path: ["bonds", "local", "address"], value: 7, member: "local"),
        .init(path: ["bonds", "peerIRK"], value: "", member: "peerIRK"),
        .init(path: ["bonds", "peerIRK"], value: "xyz", member: "peerIRK"),
        .init(path: ["bonds", "peerIRK"], value: 12, member: "peerIRK"),
        .init(
            path: ["bonds", "localCSRK"], value: .string(String(repeating: "00", count: 17)),
            member: "localCSRK"),
        .init(path: ["bonds", "localLTK"], value: "00", member: "localLTK"),
        .init(path: ["bonds", "localLTK", "value"], value: nil, member: "localLTK"),
        .init(path: ["bonds", "localLTK", "ediv"], value: 65_536, member: "localLTK"),
        .init(path: ["bonds", "localLTK", "ediv"], value: -1, member: "localLTK"),
        .init(
            path: ["bonds", "peerLTK", "rand"], value: "010000000000000000", member: "peerLTK"),
    ]

    @Test("an error names the field that is missing or wrong", arguments: damages)
    func damage(_ damage: Damage) {
        let whole = DeviceState(identityAddress: Self.identity, bonds: [Self.full]).json
        let json = changed(damage.path, to: damage.value, in: whole)
        do throws(DeviceState.FormatError) {
            _ = try DeviceState(json: json)
            Issue.record("it was taken")
        } catch {
            #expect(error.member == damage.member)
        }
    }

    @Test(
        "a damaged field that can be learned again does not lose the bond",
        arguments: [JSONValue.string("zz"), "00", 5, .null])
    func forgivable(value: JSONValue) throws {
        let whole = DeviceState(identityAddress: Self.identity, bonds: [Self.full]).json
        let json = changed(
            ["bonds", "client"], to: value,
            in: changed(["bonds", "database"], to: value, in: whole))
        let state = try DeviceState(json: json)
        #expect(state.bonds == [BondRecord(bond: Self.full.bond)])
    }

    @Test("a new device has a static random address of its own")
    func newDevice() {
        let first = DeviceState.new()
        #expect(first.identityAddress.randomKind == .static)
        #expect(first.identityAddress != DeviceState.new().identityAddress)
        #expect(first.identityResolvingKey != DeviceState.new().identityResolvingKey)
        #expect(first.bonds.isEmpty)
    }

    // MARK: Peers

    static let peers = [
        KnownPeer(
            identifier: PeerIdentifier(random: 1), address: DeviceAddress(1, kind: .random),
            identity: peer, name: "Watch \u{1F550}"),
        KnownPeer(
            identifier: PeerIdentifier(random: .max), address: DeviceAddress(2, kind: .public)),
    ]

    @Test("the known peers are stored")
    func knownPeers() throws {
        let state = DeviceState(identityAddress: Self.identity, peers: Self.peers)
        #expect(try DeviceState(json: JSONValue(parsing: state.json.text)) == state)
    }

    @Test("a state of an earlier version, without peers, has none")
    func withoutPeers() throws {
        let whole = DeviceState(
            identityAddress: Self.identity, bonds: [Self.bare], peers: Self.peers
        ).json
        let state = try DeviceState(json: changed(["peers"], to: nil, in: whole))
        #expect(state.peers.isEmpty)
        #expect(state.bonds == [Self.bare])
    }

    static let badPeers: [(path: [String], value: JSONValue?)] = [
        (["identifier"], nil), (["identifier"], 5), (["identifier"], "180F"),
        (["identifier"], "00000000_0000_4000_8000_000000000001"), (["on air"], nil),
        (["on air", "address"], "00:00:00:00:00"), (["identity"], "C0:11:22:33:44:55"),
        (["identity"], .null), (["identity", "random"], true),
    ]

    @Test(
        "a peer that cannot be read is left out, and bonds are kept",
        arguments: badPeers)
    func badPeer(path: [String], value: JSONValue?) throws {
        let whole = DeviceState(
            identityAddress: Self.identity, bonds: [Self.full], peers: [Self.peers[0]]
        ).json
        let state = try DeviceState(json: changed(["peers"] + path, to: value, in: whole))
        #expect(state.peers.isEmpty)
        #expect(state.bonds == [Self.full])
    }

    @Test("an impossible name is dropped, and of too many peers the newest are kept")
    func limits() throws {
        var peer = Self.peers[0]
        peer.name = String(repeating: "n", count: 249)
        let named = DeviceState(identityAddress: Self.identity, peers: [peer]).json
        #expect(try DeviceState(json: named).peers.map(\.name) == [nil])
        let many = (0..<2000).map { number in
            KnownPeer(
                identifier: PeerIdentifier(rawValue: UInt128(number)),
                address: DeviceAddress(UInt64(number), kind: .public))
        }
        let state = DeviceState(identityAddress: Self.identity, peers: many)
        #expect(try DeviceState(json: state.json).peers == many.suffix(1024))
    }
}
