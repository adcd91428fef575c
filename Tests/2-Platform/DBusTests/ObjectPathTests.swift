import Testing

@testable import DBus

@Suite struct ObjectPathTests {
    @Test(arguments: ["/", "/org", "/org/bluez/hci0/dev_00_11_22_33_44_55"])
    func aPathIsTaken(_ text: String) throws {
        #expect(try #require(ObjectPath(text)).text == text)
    }

    @Test(arguments: [
        "", "org", "/org/", "//", "/org//bluez", "//org", "/org/bluez//", "/org/blu-ez",
        "/org/bluéz",
    ])
    func whatIsNoPathIsNotTaken(_ text: String) {
        #expect(ObjectPath(text) == nil)
    }

    @Test func belowMeansWithWholeElements() {
        let adapter: ObjectPath = "/org/bluez/hci0"
        let device: ObjectPath = "/org/bluez/hci0/dev_1"
        let other: ObjectPath = "/org/bluez/hci01"
        #expect(device.isBelow(adapter))
        #expect(!other.isBelow(adapter))
        #expect(!adapter.isBelow(adapter))
        #expect(adapter.isBelow(.root))
        #expect(!ObjectPath.root.isBelow(.root))
    }

    @Test func theLastElementIsAName() {
        let adapter: ObjectPath = "/org/bluez/hci0"
        #expect(adapter.lastElement == "hci0")
        #expect(ObjectPath.root.lastElement == "")
    }
}
