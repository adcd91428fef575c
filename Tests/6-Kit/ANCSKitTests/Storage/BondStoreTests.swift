import BluetoothLE
import Foundation
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// The file of the bonds: private, whole, and never replaced by mistake.
@Suite struct BondStoreTests {
    /// Calls with a directory that exists as long as the call.
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let directory = try TemporaryDirectory()
        try body(directory.path)
    }

    private func mode(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    /// A file that is not by this program, but as private.
    private func write(_ text: String, to path: String) throws {
        try PrivateFile.write(path: path, contents: Array(text.utf8))
    }

    @Test("a new device keeps its identity, in a file that only its owner can read")
    func newDevice() throws {
        try withDirectory { directory in
            let store = BondStore(directory: directory + "/a/b")
            let state = try store.load()
            #expect(try store.load() == state)
            #expect(try mode(of: store.path) == 0o600)
            for path in ["", "/a", "/a/b"] { #expect(try mode(of: directory + path) == 0o700) }
        }
    }

    @Test("a saved state is loaded again, and no temporary file is left")
    func saved() throws {
        try withDirectory { directory in
            let store = BondStore(directory: directory)
            var state = try store.load()
            state.bonds = [DeviceStateTests.full]
            try store.save(state)
            #expect(try store.load() == state)
            #expect(try mode(of: store.path) == 0o600)
            let files = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(files == ["bonds.json"])
        }
    }

    @Test("a phone and an accessory in one directory are two devices")
    func twoDevices() throws {
        try withDirectory { directory in
            let accessory = try BondStore(directory: directory).load()
            let phone = try BondStore(directory: directory, device: .phone).load()
            #expect(phone.identityAddress != accessory.identityAddress)
            #expect(try BondStore(directory: directory).load() == accessory)
            let files = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(files.sorted() == ["bonds.json", "phone.json"])
        }
    }

    @Test("DeviceStorage saves the identity that it loaded, with the current bonds and peers")
    func storage() throws {
        try withDirectory { directory in
            let store = BondStore(directory: directory, device: .phone)
            let storage = try DeviceStorage(store, toolbox: OpenSSLToolbox())
            let peer = KnownPeer(
                identifier: PeerIdentifier(random: 7), address: DeviceStateTests.peer)
            try storage.save(bonds: [DeviceStateTests.full], peers: [])
            try storage.save(bonds: [DeviceStateTests.bare], peers: [peer])
            var expected = storage.initial
            expected.bonds = [DeviceStateTests.bare]
            expected.peers = [peer]
            #expect(try store.load() == expected)
        }
    }

    @Test("a second run with the same file gets an error, but may read")
    func locked() throws {
        try withDirectory { directory in
            let store = BondStore(directory: directory)
            let first = try DeviceStorage(store, toolbox: OpenSSLToolbox())
            do throws(DeviceError) {
                _ = try DeviceStorage(store, toolbox: OpenSSLToolbox())
                Issue.record("two runs have one file")
            } catch {
                guard case .storage(.io(let cause)) = error else {
                    Issue.record("\(error)")
                    return
                }
                #expect(cause.code == .busy)
                #expect(error.message.contains(store.path))
                #expect(error.message.contains("another program"))
                #expect(error.message.contains("--state"))
            }
            #expect(throws: BondStore.Failure.self) { try store.update { $0.bonds = [] } }
            #expect(try store.load() == first.initial)
            // Another device of the same directory has a file of its own.
            _ = try DeviceStorage(
                BondStore(directory: directory, device: .phone), toolbox: OpenSSLToolbox())
            first.close()
            let second = try DeviceStorage(store, toolbox: OpenSSLToolbox())
            #expect(second.initial == first.initial)
        }
    }

    @Test("a run that is killed leaves no lock")
    func unlocked() throws {
        try withDirectory { directory in
            let store = BondStore(directory: directory)
            _ = try DeviceStorage(store, toolbox: OpenSSLToolbox())
            try store.update { $0.bonds = [DeviceStateTests.bare] }
            #expect(try store.load().bonds == [DeviceStateTests.bare])
        }
    }

    static let hostile: [String] = [
        "", "{", "null", "[]", "7", "{\"version\":1}", "\u{FEFF}{}", "not JSON",
        "{\"version\":1,\"identity\":{\"address\":\"C0:11:22:33:44:55\",\"random\":true},\"bonds\":[{}]}",
        String(repeating: "[", count: 100_000),
        "{\"version\":1e400}", "{\"version\":99999999999999999999}",
    ]

    @Test(
        "a file that is not a bond store gives an error, and is not changed",
        arguments: hostile)
    func unreadable(text: String) throws {
        try withDirectory { directory in
            let store = BondStore(directory: directory)
            try write(text, to: store.path)
            do throws(BondStore.Failure) {
                _ = try store.load()
                Issue.record("it was taken")
            } catch {
                guard case .unreadable(let path, let reason) = error else {
                    Issue.record("\(error)")
                    return
                }
                #expect(path == store.path && !reason.isEmpty)
                #expect(error.message.contains("move it away to start with a new one"))
            }
            #expect(try Data(contentsOf: URL(filePath: store.path)) == Data(text.utf8))
        }
    }

    @Test("a file that others can read is refused")
    func notPrivate() throws {
        try withDirectory { directory in
            let store = BondStore(directory: directory)
            _ = try store.load()
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644], ofItemAtPath: store.path)
            do throws(BondStore.Failure) {
                _ = try store.load()
                Issue.record("it was taken")
            } catch {
                guard case .io(let error) = error else {
                    Issue.record("\(error)")
                    return
                }
                #expect(error.code == .notPrivate)
            }
        }
    }

    @Test("the default directory follows the XDG specification, and ignores relative paths")
    func defaultDirectory() {
        typealias Store = BondStore
        #expect(
            Store.defaultDirectory(environment: ["XDG_STATE_HOME": "/s", "HOME": "/h"]) == "/s/ancs"
        )
        #expect(
            Store.defaultDirectory(environment: ["XDG_STATE_HOME": "s", "HOME": "/h"])
                == "/h/.local/state/ancs")
        #expect(Store.defaultDirectory(environment: ["HOME": "/h"]) == "/h/.local/state/ancs")
        #expect(Store.defaultDirectory(environment: ["HOME": ""]) == nil)
        #expect(Store.defaultDirectory(environment: [:]) == nil)
    }
}
