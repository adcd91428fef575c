import DBus
import Testing

@testable import BlueZ

/// bluetoothd's errors are texts: `create_gatt_dbus_error` of its src/gatt-client.c.
@Suite struct ErrorTextTests {
    static let codes: [(BusError, UInt8)] = [
        (.blueZ("NotPermitted", "Read not permitted"), 0x02),
        (.blueZ("NotPermitted", "Write not permitted"), 0x03),
        // 0x05, 0x0C and 0x0F have one text.
        (.blueZ("NotPermitted", "Not paired"), 0x05),
        (.blueZ("NotPermitted", "Write acquired"), 0x03),
        (.blueZ("NotPermitted", "Notify acquired"), 0x03),
        (.blueZ("InvalidArguments", "Invalid offset"), 0x07),
        (.blueZ("InvalidArguments", "Invalid Length"), 0x0D),
        (.blueZ("InvalidArguments", "Invalid arguments in method call"), 0x0D),
        (.blueZ("NotAuthorized", "Operation Not Authorized"), 0x08),
        (.blueZ("NotSupported", "Operation is not supported"), 0x06),
        (.blueZ("Failed", "Operation failed"), 0x0E),
        (.blueZ("Failed", "Operation failed with ATT error: 0x0e"), 0x0E),
        (.blueZ("Failed", "Operation failed with ATT error: 0xa0"), 0xA0),
        (.blueZ("Failed", "Operation failed with ATT error: 0xFF"), 0xFF),
        // Newer ones add the code's name.
        (.blueZ("Failed", "Operation failed with ATT error: 0x80 (Application error)"), 0x80),
        (.blueZ("Failed", "Operation failed with ATT error: 0x"), 0x0E),
        (.blueZ("Failed", "Operation failed with ATT error: 0xzz"), 0x0E),
        (.blueZ("Failed", "Not connected"), 0x0E), (.blueZ("Failed", ""), 0x0E),
        (.blueZ("InProgress", "In Progress"), 0x0E), (BusError(BusError.noReply), 0x0E),
        (BusError("com.example.Failed", "ATT error: 0xa2"), 0x0E), (BusError(""), 0x0E),
    ]

    @Test(arguments: codes)
    func anErrorHasTheCodeOfThePhone(_ error: BusError, _ code: UInt8) {
        #expect(error.attErrorCode == code)
    }

    @Test func whatAnErrorMeansIsSeenByItsNameAndText() {
        #expect(BusError.blueZ("NotPermitted", "Notify acquired").isAcquired)
        #expect(!BusError.blueZ("NotPermitted", "Write acquired").isAcquired)
        #expect(BusError.blueZ("NotConnected", "Not Connected").isNotConnected)
        #expect(BusError.blueZ("Failed", "Not connected").isNotConnected)
        #expect(!BusError.blueZ("Failed", "Operation failed").isNotConnected)
        #expect(BusError.blueZ("InProgress").isInProgress)
        #expect(!BusError("com.example.InProgress").isInProgress)
        for name in [BusError.unknownObject, BusError.unknownMethod, BusError.unknownInterface] {
            #expect(BusError(name).isGone)
        }
        #expect(!BusError(BusError.unknownProperty).isGone)
    }
}
