import ANCSKit
import BluetoothTypes
import Glibc
import LinuxIO
import Testing

@testable import ANCSCommands
@testable import AccessoryConformance

/// Apps at an adapter that is never switched on: what they remember, and what they refuse.
@Suite struct BoundAppsTests {
    /// A directory, and the apps of one launch after another.
    final class Bench: Sendable {
        let directory: TemporaryDirectory
        let adapter: BluetoothAdapter

        init() throws {
            directory = try TemporaryDirectory()
            adapter = try BluetoothAdapter(name: "Phone", at: .hci("tcp-client:127.0.0.1:1"))
        }

        deinit { adapter.loop.shutdown() }

        func apps(isForgetful: Bool = false) -> BoundApps {
            BoundApps(at: adapter, directory: isForgetful ? nil : directory.path) { _ in }
        }

        func write(_ text: String, to file: String) throws {
            try PrivateFile.write(path: directory.path + "/" + file, contents: Array(text.utf8))
        }
    }

    static func lines(_ apps: BoundApps) async -> [String] { await apps.entries.map(\.text) }

    @Test("apps are restored at the next launch, and unbound ones stay unbound")
    func remembering() async throws {
        let bench = try Bench()
        let first = bench.apps()
        try await first.launch()
        #expect(await first.entries.isEmpty)
        try await first.bind(BluetoothUUID(0x180D as UInt16), by: "band")
        try await first.bind(BluetoothUUID(0x180F as UInt16), by: "health")
        try await first.unbind("health")
        await first.end()
        let second = bench.apps()
        try await second.launch()
        let lines = [
            "band · 180D · looking for an accessory",
            "health · 180F · not bound",
        ]
        #expect(await Self.lines(second) == lines)
        try await second.relaunch()
        #expect(await Self.lines(second) == lines)
        try await second.bind(BluetoothUUID(0x180F as UInt16), by: "health")
        #expect(await Self.lines(second).last == "health · 180F · looking for an accessory")
        await second.end()
    }

    @Test("without a directory a restart of the phone is survived, and no more")
    func forgetting() async throws {
        let bench = try Bench()
        let apps = bench.apps(isForgetful: true)
        try await apps.bind(BluetoothUUID(0x180D as UInt16), by: "band")
        try await apps.unbind(nil)
        try await apps.relaunch()
        #expect(await Self.lines(apps) == ["band · 180D · not bound"])
        await apps.end()
        #expect(access(bench.directory.path + "/bindings.json", F_OK) != 0)
    }

    @Test(
        "names that could be something else are refused", arguments: ["", "a/b", "a b", "ä", "a\n"])
    func names(_ name: String) async throws {
        let bench = try Bench()
        let apps = bench.apps()
        await #expect(throws: BoundApps.Fault.self) {
            try await apps.bind(BluetoothUUID(0x180D as UInt16), by: name)
        }
        #expect(!BoundApp.isName(String(repeating: "a", count: 65)))
        #expect(BoundApp.isName(String(repeating: "a", count: 64)))
        #expect(await apps.entries.isEmpty)
    }

    @Test("an app is for one service, and there are not too many of them")
    func limits() async throws {
        let bench = try Bench()
        let apps = bench.apps(isForgetful: true)
        for number in 1...32 {
            try await apps.bind(BluetoothUUID(0x180D as UInt16), by: "app\(number)")
        }
        for (service, name) in [(0x180F, "app1"), (0x180D, "app33")] as [(UInt16, String)] {
            await #expect(throws: BoundApps.Fault.self) {
                try await apps.bind(BluetoothUUID(service), by: name)
            }
        }
        await #expect(throws: BoundApps.Fault.self) { try await apps.unbind(nil) }
        await #expect(throws: BoundApps.Fault.self) { try await apps.unbind("app33") }
        #expect(await apps.entries.count == 32)
        await apps.end()
    }

    @Test(
        "a file that is something else is an error, and stays as it is",
        arguments: [
            "", "{}", #"{"version":2,"apps":[]}"#, #"{"version":1,"apps":[{"app":"a"}]}"#,
            #"{"version":1,"apps":[{"app":"a/b","service":"180D"}]}"#,
            #"{"version":1,"apps":[{"app":"a","service":"18"}]}"#,
            #"{"version":1,"apps":[{"app":"a","service":"180D"},{"app":"a","service":"180D"}]}"#,
        ])
    func hostileFile(_ text: String) async throws {
        let bench = try Bench()
        try bench.write(text, to: "apps.json")
        let apps = bench.apps()
        await #expect(throws: BoundApps.Fault.self) { try await apps.launch() }
        await #expect(throws: BoundApps.Fault.self) {
            try await apps.bind(BluetoothUUID(0x180D as UInt16), by: "band")
        }
        #expect(await apps.entries.isEmpty)
        let kept = try PrivateFile.read(path: bench.directory.path + "/apps.json")
        #expect(kept == Array(text.utf8))
    }
}
