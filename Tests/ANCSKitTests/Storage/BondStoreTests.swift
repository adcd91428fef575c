import BluetoothLE
import Foundation
import LinuxIO
import Testing

@testable import ANCSKit

/// The file of the bonds: private, whole, and never replaced by mistake.
@Suite struct BondStoreTests {
    /// Calls with a directory that exists as long as the call.
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "/bonds-\(UInt64.random(in: .min ... .max))"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    private func mode(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    /// A file that is not by this program, but as private.
    private func write(_ text: String, to path: String) throws {
        try PrivateFile.write(path: path, contents: Array(text.utf8))
    }

    @Test("a new device keeps its identity, in a file for its owner only")
    func newDevice() throws {
        try withDirectory { directory in
            let store = BondStore(directory: directory + "/a/b")
            let state = try store.load()
            #expect(try store.load() == state)
            #expect(try mode(of: store.path) == 0o600)
            for path in ["", "/a", "/a/b"] { #expect(try mode(of: directory + path) == 0o700) }
        }
    }

    @Test("what is saved is loaded, and no other file is left")
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

    @Test("what DeviceStorage saves is what it began with, and the bonds of now")
    func storage() throws {
        try withDirectory { directory in
            let store = BondStore(directory: directory, device: .phone)
            let storage = try DeviceStorage(store, toolbox: OpenSSLToolbox())
            try storage.save(bonds: [DeviceStateTests.full], peers: [])
            try storage.save(bonds: [DeviceStateTests.bare], peers: [])
            var expected = storage.initial
            expected.bonds = [DeviceStateTests.bare]
            #expect(try store.load() == expected)
        }
    }

    static let hostile: [String] = [
        "", "{", "null", "[]", "7", "{\"version\":1}", "\u{FEFF}{}", "not JSON",
        "{\"version\":1,\"identity\":{\"address\":\"C0:11:22:33:44:55\",\"random\":true},\"bonds\":[{}]}",
        String(repeating: "[", count: 100_000),
        "{\"version\":1e400}", "{\"version\":99999999999999999999}",
    ]

    @Test(
        "a file that is no bond store is an error that says so, and stays as it is",
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
                #expect(error.message.contains("move it away to start afresh"))
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

    @Test("the default directory follows the XDG specification, and ignores what is relative")
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
