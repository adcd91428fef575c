import Testing

@testable import ANCSService

@Suite("What systemd knows")
struct SystemdSinkTests {
    @Test("the status describes what systemd does with the daemon")
    func messages() {
        #expect(
            SystemdSink.message(isManaged: false, isWatched: false)
                == "not needed: the daemon was not started by systemd")
        #expect(
            SystemdSink.message(isManaged: true, isWatched: true)
                == "it knows the daemon's state, and starts it again if it hangs")
        #expect(
            SystemdSink.message(isManaged: true, isWatched: false)
                == "it knows the daemon's state; the unit has no WatchdogSec=")
    }
}
