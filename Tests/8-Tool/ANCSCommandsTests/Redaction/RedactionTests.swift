import ANCSCapture
import BluetoothLE
import Foundation
import HCITransports
import JSONText
import LinuxIO
import Octets
import OpenSSLSecurity
import Testing

@testable import ANCSCommands
@testable import CaptureRedaction
@testable import CommandKit

/// A capture that is sent says what happened, and nothing of what was secret.
@Suite("Redacted captures")
struct RedactionTests {
    static func records(
        _ octets: [UInt8], _ receive: (CaptureFormat, CaptureReader.Record) -> Void
    ) {
        var reader = CaptureReader()
        var format: CaptureFormat?
        reader.receive(octets)
        reader.finish()
        while let output = reader.pollOutput() {
            switch output {
            case .format(let found): format = found
            case .record(let record): if let format { receive(format, record) }
            case .failed: break
            }
        }
    }

    /// The file that `--redact` writes; `nil` if there is no capture.
    static func redacted(
        _ octets: [UInt8], seed: UInt64 = 1, devices: [DeviceAddress] = []
    ) -> [UInt8]? {
        var clues: CaptureClues?
        records(octets) { format, record in
            if clues == nil { clues = CaptureClues(format, devices: devices) }
            clues?.receive(record)
        }
        guard let clues else { return nil }
        var redactor: CaptureRedactor?
        var (file, form): ([UInt8], RedactedFile?) = ([], nil)
        func drain() {
            while let record = redactor?.pollOutput() { file += form?.octets(of: record) ?? [] }
        }
        records(octets) { format, record in
            if redactor == nil {
                redactor = CaptureRedactor(format, clues: clues, seed: seed)
                form = RedactedFile(like: format)
                file = form?.header ?? []
            }
            redactor?.receive(record)
            drain()
        }
        redactor?.finish()
        drain()
        return file
    }

    /// The file that `--snoop-redacted` writes of the same packets.
    static func recorded(_ octets: [UInt8]) -> [UInt8] {
        let live = LiveRedaction()
        var file = RedactedFile(like: .btsnoop(.h4)).header
        records(octets) { _, record in
            guard case .packet(let packet, let direction, _) = record.content else { return }
            file += live.octets(of: packet, direction, at: record.time)
        }
        return file + live.finish()
    }

    @Test(
        "two captures that differ in secrets alone become one file",
        arguments: CaptureBuilder.Format.allCases)
    func identical(_ format: CaptureBuilder.Format) throws {
        for shape in 0..<20 as Range<UInt64> {
            let stories = (1...2 as ClosedRange<UInt64>).map {
                SecretStory(format, shape: shape, secrets: shape * 2 + $0)
            }
            #expect(stories[0].link.capture.octets != stories[1].link.capture.octets)
            let files = stories.map { Self.redacted($0.link.capture.octets) }
            #expect(files[0] != nil && files[0] == files[1], "shape \(shape)")
            let live = stories.map { Self.recorded($0.link.capture.octets) }
            #expect(live[0].count > 1000 && live[0] == live[1], "shape \(shape), live")
        }
    }

    @Test("no secret is in it, in any form", arguments: CaptureBuilder.Format.allCases)
    func searched(_ format: CaptureBuilder.Format) throws {
        for shape in 0..<4 as Range<UInt64> {
            let story = SecretStory(format, shape: shape, secrets: shape + 1000)
            let octets = story.link.capture.octets
            for file in [try #require(Self.redacted(octets)), Self.recorded(octets)] {
                SecretSearch(file).expectNone(of: story.secrets)
            }
        }
    }

    @Test(
        "the same happens in it, at the same intervals", arguments: CaptureBuilder.Format.allCases)
    func decoded(_ format: CaptureBuilder.Format) throws {
        for shape in 0..<6 as Range<UInt64> {
            let story = SecretStory(format, shape: shape, secrets: 7)
            let octets = story.link.capture.octets
            let file = try #require(Self.redacted(octets))
            let (before, after) = (ToldStory(octets, json: true), ToldStory(file, json: true))
            #expect(before.objects.count > 20)
            // What is no packet is left out, and not counted.
            let hasNotes = [.monitor, .packetLoggerBig, .packetLoggerLittle].contains(format)
            func skeletons(_ story: ToldStory) -> [String] {
                story.objects.filter { $0["event"] != "adapter" }
                    .map { Self.skeleton($0, without: hasNotes ? "records" : nil) }
            }
            #expect(skeletons(before) == skeletons(after))
        }
    }

    /// What of a line does not depend on secrets.
    private static func skeleton(_ line: JSONValue, without left: String?) -> String {
        let kept: Set = [
            "event", "state", "kind", "uid", "flags", "category", "categoryCount", "time",
            "connection", "session",
            "sameAsConnection", "encrypted", "method", "mtu", "ancs", "notificationSource",
            "dataSource", "origin",
            "characteristic", "on", "command", "answered", "added", "side", "records", "bonded",
            "complete",
        ]
        let members = (line.members ?? []).filter {
            kept.contains($0.name) && $0.name != left
                && !($0.name == "dataSource" && $0.value.string == nil)
        }
        let lengths = (line["attributes"]?.array ?? []).compactMap { $0["length"]?.text }
        return members.map { "\($0.name)=\($0.value.text)" }.joined(separator: " ")
            + lengths.joined(separator: ",")
    }

    @Test("what a key resolved is resolved by the key that stands for it")
    func resolution() throws {
        let story = SecretStory(.h4, shape: 3, secrets: 3)
        let file = try #require(Self.redacted(story.link.capture.octets))
        // The key of a link over BR/EDR shows another one.
        let connected = ToldStory(file, json: true).all("connected")
            .filter { $0["transport"]?.string == "LE" }
        #expect(connected.count == 2)
        #expect(connected[1]["sameAsConnection"] == connected[0]["connection"])
        #expect(
            connected[1]["identity"] != nil && connected[0]["address"] != connected[1]["address"])
    }

    @Test("what begins in a report that is a part of an advertisement is no structure")
    func fragments() throws {
        var capture = CaptureBuilder(.h4)
        let name: [UInt8] = [20, 0x09] + Array("a".utf8)
        // The rest of the name looks like a power.
        let rest: [UInt8] = [2, 0x0A, 0x5A]
        for (status, data) in [(0x20 as UInt8, name), (0x00, rest), (0x00, rest)] {
            let report: [UInt8] =
                [
                    status, 0x00, 1, 1, 2, 3, 4, 5, 0xC6, 1, 0, 0, 0x7F, 0xC0, 0, 0, 0, 0, 0, 0, 0,
                    0, 0,
                ]
                + [UInt8(data.count)] + data
            capture.add(
                .event([0x3E, UInt8(report.count + 2), 0x0D, 1] + report), isSent: false)
        }
        let named = DeviceAddress(0xC605_0403_0201, kind: .random)
        let file = try #require(Self.redacted(capture.octets, devices: [named]))
        // The third report is whole: its power is kept. The second one is not.
        let found = file.indices.filter { file[$0...].starts(with: rest) }
        #expect(found.count == 1)
    }

    @Test("of devices without a link nothing is left, unless one is named")
    func strangers() throws {
        let phone = DeviceAddress(0xC0FF_EE01_0203, kind: .random)
        func octets(of address: DeviceAddress) -> [UInt8] {
            (0..<6).map { UInt8(truncatingIfNeeded: address.rawValue >> (8 * UInt64($0))) }
        }
        let (key, hers) = (UInt128(0x1234_5678), DeviceAddress(0xC0AA_AA01_0203, kind: .random))
        var toolbox = OpenSSLToolbox()
        let known = PrivateAddress.makeResolvable(irk: key, using: &toolbox)
        var link = LinkBuilder()
        func report(_ addresses: [DeviceAddress]) {
            let reports = addresses.flatMap { address -> [UInt8] in
                [0, 1] + octets(of: address) + [3, 2, 0x01, 0x06, 0xC5]
            }
            link.capture.add(
                .event(
                    [0x3E, UInt8(reports.count + 2), 0x02, UInt8(addresses.count)] + reports),
                isSent: false)
        }
        func extended(_ address: DeviceAddress) {
            let head: [UInt8] = [0, 0, 1] + octets(of: address)
            let rest: [UInt8] = [1, 0, 0, 0x7F, 0xC0, 0, 0] + [UInt8](repeating: 0, count: 7)
            link.capture.add(.event([0x3E, 26, 0x0D, 1] + head + rest + [0]), isSent: false)
        }
        for address in [hers, phone, known] {
            report([address])
            extended(address)
        }
        report([hers, phone])
        report([hers, hers])
        link.capture.add(
            .command(
                [0x27, 0x20, 39, 1] + octets(of: phone) + SecretStory.octets(of: key)
                    + [UInt8](repeating: 0, count: 16)), isSent: true)
        link.connect(phone)
        /// How many reports are left.
        func left(_ devices: [DeviceAddress]) throws -> Int {
            var count = 0
            let file = try #require(Self.redacted(link.capture.octets, devices: devices))
            Self.records(file) { _, record in
                guard case .packet(.event(let event), _, _) = record.content else { return }
                if event[0] == 0x3E, event[2] == 0x02 || event[2] == 0x0D { count += 1 }
            }
            return count
        }
        #expect(try left([]) == 5)
        #expect(try left([hers]) == 8)
    }

    @Test("an answer that never ends holds back what 4,096 records hold, and no more")
    func endless() throws {
        var link = LinkBuilder()
        link.connect()
        link.discover()
        link.subscribe()
        link.write([0, 1, 0, 0, 0, 3, 0xFF, 0xFF])
        link.answer(.writeResponse)
        link.notify(LinkBuilder.data, [0, 1, 0, 0, 0, 3, 0xFF, 0xFF] + Array("secret".utf8))
        for uid in 0..<9000 as Range<UInt32> { link.announce(uid + 10) }
        let file = try #require(Self.redacted(link.capture.octets))
        #expect(file.firstRange(of: Array("secret".utf8)) == nil)
        #expect(ToldStory(file, json: true).lines("notificationSource").count == 9000)
    }

    @Test(
        "octets changed at random, and files cut anywhere, never trap",
        arguments: 0..<8 as Range<UInt64>)
    func damaged(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for format in CaptureBuilder.Format.allCases {
            let whole = SecretStory(format, shape: seed, secrets: seed).link.capture.octets
            for _ in 0..<6 {
                var octets = whole
                for _ in 0..<Int.random(in: 1...40, using: &random) {
                    let index = Int.random(in: 0..<octets.count, using: &random)
                    octets[index] = UInt8.random(in: 0...255, using: &random)
                }
                octets.removeLast(Int.random(in: 0..<octets.count / 2, using: &random))
                if let file = Self.redacted(octets) { #expect(file.count <= octets.count * 3 + 64) }
            }
        }
    }

    @Test("the command writes a private file, and refuses what would lose the capture")
    func command() throws {
        let folder = try TemporaryDirectory()
        defer { folder.remove() }
        let (capture, output) = (folder.path + "/capture", folder.path + "/sent")
        try Data(SecretStory(.pcapngH4, shape: 1, secrets: 1).link.capture.octets).write(
            to: URL(filePath: capture))
        func run(_ input: String, _ output: String) -> CommandKit.ExitStatus {
            RedactCommand(capture: input, output: output, seed: 1, isJSON: true).run()
        }
        #expect(run(capture, output) == .success)
        let written = try FileManager.default.attributesOfItem(atPath: output)
        #expect(written[.posixPermissions] as? Int == 0o600)
        #expect(run("-", output) == .usage)
        #expect(run(capture, capture) == .usage)
        #expect(run(folder.path + "/none", output) == .usage)
        #expect(run(capture, folder.path + "/none/there") == .usage)
        let kept = try Data(contentsOf: URL(filePath: capture))
        #expect(kept.count > 1000)
    }
}
