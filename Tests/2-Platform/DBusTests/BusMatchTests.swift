import Testing

@testable import DBus

@Suite struct BusMatchTests {
    @Test("a rule contains the given conditions and no others")
    func rule() {
        #expect(BusMatch().rule == "type='signal'")
        #expect(
            BusMatch(
                sender: "org.bluez", path: "/org/bluez", interface: "a.b", member: "C",
                argument0: "d"
            ).rule
                == "type='signal',sender='org.bluez',path='/org/bluez',interface='a.b',member='C',arg0='d'"
        )
    }

    @Test("an apostrophe cannot end a value early")
    func apostrophe() {
        #expect(
            BusMatch(argument0: #"',eavesdrop='true\"#).rule
                == #"type='signal',arg0=''\'',eavesdrop='\''true\'"#)
    }

    @Test("only a well-known name has an owner with a different name")
    func wellKnown() {
        #expect(BusMatch(sender: "org.bluez").wellKnownSender == "org.bluez")
        #expect(BusMatch(sender: ":1.5").wellKnownSender == nil)
        #expect(BusMatch(sender: "org.freedesktop.DBus").wellKnownSender == nil)
        #expect(BusMatch().wellKnownSender == nil)
    }

    @Test("a signal matches if all conditions match")
    func fits() {
        let signal = BusSignal(from: ":1.5", "/a", "b.c", "D", [.string("e")])
        let full = BusMatch(
            sender: ":1.5", path: "/a", interface: "b.c", member: "D", argument0: "e")
        #expect(full.fits(signal) && full.fits(signal.arguments))
        #expect(BusMatch().fits(signal) && BusMatch().fits([]))
        #expect(!BusMatch(sender: ":1.6").fits(signal))
        #expect(!BusMatch(path: "/a/b").fits(signal))
        #expect(!BusMatch(interface: "b").fits(signal))
        #expect(!BusMatch(member: "d").fits(signal))
        #expect(!full.fits([]) && !full.fits([.objectPath("/e")]))
    }
}
