import Foundation
import LinuxIO
import Testing

@testable import ANCSKit
@testable import ANCSReceiver

@Suite struct BlueZPeerStoreTests {
    private static func peer(_ number: Int, _ identifier: UInt128? = nil) -> BlueZPeerStore.Entry {
        let address = DeviceAddress(0xC000_0000_0000 | UInt64(number), kind: .random)
        return BlueZPeerStore.Entry(
            address: address,
            identifier: identifier.map { PeerIdentifier(rawValue: $0) }
                ?? PeerIdentifier(random: UInt128(number)))
    }

    private func withStore(_ body: (BlueZPeerStore) throws -> Void) throws {
        let directory = try TemporaryDirectory()
        try body(BlueZPeerStore(directory: directory.path + "/state"))
    }

    @Test func whatOneProgramAddsAnotherOneReads() throws {
        try withStore { store in
            #expect(try store.read() == [])
            try store.add([Self.peer(1), Self.peer(2)])
            try store.add([Self.peer(3)])
            #expect(try store.read() == [Self.peer(1), Self.peer(2), Self.peer(3)])
            let attributes = try FileManager.default.attributesOfItem(atPath: store.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test func theFirstIdentifierOfAPeerStays() throws {
        try withStore { store in
            try store.add([Self.peer(1, 11), Self.peer(2)])
            // Another program, which began before, has given it another one.
            try store.add([Self.peer(1, 12)])
            #expect(try store.read() == [Self.peer(2), Self.peer(1, 11)])
        }
    }

    @Test func thoseThatWereUsedLongestAgoAreForgotten() throws {
        try withStore { store in
            try store.add((1...KnownPeer.limit).map { Self.peer($0) })
            try store.add([Self.peer(1), Self.peer(5_000)])
            let peers = try store.read()
            #expect(peers.count == KnownPeer.limit)
            #expect(peers.first == Self.peer(3))
            #expect(peers.suffix(2) == [Self.peer(1), Self.peer(5_000)])
        }
    }

    @Test func whileAnotherProgramStoresItIsBusy() throws {
        try withStore { store in
            let lock = try FileLock(of: store.path)
            #expect {
                try store.add([Self.peer(1)])
            } throws: { error in
                if case .io(let error)? = error as? StoreFailure {
                    error.code == .busy
                } else {
                    false
                }
            }
            lock.release()
            try store.add([Self.peer(1)])
            #expect(try store.read() == [Self.peer(1)])
        }
    }

    @Test(arguments: ["", "nonsense", "{}", "{\"version\":2,\"peers\":[]}", "{\"version\":1}"])
    func anotherKindOfFileIsNotTouched(_ text: String) throws {
        try withStore { store in
            try PrivateFile.write(path: store.path, contents: Array(text.utf8))
            #expect(throws: StoreFailure.self) { try store.read() }
            #expect(throws: StoreFailure.self) { try store.add([Self.peer(1)]) }
            #expect(try PrivateFile.read(path: store.path) == Array(text.utf8))
        }
    }

    @Test func membersThatCannotBeReadAreLeftOut() throws {
        try withStore { store in
            try store.add([Self.peer(1)])
            let contents = try #require(try PrivateFile.read(path: store.path))
            let text = String(decoding: contents, as: UTF8.self)
            let changed = text.replacing(
                "\"peers\":[", with: "\"peers\":[{\"identifier\":\"x\"},7,")
            #expect(changed != text)
            try PrivateFile.write(path: store.path, contents: Array(changed.utf8))
            #expect(try store.read() == [Self.peer(1)])
        }
    }
}
