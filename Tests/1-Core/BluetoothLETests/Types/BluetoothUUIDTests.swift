import BluetoothLE
import Testing

/// UUIDs as programs write them and users read them.
@Suite struct BluetoothUUIDTests {
    @Test("a literal is the UUID that the same text is, in each form and either case")
    func literals() {
        #expect("180F" as BluetoothUUID == BluetoothUUID(UInt16(0x180F)))
        #expect("0000180f" as BluetoothUUID == "180F")
        #expect("0000180F-0000-1000-8000-00805F9B34FB" as BluetoothUUID == "180F")
        #expect(
            "7905F431-B5CE-4E99-A40F-4B1E122D00D0" as BluetoothUUID
                == BluetoothUUID(UInt128(0x7905_F431_B5CE_4E99_A40F_4B1E_122D_00D0)))
    }

    @Test("a UUID is shown in its shortest form, and read again from that")
    func descriptions() {
        for text in ["180F", "7905F431-B5CE-4E99-A40F-4B1E122D00D0"] {
            #expect(BluetoothUUID(text: text)?.description == text)
        }
    }

    @Test(
        "text that is not a UUID is refused",
        arguments: ["", "18F", "180G", "180F ", "7905F431B5CE4E99A40F4B1E122D00D0"])
    func otherText(text: String) {
        #expect(BluetoothUUID(text: text) == nil)
    }

    @Test("a literal that is not a UUID ends the program")
    func wrongLiteral() async {
        await #expect(processExitsWith: .failure) { _ = "battery" as BluetoothUUID }
    }
}
