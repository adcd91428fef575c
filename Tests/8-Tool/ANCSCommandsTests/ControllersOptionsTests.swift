import BluetoothLE
import CommandKit
import HCIMonikers
import Testing
import VirtualBluetooth

@testable import LaboratoryCommands

/// The places and the suffixes of `ancs controllers --listen`.
@Suite struct ControllersOptionsTests {
    private func places(_ listen: String) throws -> [ControllersOptions.Place] {
        try ControllersOptions(ControllersOptions.syntax.parse(["--listen", listen])).places
    }

    @Test("suffixes set the abilities, and a + elsewhere belongs to the place")
    func suffixes() throws {
        let place = try #require(places("unix-server:/tmp/a+b/c+4.0+usb+acl=27,1").first)
        #expect(place.moniker.description == "unix-server:/tmp/a+b/c")
        #expect(place.abilities.packetOrder == .usb)
        #expect(place.abilities.buffers.length == 27 && place.abilities.buffers.count == 1)
    }

    @Test(
        "a mistyped suffix is not a part of the place",
        arguments: ["+usbb", "+4.3", "+acl=27", "+4.0+shared_acl", "+9.9", "+acl"])
    func mistyped(_ suffix: String) {
        #expect(throws: CommandSyntax.UsageError.self) { try places("unix-server:/tmp/a" + suffix) }
    }
}
