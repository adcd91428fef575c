import DeviceCommandKit
import BluetoothLE
import BluetoothTypes
import JSONText
import Testing

@testable import ANCSKit
@testable import LaboratoryCommands

/// Bonds for another machine.
@Suite struct BondExportTests {
    /// The groups of a key file, without comments.
    private func parsed(_ text: String) -> [String: [String: String]] {
        var groups: [String: [String: String]] = [:]
        var group = ""
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            if line.hasPrefix("[") {
                group = String(line.dropFirst().dropLast())
                groups[group] = [:]
            } else if let equals = line.firstIndex(of: "=") {
                groups[group]?[String(line[..<equals])] = String(line[equals...].dropFirst())
            }
        }
        return groups
    }

    @Test("the JSON is a file of bonds with one bond, and the same device")
    func json() throws {
        let state = BondFixtures.device([BondFixtures.secure, BondFixtures.legacy]).state
        let text = BondExport.json(of: BondFixtures.stored(BondFixtures.legacy), of: state)
        let read = try DeviceState(json: JSONValue(parsing: text))
        #expect(read.bonds == [BondFixtures.legacy])
        #expect(read.identityAddress == BondFixtures.own)
    }

    @Test("BlueZ has the key of LE Secure Connections once for each of its names, as it is on air")
    func secureConnections() throws {
        let text = try BondExport.bluez(BondFixtures.stored(BondFixtures.secure, name: "iPhone"))
        let groups = parsed(text)
        let key = [
            "Key": "100F0E0D0C0B0A090807060504030201", "Authenticated": "3", "EncSize": "16",
            "EDiv": "0", "Rand": "0",
        ]
        #expect(groups["PeripheralLongTermKey"] == key)
        #expect(groups["SlaveLongTermKey"] == key)
        #expect(groups["LongTermKey"] == nil)
        #expect(
            groups["IdentityResolvingKey"] == ["Key": "0000000000000000000000000000001F"])
        #expect(groups["General"]?["AddressType"] == "public")
        #expect(groups["General"]?["Name"] == "iPhone")
        #expect(
            groups["General"]?["Services"] == """
                00001800-0000-1000-8000-00805f9b34fb;0000180f-0000-1000-8000-00805f9b34fb;\
                0000fff0-0000-1000-8000-00805f9b34fb;7905f431-b5ce-4e99-a40f-4b1e122d00d0;
                """)
        #expect(
            text.contains("/var/lib/bluetooth/static-C0:11:22:33:44:55/0A:0B:0C:0D:0E:0F/info"))
        #expect(text.contains("# IdentityResolvingKey=ab000000000000000000000000000000"))
    }

    @Test("BlueZ has the keys of legacy pairing by role: the peer's for us as Central")
    func legacy() throws {
        let groups = parsed(try BondExport.bluez(BondFixtures.stored(BondFixtures.legacy)))
        #expect(
            groups["LongTermKey"] == [
                "Key": "88000000000000000000000000000000", "Authenticated": "0", "EncSize": "7",
                "EDiv": "1", "Rand": "2",
            ])
        #expect(
            groups["PeripheralLongTermKey"] == [
                "Key": "77000000000000000000000000000000", "Authenticated": "0", "EncSize": "7",
                "EDiv": "48879", "Rand": "18446744073709551615",
            ])
        #expect(groups["LocalSignatureKey"]?["Key"] == "04000000000000000000000000000000")
        #expect(groups["RemoteSignatureKey"]?["Key"] == "03000000000000000000000000000000")
        #expect(groups["General"]?["AddressType"] == "static")
        #expect(groups["General"]?["Name"] == nil)
    }

    @Test("a name from the air adds no line, and no more octets than BlueZ has room for")
    func hostileName() throws {
        let name = " a\n[LongTermKey]\nKey=00\r\\\u{1B}" + String(repeating: "é", count: 300)
        let text = try BondExport.bluez(BondFixtures.stored(BondFixtures.secure, name: name))
        let groups = parsed(text)
        #expect(groups["LongTermKey"] == nil)
        let written = try #require(groups["General"]?["Name"])
        #expect(written.hasPrefix(#"\sa\n[LongTermKey]\nKey=00\r\\"# + "\u{FFFD}é"))
        #expect((247...248).contains(written.utf8.count))
    }

    @Test("a bond that BlueZ would ignore is not exported to it")
    func impossible() {
        var record = BondFixtures.secure
        record.bond.identityAddress = DeviceAddress(0x40_0000_0000_01, kind: .random)
        #expect(throws: BondExport.Impossible.self) {
            try BondExport.bluez(BondFixtures.stored(record))
        }
        record = BondFixtures.secure
        record.bond.localLongTermKey = nil
        record.bond.peerLongTermKey = nil
        #expect(throws: BondExport.Impossible.self) {
            try BondExport.bluez(BondFixtures.stored(record))
        }
    }
}
