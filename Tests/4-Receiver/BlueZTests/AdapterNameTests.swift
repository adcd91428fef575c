import BluetoothLE
import Testing

@testable import BlueZ

@Suite struct AdapterNameTests {
    @Test func whatAUserSaysIsTaken() {
        #expect(AdapterName("any") == .any)
        #expect(AdapterName("hci0") == .interface("hci0"))
        #expect(AdapterName("00:1A:7D:DA:71:13")?.description == "00:1A:7D:DA:71:13")
    }

    @Test(arguments: ["", "hci", "hci-1", "hcix", "0", "00:1A:7D:DA:71", "hci0/dev", "hci123456"])
    func whatIsNoAdapterIsNotTaken(_ text: String) {
        #expect(AdapterName(text) == nil)
    }
}
