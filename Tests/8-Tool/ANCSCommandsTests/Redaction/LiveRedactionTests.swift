import BluetoothLE
import BluetoothTypes
import Foundation
import HCITransports
import JSONText
import LinuxIO
import OpenSSLSecurity
import Testing

@testable import ANCSCommands
@testable import CaptureRedaction
@testable import CommandKit
@testable import DeviceCommandKit

/// What `--snoop-redacted` records while a command runs.
@Suite("Redacted captures, live")
struct LiveRedactionTests {
    /// An answer that never ends, and a notification each second afterwards.
    private static func stalled(seconds: Int) -> LinkBuilder {
        var link = LinkBuilder()
        link.connect()
        link.discover()
        link.subscribe()
        link.write([0, 1, 0, 0, 0, 3, 0xFF, 0xFF])
        link.answer(.writeResponse)
        link.notify(LinkBuilder.data, [0, 1, 0, 0, 0, 3, 0xFF, 0xFF] + Array("secret".utf8))
        for uid in 0..<UInt32(seconds) {
            link.capture.time += 1_000_000
            link.announce(uid + 10)
        }
        return link
    }

    @Test(
        "a record waits ten seconds at most, so that is what a killed process loses",
        arguments: [9, 40])
    func killed(seconds: Int) {
        let live = LiveRedaction()
        var file = RedactedFile(like: .btsnoop(.h4)).header
        RedactionTests.records(Self.stalled(seconds: seconds).capture.octets) { _, record in
            guard case .packet(let packet, let direction, _) = record.content else { return }
            file += live.octets(of: packet, direction, at: record.time)
        }
        let told = ToldStory(file, json: true).lines("notificationSource").count
        // All wait behind the answer; once that is too old, nothing does.
        #expect(told == (seconds < 10 ? 0 : seconds))
        file += live.finish()
        #expect(ToldStory(file, json: true).lines("notificationSource").count == seconds)
        #expect(file.firstRange(of: Array("secret".utf8)) == nil)
    }

    @Test("a key that comes after its addresses resolves what stands for them")
    func lateKey() throws {
        let story = SecretStory(.h4, shape: 3, secrets: 3)
        let file = RedactionTests.recorded(story.link.capture.octets)
        let connected = ToldStory(file, json: true).all("connected")
            .filter { $0["transport"]?.string == "LE" }
        #expect(connected.count == 2 && connected[0]["address"] != connected[1]["address"])
        #expect(connected[1]["sameAsConnection"] == connected[0]["connection"])
        let before = ToldStory(story.link.capture.octets, json: true)
        let after = ToldStory(file, json: true)
        #expect(before.all("dataSource").count == after.all("dataSource").count)
    }

    @Test("the writer records what is decided at once, and the rest when the controller is gone")
    func writer() throws {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        let path = folder.path + "/capture"
        let writer = try BtsnoopWriter.capture(at: CapturePlace(path: path, isRedacted: true))
        func count() throws -> Int {
            let octets = Array(try Data(contentsOf: URL(filePath: path)))
            return ToldStory(octets, json: true).lines("notificationSource").count
        }
        RedactionTests.records(Self.stalled(seconds: 5).capture.octets) { _, record in
            guard case .packet(let packet, let direction, _) = record.content else { return }
            writer.record(packet, direction: direction, at: record.time)
        }
        writer.flush()
        #expect(try count() == 0)
        writer.conclude()
        #expect(try count() == 5)
        // The controller is there again.
        var link = LinkBuilder()
        link.wholeSession()
        RedactionTests.records(link.capture.octets) { _, record in
            guard case .packet(let packet, let direction, _) = record.content else { return }
            writer.record(packet, direction: direction, at: record.time)
        }
        writer.close()
        writer.close()
        #expect(try count() == 6)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test("the two options exclude each other, and each says where")
    func options() throws {
        func place(_ words: String...) throws -> CapturePlace? {
            try PhoneOptions(
                PhoneOptions.syntax.parse(["--hci", "hci-socket:0"] + words), environment: [:]
            ).capturePlace
        }
        #expect(try place() == nil)
        #expect(try place("--snoop", "a") == CapturePlace(path: "a"))
        #expect(try place("--snoop-redacted", "a") == CapturePlace(path: "a", isRedacted: true))
        #expect(throws: CommandSyntax.UsageError.self) {
            try place("--snoop", "a", "--snoop-redacted", "b")
        }
    }
}
