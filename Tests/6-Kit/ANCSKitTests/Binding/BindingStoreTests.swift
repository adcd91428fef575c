import ANCSKit
import Foundation
import LinuxIO
import Testing

/// The file of the bindings: private, whole at any time, and never replaced by mistake.
@Suite struct BindingStoreTests {
    private static let band = PeerIdentifier(rawValue: 0x0123_4567_89AB_4CDE_8123_4567_89AB_CDEF)
    private static let watch = PeerIdentifier(rawValue: 1)

    private func withStore(_ body: (BindingStore) throws -> Void) throws {
        let directory = try TemporaryDirectory()
        try body(BindingStore(directory: directory.path + "/state"))
    }

    private func write(_ text: String, to store: BindingStore) throws {
        let file = URL(filePath: store.path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: store.path)
    }

    @Test("an app that never bound anything is unbound, and nothing is written for it")
    func new() throws {
        try withStore { store in
            #expect(try store.binding(of: "app") == .unbound)
            try store.save(.unbound, of: "app")
            #expect(!FileManager.default.fileExists(atPath: store.path))
        }
    }

    @Test("a saved binding is read again, from a file that only its owner can read")
    func roundTrip() throws {
        try withStore { store in
            let binding = StoredBinding.bound(Self.band, name: "Band \"Ä\"")
            try store.save(binding, of: "app")
            #expect(try store.binding(of: "app") == binding)
            let attributes = try FileManager.default.attributesOfItem(atPath: store.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            try store.save(.justUnbound, of: "app")
            #expect(try store.binding(of: "app") == .justUnbound)
            let text = try String(contentsOfFile: store.path, encoding: .utf8)
            #expect(!text.contains("0123"))
            try store.save(.unbound, of: "app")
            #expect(try store.entries().isEmpty)
        }
    }

    @Test("apps do not change each other's bindings or their order")
    func several() throws {
        try withStore { store in
            try store.save(.bound(Self.band, name: nil), of: "one")
            try store.save(.bound(Self.watch, name: "Watch"), of: "other")
            try store.save(.justUnbound, of: "one")
            let entries = try store.entries()
            #expect(entries.map(\.app) == ["one", "other"])
            #expect(
                entries.map(\.binding) == [.justUnbound, .bound(Self.watch, name: "Watch")])
        }
    }

    @Test("only the file is left after a change")
    func noRemains() throws {
        try withStore { store in
            for _ in 1...3 { try store.save(.bound(Self.band, name: nil), of: "app") }
            let directory = URL(filePath: store.path).deletingLastPathComponent().path()
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: directory) == ["bindings.json"])
        }
    }

    static let foreign = [
        "", "{", "[]", "{}", #"{"version":2,"bindings":[]}"#, #"{"version":1}"#,
        #"{"version":1,"bindings":[{}]}"#, #"{"version":1,"bindings":[{"app":"a"}]}"#,
        #"{"version":1,"bindings":[{"app":"a","peripheral":"0"}]}"#,
        #"{"version":1,"bindings":[{"app":"a","justUnbound":false}]}"#,
        #"{"version":1,"bindings":[{"app":"a","justUnbound":true},{"app":"a","justUnbound":true}]}"#,
        #"{"version":1,"bindings":[{"app":"a","justUnbound":true,"#
            + #""peripheral":"00000000-0000-4000-8000-000000000001"}]}"#,
    ]

    @Test("another kind of file is an error, and is not changed", arguments: foreign)
    func unreadable(_ text: String) throws {
        try withStore { store in
            try write(text, to: store)
            #expect(throws: BindingStore.Failure.self) { try store.binding(of: "a") }
            #expect(throws: BindingStore.Failure.self) { try store.save(.justUnbound, of: "a") }
            #expect(try String(contentsOfFile: store.path, encoding: .utf8) == text)
        }
    }

    @Test("a file that others may read is refused")
    func notPrivate() throws {
        try withStore { store in
            try store.save(.justUnbound, of: "app")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644], ofItemAtPath: store.path)
            do throws(BindingStore.Failure) {
                _ = try store.binding(of: "app")
                Issue.record("it was read")
            } catch { #expect(error.message.contains("644")) }
        }
    }
}
