import CoreBluetooth
import Testing

@Suite("UUIDs as Core Bluetooth has them")
struct CBUUIDTests {
    @Test(
        "each form is accepted, and shown in the shortest",
        arguments: [
            ("180D", "180D"), ("180d", "180D"), ("0x180D", "180D"), ("0000180D", "180D"),
            ("12345678", "12345678"), ("0x12345678", "12345678"),
            ("0000180d-0000-1000-8000-00805f9b34fb", "180D"),
            ("12345678-0000-1000-8000-00805F9B34FB", "12345678"),
            ("6E400001-B5A3-F393-E0A9-E50E24DCCA9E", "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"),
        ])
    func forms(_ written: String, _ shown: String) {
        let uuid = CBUUID(string: written)
        #expect(uuid.uuidString == shown)
        #expect(uuid.description == shown)
        #expect(CBUUID(data: uuid.data) == uuid)
        #expect(Set([uuid, CBUUID(string: shown)]).count == 1)
    }

    @Test("a UUID of Foundation is the same 128 bits")
    func foundation() throws {
        let text = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
        let uuid = try #require(UUID(uuidString: text))
        #expect(CBUUID(nsuuid: uuid).uuidString == text)
        #expect(CBUUID(nsuuid: uuid) == CBUUID(string: text))
        #expect(CBUUID(nsuuid: uuid).data.first == 0x6E)
    }

    @Test("octets are read with the most significant first")
    func data() {
        #expect(CBUUID(data: Data([0x18, 0x0D])) == CBUUID(string: "180D"))
        #expect(CBUUID(data: Data([0x12, 0x34, 0x56, 0x78])).uuidString == "12345678")
        #expect(CBUUID(string: "180D").data == Data([0x18, 0x0D]))
        #expect(CBUUID(string: "12345678").data == Data([0x12, 0x34, 0x56, 0x78]))
    }

    @Test(
        "what is no UUID ends the program",
        arguments: [
            "", "18", "180DX", "0x0x180D", "G80D", "0x6E400001-B5A3-F393-E0A9-E50E24DCCA9E",
            "+1234567",
        ])
    func impossible(_ text: String) async {
        await #expect(processExitsWith: .failure) { [text] in
            _ = CBUUID(string: text)
        }
    }
}
