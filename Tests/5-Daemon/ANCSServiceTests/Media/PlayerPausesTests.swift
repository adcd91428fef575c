import Octets
import Testing

@testable import ANCSService

@Suite("Music during calls")
struct PlayerPausesTests {
    private static let vlc = "org.mpris.MediaPlayer2.vlc"
    private static let call = RecordID(rawValue: 1)
    private static let start = MonotonicInstant.zero

    /// What the machine puts out after an input.
    private static func outputs(
        _ machine: inout PlayerPauses, _ input: (inout PlayerPauses) -> Void
    ) -> [PlayerPauses.Output] {
        input(&machine)
        var outputs: [PlayerPauses.Output] = []
        while let output = machine.pollOutput() { outputs.append(output) }
        return outputs
    }

    /// A machine with one player that it has told to pause.
    private static func pausing() -> PlayerPauses {
        var machine = PlayerPauses(.ringing)
        _ = outputs(&machine) { machine in
            machine.receive(.incoming, of: call, isMuted: false)
            machine.found(":1.5", name: vlc, isOwn: false, number: 1)
            machine.answered(":1.5", .playing, number: 1, at: start)
        }
        return machine
    }

    @Test("a player that plays is paused while the call rings, and plays again when it is over")
    func whole() {
        var machine = PlayerPauses(.ringing)
        #expect(
            Self.outputs(&machine) { $0.receive(.incoming, of: Self.call, isMuted: false) } == [
                .search(1)
            ])
        #expect(
            Self.outputs(&machine) {
                $0.found(":1.5", name: Self.vlc, isOwn: false, number: 1)
            } == [.ask(owner: ":1.5", 1, isUrgent: true)])
        #expect(
            Self.outputs(&machine) { $0.answered(":1.5", .playing, number: 1, at: Self.start) } == [
                .remember([Self.vlc]), .pause(owner: ":1.5"),
            ])
        #expect(Self.outputs(&machine) { $0.changed(":1.5", to: .paused) } == [])
        #expect(
            Self.outputs(&machine) { $0.receive(.answered, of: Self.call, isMuted: false) } == [])
        #expect(
            Self.outputs(&machine) { $0.receive(.ended, of: Self.call, isMuted: false) } == [
                .ask(owner: ":1.5", 2, isUrgent: false)
            ])
        #expect(
            Self.outputs(&machine) { $0.answered(":1.5", .paused, number: 2, at: Self.start) } == [
                .play(owner: ":1.5"), .remember([]), .finish,
            ])
    }

    @Test("with \"call\" a call that rings pauses nothing, and with \"never\" none does")
    func settings() {
        var machine = PlayerPauses(.call)
        #expect(
            Self.outputs(&machine) { $0.receive(.incoming, of: Self.call, isMuted: false) } == [])
        #expect(
            Self.outputs(&machine) { $0.receive(.answered, of: Self.call, isMuted: false) } == [
                .search(1)
            ])
        #expect(Self.outputs(&machine) { $0.reconfigure(.never) } == [.finish])
        #expect(
            Self.outputs(&machine) {
                $0.receive(.incoming, of: RecordID(rawValue: 2), isMuted: false)
            } == [])
        // The call that is there counts.
        #expect(Self.outputs(&machine) { $0.reconfigure(.ringing) } == [.search(3)])
    }

    @Test("of a call that a rule mutes nothing is to be noticed")
    func muted() {
        var machine = PlayerPauses(.ringing)
        #expect(
            Self.outputs(&machine) { $0.receive(.incoming, of: Self.call, isMuted: true) } == [])
        #expect(
            Self.outputs(&machine) { $0.receive(.answered, of: Self.call, isMuted: true) } == [])
    }

    @Test("a player that hung in the middle of pausing is asked again, however late it answers")
    func hung() {
        var machine = Self.pausing()
        #expect(
            Self.outputs(&machine) { $0.receive(.ended, of: Self.call, isMuted: false) } == [
                .ask(owner: ":1.5", 2, isUrgent: false)
            ])
        let late = Self.start + .seconds(600)
        #expect(Self.outputs(&machine) { $0.handleTimeout(at: late) } == [])
        #expect(Self.outputs(&machine) { $0.changed(":1.5", to: .paused) } == [])
        #expect(
            Self.outputs(&machine) { $0.answered(":1.5", .paused, number: 2, at: late) } == [
                .play(owner: ":1.5"), .remember([]), .finish,
            ])
    }

    @Test("a player that still plays after the call has a second to pause as it was told")
    func slow() {
        for (wait, isPlayed) in [(999, true), (1000, false)] {
            var machine = Self.pausing()
            _ = Self.outputs(&machine) { machine in
                machine.receive(.ended, of: Self.call, isMuted: false)
                machine.answered(":1.5", .playing, number: 2, at: Self.start)
            }
            let deadline = machine.nextDeadline
            #expect(deadline == Self.start + .seconds(1))
            let outputs = Self.outputs(&machine) { machine in
                machine.handleTimeout(at: Self.start + .milliseconds(wait))
                machine.changed(":1.5", to: .paused)
            }
            #expect(outputs.contains(.play(owner: ":1.5")) == isPlayed)
            #expect(outputs.last == .finish)
        }
    }

    @Test("a player that was used meanwhile is left alone", arguments: ["Playing", "Stopped"])
    func used(word: String) throws {
        let status = try #require(MPRIS.PlaybackStatus(rawValue: word))
        var machine = Self.pausing()
        #expect(
            Self.outputs(&machine) { machine in
                machine.changed(":1.5", to: .paused)
                machine.changed(":1.5", to: status)
                machine.changed(":1.5", to: .paused)
            } == [.remember([])])
        #expect(
            Self.outputs(&machine) { $0.receive(.ended, of: Self.call, isMuted: false) } == [
                .finish
            ])
    }

    @Test("what somebody pauses later was not paused here: a player that took the call plays on")
    func deaf() {
        var machine = Self.pausing()
        #expect(
            Self.outputs(&machine) { $0.told(":1.5", isTaken: true, at: Self.start) } == [])
        let later = Self.start + .seconds(1)
        #expect(
            Self.outputs(&machine) { $0.handleTimeout(at: later) } == [
                .ask(owner: ":1.5", 1, isUrgent: false)
            ])
        #expect(
            Self.outputs(&machine) { machine in
                machine.answered(":1.5", .playing, number: 1, at: later)
                machine.changed(":1.5", to: .paused)
            } == [.remember([])])
        #expect(
            Self.outputs(&machine) { $0.receive(.ended, of: Self.call, isMuted: false) } == [
                .finish
            ])
    }

    @Test("the end of the daemon leaves paused what it has paused, and remembers it")
    func stopped() {
        var machine = Self.pausing()
        let outputs = Self.outputs(&machine) { machine in
            machine.stop()
            machine.receive(.ended, of: Self.call, isMuted: false)
        }
        #expect(outputs == [])
    }

    @Test("a second call before the first one is over changes nothing")
    func second() {
        var machine = Self.pausing()
        let other = RecordID(rawValue: 2)
        let outputs = Self.outputs(&machine) { machine in
            machine.receive(.incoming, of: other, isMuted: false)
            machine.receive(.ended, of: Self.call, isMuted: false)
        }
        #expect(outputs == [])
        #expect(
            Self.outputs(&machine) { $0.receive(.ended, of: other, isMuted: false) } == [
                .ask(owner: ":1.5", 2, isUrgent: false)
            ])
    }
}
