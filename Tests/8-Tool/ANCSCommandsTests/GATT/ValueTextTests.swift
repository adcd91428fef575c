import DeviceCommandKit
import ANCSKit
import BluetoothTypes
import Octets
import Testing

@testable import CommandKit
@testable import LaboratoryCommands

/// Values in words, and what is none.
@Suite struct ValueTextTests {
    private func text(_ uuid: UInt16, _ hexadecimal: String) throws -> String {
        let octets = try #require(Hexadecimal.octets(hexadecimal))
        return ValueText.text(of: octets, BluetoothUUID(uuid))
    }

    static let known: [(UInt16, String, String)] = [
        (0x2A00, "4465736b", "“Desk”"),
        (0x2A01, "c200", "smartwatch (0x00C2)"),
        (0x2A01, "0000", "unknown"),
        (0x2A01, "ffff", "0xFFFF"),
        (0x2A04, "0600180000002a00", "interval 7.5 ms to 30 ms, latency 0, timeout 420 ms"),
        (0x2A04, "ffff07000100ffff", "interval any to 8.75 ms, latency 1, timeout any"),
        (0x2A07, "f4", "-12 dBm"),
        (0x2A0F, "0400", "UTC+01:00, standard time"),
        (0x2A0F, "ea04", "UTC-05:30, daylight saving time +01:00"),
        (0x2A0F, "80ff", "unknown zone"),
        (0x2A14, "06ff0000", "cellular network, updated less than an hour ago"),
        (0x2A14, "04020305", "set manually, accurate to 250 ms, updated 3 days and 5 hours ago"),
        (
            0x2A14, "01fe0101",
            "Network Time Protocol, accurate to more than 31.5 s, updated 1 day and 1 hour ago"
        ),
        (0x2A14, "08ffffff", "8 (reserved), updated 255 days or more ago"),
        (0x2A19, "64", "100 %"),
        (0x2A29, "4170706c6500", "“Apple”"),
        (0x2A2B, "ea070b15091e0506ff00", "Sat 2026-11-21 09:30:05"),
        (
            0x2A2B, "ea070b15091e05060009",
            "Sat 2026-11-21 09:30:05, adjusted: manually, daylight saving time"
        ),
        (0x2A38, "02", "wrist"),
        (0x2A38, "07", "7 (reserved)"),
        (
            0x2A50, "026d041234ff12",
            "USB vendor 0x046D, product 0x3412, version 18.15.15"
        ),
        (0x2AA6, "01", "supported"),
        (0x2B29, "05", "robust caching, multiple value notifications"),
        (0x2900, "0100", "reliable writes"),
        (0x2901, "4869", "“Hi”"),
        (0x2902, "0000", "off"),
        (0x2902, "0300", "notifications, indications"),
        (0x2908, "0102", "report 1, output"),
    ]

    @Test("values with a known form are shown in words", arguments: known)
    func meanings(uuid: UInt16, octets: String, words: String) throws {
        #expect(try text(uuid, octets) == words)
    }

    @Test("no prefix or extension of a known value is accepted as that value")
    func malformed() throws {
        for (uuid, octets, _) in Self.known where ![0x2A00, 0x2A29, 0x2901].contains(uuid) {
            for count in 1..<octets.utf8.count / 2 {
                let prefix = String(octets.prefix(2 * count))
                #expect(try text(uuid, prefix) == prefix)
            }
            #expect(try text(uuid, octets + "00") == octets + "00")
        }
    }

    @Test("values of unknown form are text only where all of it is, and visible")
    func guesses() throws {
        #expect(try text(0xFFF1, "48656c6c6f") == "“Hello”")
        #expect(try text(0xFFF1, "4772c3bcc39f65") == "“Grüße”")
        #expect(try text(0xFFF1, "4141") == "4141")
        #expect(try text(0xFFF1, "48656c1b6f") == "48656c1b6f")
        #expect(try text(0xFFF1, "48656cff") == "48656cff")
        #expect(try text(0xFFF1, "") == "(empty)")
        // A value of numbers stays one, though its octets are letters.
        #expect(try text(0x2B2A, "41414141414141414141414141414141").hasPrefix("4141"))
        #expect(try text(0x2A00, "1b5b324a") == #"“\u{1B}[2J”"#)
    }

    @Test("programs receive text unchanged, and meanings in words")
    func meaningsForPrograms() {
        let name = BluetoothUUID(UInt16(0x2A00))
        #expect(ValueText.meaning(of: [0x1B, 0x41], name) == .text("\u{1B}A"))
        #expect(
            ValueText.meaning(of: [85], BluetoothUUID(UInt16(0x2A19))) == .words("85 %"))
        #expect(ValueText.meaning(of: [], name) == nil)
        #expect(ValueText.meaning(of: [0xFF, 0xFE], name) == nil)
    }

    @Test("hostile values are shown without a trap and without raw control characters")
    func hostile() throws {
        var generator = SeededGenerator(seed: 6)
        let numbers = Self.known.map(\.0) + [0x2904, 0xFFF1]
        for _ in 0..<5_000 {
            let count = Int.random(in: 0...20, using: &generator)
            let octets = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            for number in numbers {
                let text = ValueText.text(of: octets, BluetoothUUID(number))
                #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
            }
        }
    }

    @Test("the command takes a peer, and options that are valid only together")
    func options() throws {
        func options(_ words: String...) throws -> GATTCommandOptions {
            try GATTCommandOptions(
                GATTCommandOptions.syntax.parse(["--hci", "tcp-client:h:1"] + words),
                environment: [:])
        }
        let plain = try options("C0:FF:EE:C0:FF:EE")
        #expect(plain.store == nil)
        #expect(plain.timeout == .seconds(30))
        #expect(plain.pairing.policy == .never)
        let pairing = try options("Watch", "--pair", "--state", "/s", "--device", "phone")
        #expect(pairing.pairing.policy == .whenNeeded)
        #expect(pairing.store == BondStore(directory: "/s", device: .phone))
        for words in [["Watch", "--io", "none"], ["Watch", "--device", "phone"], []] {
            #expect(throws: CommandSyntax.UsageError.self) {
                try GATTCommandOptions(
                    GATTCommandOptions.syntax.parse(["--hci", "tcp-client:h:1"] + words),
                    environment: [:])
            }
        }
    }
}
