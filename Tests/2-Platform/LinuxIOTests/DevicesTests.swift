import Glibc
import Testing

@testable import HCITransports
@testable import LinuxIO

@Suite struct DevicesTests {
    struct Row: Sendable {
        let errno: CInt
        let code: IOError.Code
        let help: String
    }

    static let rows = [
        Row(errno: EUSERS, code: .busy, help: "another program"),
        Row(errno: EPERM, code: .permissionDenied, help: "CAP_NET_ADMIN"),
        Row(errno: ENODEV, code: .notFound, help: "there is no controller hci3"),
        Row(errno: EAFNOSUPPORT, code: .notFound, help: "kernel has no Bluetooth"),
        Row(errno: ERFKILL, code: .permissionDenied, help: "rfkill unblock"),
    ]

    @Test("an unavailable controller is reported with the remedy", arguments: rows)
    func userChannel(_ row: Row) {
        let error = HCIUserChannel.failure(index: 3, errno: row.errno)
        #expect(error.code == row.code)
        #expect(error.errno == row.errno)
        #expect(error.message.contains(row.help))
        #expect(error.responsibility == .unavailable)
    }

    @Test("the name of a device is read from bluetoothd's storage")
    func nameInStorage() {
        let info = "[LinkKey]\nKey=00\n\n[General]\nName=Ada's Keyboard\nTrusted=true\n"
        #expect(BlueZStorage.name(inInfo: info) == "Ada's Keyboard")
        #expect(BlueZStorage.name(inInfo: "[General]\nAlias=Name=x\n") == nil)
        #expect(BlueZStorage.name(inInfo: "Name=\n") == nil)
        #expect(BlueZStorage.name(of: "nobody", at: "nowhere") == nil)
    }
}
