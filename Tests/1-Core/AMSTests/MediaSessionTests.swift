import Octets
import Testing

@testable import AMS

@Suite("Sessions of the Apple Media Service")
struct MediaSessionTests {
    private static func text(_ text: String) -> MediaState.Text { .init(Array(text.utf8)) }

    @Test("an accessory learns what is playing, and truncated values whole, in one report")
    func whole() {
        var bench = MediaBench()
        bench.start()
        #expect(bench.events == [.started])
        bench.wait(.milliseconds(50))
        #expect(bench.events.count == 2)
        let state = bench.remote.state
        #expect(state.title == Self.text("A title that is longer than one notification"))
        #expect(state.playerName == Self.text("Music") && state.volume == 500)
        #expect(state.bundleIdentifier == Self.text("com.apple.Music"))
        #expect(state.commands.octets == [0, 1, 3] && state.duration == .seconds(200))
        #expect(state.artist == nil && state.queueCount == nil)
        #expect(
            bench.seen.contains(.asked(.title, nil))
                && !bench.seen.contains(.asked(.playerName, nil)))
        // It registers after it has subscribed, once for each entity.
        let registrations = bench.seen.compactMap { event in
            if case .registered(let registration, nil) = event { registration.octets } else { nil }
        }
        #expect(registrations == [[0, 0, 1, 2, 3], [1, 0, 1, 2, 3], [2, 0, 1, 2, 3]])
    }

    @Test("the position runs on without a word of the phone, to the end of the track")
    func position() {
        var bench = MediaBench()
        bench.now = MonotonicInstant(nanoseconds: 5_000_000_000)
        bench.start()
        let start = bench.now
        #expect(bench.remote.state.position(at: start) == .seconds(15))
        #expect(bench.remote.state.position(at: start + .seconds(7)) == .seconds(22))
        #expect(bench.remote.state.position(at: start + .seconds(7000)) == .seconds(200))
    }

    @Test("a burst of changes is one report, and one value of each attribute")
    func burst() {
        var bench = MediaBench()
        bench.start()
        bench.wait(.seconds(1))
        bench.events = []
        bench.seen = []
        for round in 0..<1000 {
            bench.media.title = Self.text("\(round)")
            bench.media.artist = Self.text("\(round)")
            bench.change([.init(.title), .init(.artist)])
        }
        bench.settle()
        #expect(bench.seen.count == 2)
        bench.wait(.milliseconds(50))
        #expect(bench.events == [.changed([.init(.title), .init(.artist)])])
        #expect(bench.remote.state.title == Self.text("999"))
    }

    @Test("what is cut within a character is shown without it until it was read")
    func cut() {
        var bench = MediaBench()
        bench.service.hasEntityAttribute = false
        bench.source.quirks = .cutCharacters
        bench.media.title = Self.text("sixteen octets: é")
        bench.start()
        // 17 octets fit at ATT_MTU 23: the first of é is left.
        #expect(
            bench.remote.state.title == .init(Array("sixteen octets: ".utf8), isTruncated: true))
        #expect(!bench.seen.contains(.asked(.title, nil)))
    }

    @Test("one attribute is read at a time, and what changes meanwhile is read again")
    func reads() {
        var bench = MediaBench()
        bench.media.artist = Self.text("An artist whose name is longer than that")
        bench.media.album = Self.text("An album whose name is longer than that")
        bench.start()
        let asked = bench.seen.compactMap { event in
            if case .asked(let attribute, nil) = event { attribute } else { nil }
        }
        #expect(asked == [.artist, .album, .title])
        #expect(bench.mostRequestsAtOnce == 1)

        var session = MediaRemoteSession()
        session.serviceDiscovered(bench.service, at: .zero)
        Self.setUp(&session)
        session.receive(.entityUpdate([2, 2, 1] + Array("old".utf8)), at: .zero)
        #expect(Self.links(&session) == [.readAttribute(.title)])
        session.receive(.entityUpdate([2, 2, 1] + Array("new".utf8)), at: .zero)
        #expect(Self.links(&session).isEmpty)
        session.receive(.attributeRead(.title, Array("old, whole".utf8)), at: .zero)
        #expect(session.state.title == .init(Array("new".utf8), isTruncated: true))
        #expect(Self.links(&session) == [.readAttribute(.title)])
        // A whole value that comes while it is read is newer than what was read.
        session.receive(.entityUpdate([2, 2, 0] + Array("newest".utf8)), at: .zero)
        session.receive(.attributeRead(.title, Array("new, whole".utf8)), at: .zero)
        #expect(session.state.title == .init(Array("newest".utf8)))
        #expect(Self.links(&session).isEmpty)
    }

    private static func links(
        _ session: inout MediaRemoteSession
    ) -> [MediaRemoteSession.LinkRequest] {
        var requests: [MediaRemoteSession.LinkRequest] = []
        while let output = session.pollOutput() {
            if case .link(let request) = output { requests.append(request) }
        }
        return requests
    }

    /// Accepts everything that it asks for at the beginning.
    private static func setUp(_ session: inout MediaRemoteSession) {
        while let request = links(&session).first {
            switch request {
            case .subscribe(let characteristic):
                session.receive(.subscribed(characteristic, errorCode: nil), at: .zero)
            case .register(let registration):
                session.receive(.registered(registration.entityID, nil), at: .zero)
            case .readAttribute, .writeCommand: return
            }
        }
    }

    @Test("a phone that does not know the app's identifier is asked without it, once")
    func older() {
        var session = MediaRemoteSession()
        session.serviceDiscovered(
            .init(hasRemoteCommand: false, hasEntityUpdate: true, hasEntityAttribute: false),
            at: .zero)
        _ = Self.links(&session)
        session.receive(.subscribed(.entityUpdate, errorCode: nil), at: .zero)
        #expect(Self.links(&session) == [.register(.init(.player, .all))])
        session.receive(.registered(.player, .invalidCommand), at: .zero)
        #expect(
            Self.links(&session)
                == [.register(.init(.player, .all.subtracting(.init(.bundleIdentifier))))])
        session.receive(.registered(.player, .invalidCommand), at: .zero)
        #expect(Self.links(&session) == [.register(.init(.queue, .all))])
    }

    @Test("a refused subscription to Entity Update leaves the commands")
    func refused() throws {
        var session = MediaRemoteSession()
        session.serviceDiscovered(
            .init(hasRemoteCommand: true, hasEntityUpdate: true, hasEntityAttribute: true),
            at: .zero)
        _ = Self.links(&session)
        session.receive(.subscribed(.remoteCommand, errorCode: nil), at: .zero)
        _ = Self.links(&session)
        session.receive(.subscribed(.entityUpdate, errorCode: 0x0E), at: .zero)
        #expect(Self.links(&session).isEmpty)
        session.receive(.remoteCommand([1]), at: .zero)
        try session.send(.pause)
        #expect(Self.links(&session) == [.writeCommand(.pause)])
    }

    @Test("only supported commands are sent, and each ends once")
    func commands() throws {
        var bench = MediaBench()
        #expect(throws: MediaRemoteSession.UsageError.notStarted) { try bench.remote.send(.play) }
        bench.start()
        #expect(throws: MediaRemoteSession.UsageError.notSupported) {
            try bench.remote.send(.likeTrack)
        }
        bench.wait(.seconds(1))
        try bench.remote.send(.pause)
        bench.settle()
        #expect(bench.seen.contains(.commanded(.pause, nil)))
        #expect(bench.events.contains(.commandEnded(.pause, nil)))
        // The phone's list is older than its player: what it refuses is told.
        bench.media.commands = RemoteCommandSet([.play])
        try bench.remote.send(.nextTrack)
        bench.settle()
        #expect(bench.events.contains(.commandEnded(.nextTrack, .invalidCommand)))
        bench.change([], commands: true)
        bench.settle()
        #expect(throws: MediaRemoteSession.UsageError.notSupported) {
            try bench.remote.send(.nextTrack)
        }
        bench.wait(.seconds(1))
        #expect(bench.events.last == .changed([]))
    }

    @Test("too many commands are refused before they are written")
    func flood() throws {
        var session = MediaRemoteSession()
        session.serviceDiscovered(
            .init(hasRemoteCommand: true, hasEntityUpdate: false, hasEntityAttribute: false),
            at: .zero)
        session.receive(.subscribed(.remoteCommand, errorCode: nil), at: .zero)
        session.receive(.remoteCommand([5]), at: .zero)
        for _ in 0..<16 { try session.send(.volumeUp) }
        #expect(throws: MediaRemoteSession.UsageError.tooManyCommands) {
            try session.send(.volumeUp)
        }
        session.receive(.commandWritten(.volumeUp, nil), at: .zero)
        try session.send(.volumeUp)
    }

    @Test("the end forgets everything, and nothing follows")
    func end() {
        var bench = MediaBench()
        bench.start()
        bench.remote.end()
        #expect(bench.remote.state == MediaState() && bench.remote.nextDeadline == nil)
        bench.remote.receive(.entityUpdate([2, 2, 1, 65]), at: .zero)
        #expect(bench.remote.pollOutput() == nil && bench.remote.state.title == nil)
    }

    // MARK: The phone

    @Test(
        "what makes no sense is refused with the error that says so",
        arguments: [
            (
                MediaSourceSession.LinkReport.entityUpdateWritten([0, 0]),
                MediaServiceError.invalidState
            ),
            (.entityAttributeWritten([2, 2]), .invalidState),
            (.remoteCommandWritten([]), .invalidCommand),
            (.remoteCommandWritten([0, 1]), .invalidCommand),
            (.remoteCommandWritten([77]), .invalidCommand),
        ])
    func early(report: MediaSourceSession.LinkReport, error: MediaServiceError) {
        var session = MediaSourceSession()
        session.receive(report, from: MediaState())
        #expect(Self.answers(&session, MediaState()) == [.respond(error)])
    }

    @Test(
        "a subscribed accessory is refused what is malformed, reserved or absent",
        arguments: [
            (
                MediaSourceSession.LinkReport.entityUpdateWritten([0]),
                MediaServiceError.invalidCommand
            ),
            (.entityUpdateWritten([3, 0]), .invalidCommand),
            (.entityUpdateWritten([0, 4]), .invalidCommand),
            (.entityAttributeWritten([0]), .invalidCommand),
            (.entityAttributeWritten([0, 0, 0]), .invalidCommand),
            (.entityAttributeWritten([2, 4]), .invalidCommand),
            (.entityAttributeWritten([2, 0]), .absentAttribute),
        ])
    func late(report: MediaSourceSession.LinkReport, error: MediaServiceError) {
        var session = MediaSourceSession()
        session.receive(.subscribed(.entityUpdate), from: MediaState())
        session.receive(report, from: MediaState())
        #expect(Self.answers(&session, MediaState()) == [.respond(error)])
        session.receive(.entityAttributeRead(from: 0), from: MediaState())
        #expect(Self.answers(&session, MediaState()) == [.refuseRead(.invalidState)])
    }

    private static func answers(
        _ session: inout MediaSourceSession, _ state: MediaState, hasRoom: Bool = true
    ) -> [MediaSourceSession.LinkRequest] {
        var requests: [MediaSourceSession.LinkRequest] = []
        while let output = session.pollOutput(from: state, at: .zero, hasRoom: hasRoom) {
            if case .link(let request) = output { requests.append(request) }
        }
        return requests
    }

    @Test("a registration replaces that of its entity, and unsubscribing all")
    func registrations() {
        var session = MediaSourceSession()
        var state = MediaState()
        state.title = Self.text("T")
        state.artist = Self.text("A")
        session.receive(.subscribed(.entityUpdate), from: state)
        session.receive(.entityUpdateWritten([2, 0, 2]), from: state)
        #expect(
            Self.answers(&session, state) == [
                .respond(nil), .notify(.entityUpdate, [2, 0, 0, 65]),
                .notify(.entityUpdate, [2, 2, 0, 84]),
            ])
        session.receive(.entityUpdateWritten([2, 0]), from: state)
        session.receive(.entityUpdateWritten([1, 1]), from: state)
        // No room: responses leave, values wait.
        #expect(Self.answers(&session, state, hasRoom: false) == [.respond(nil), .respond(nil)])
        #expect(
            Self.answers(&session, state) == [
                .notify(.entityUpdate, [1, 1, 0]), .notify(.entityUpdate, [2, 0, 0, 65]),
            ])
        session.changed([.init(.title)], commands: true)
        #expect(Self.answers(&session, state).isEmpty)
        session.receive(.unsubscribed(.entityUpdate), from: state)
        session.changed([.init(.artist)], commands: false)
        #expect(Self.answers(&session, state).isEmpty)
    }

    @Test("values fill a notification of the ATT_MTU, and the whole one is read")
    func truncation() {
        var session = MediaSourceSession()
        var state = MediaState()
        state.title = .init([UInt8](repeating: 65, count: 30))
        session.receive(.subscribed(.entityUpdate), from: state)
        session.receive(.entityUpdateWritten([2, 2]), from: state)
        #expect(
            Self.answers(&session, state).last
                == .notify(.entityUpdate, [2, 2, 1] + [UInt8](repeating: 65, count: 17)))
        session.receive(.mtuChanged(36), from: state)
        session.changed(.all, commands: false)
        #expect(
            Self.answers(&session, state)
                == [.notify(.entityUpdate, [2, 2, 0] + [UInt8](repeating: 65, count: 30))])
        session.receive(.entityAttributeWritten([2, 2]), from: state)
        session.receive(.entityAttributeRead(from: 0), from: state)
        #expect(
            Self.answers(&session, state) == [
                .respond(nil), .answerRead([UInt8](repeating: 65, count: 30)),
            ])
        // A long read has parts of the value that there was at its beginning.
        session.receive(.entityAttributeRead(from: 22), from: state)
        #expect(
            Self.answers(&session, MediaState()) == [.answerRead([UInt8](repeating: 65, count: 30))]
        )
        // An attribute has at most 512 octets, and they end with a character.
        state.title = .init([65] + Array(String(repeating: "é", count: 40_000).utf8))
        session.receive(.entityAttributeRead(from: 0), from: state)
        guard case .answerRead(let value)? = Self.answers(&session, state).first else {
            Issue.record("it was not read")
            return
        }
        #expect(value.count == 511 && UTF8Text.isValid(value))
        // What has gone meanwhile is absent.
        session.receive(.entityAttributeRead(from: 0), from: state)
        #expect(Self.answers(&session, MediaState()) == [.refuseRead(.absentAttribute)])
    }

    @Test("a quirk is in the values, and only while it is set")
    func quirks() {
        var session = MediaSourceSession()
        var state = MediaState()
        state.playback = PlaybackInfo(.playing, rate: 1000, elapsed: .milliseconds(12_500))
        state.playbackInstant = .zero
        state.volume = 500
        state.title = Self.text("sixteen octets: é")
        state.commands = RemoteCommandSet([.play])
        session.receive(.subscribed(.entityUpdate), from: state)
        session.receive(.subscribed(.remoteCommand), from: state)
        session.receive(.entityUpdateWritten([0, 1, 2]), from: state)
        session.receive(.entityUpdateWritten([2, 2]), from: state)
        func values(_ quirks: MediaQuirks) -> [String] {
            session.quirks = quirks
            session.changed(.all, commands: true)
            return Self.answers(&session, state).compactMap { request in
                guard case .notify(.entityUpdate, let value) = request else { return nil }
                return String(decoding: value.dropFirst(3), as: UTF8.self)
            }
        }
        #expect(values([]) == ["1,1.000,12.500", "0.500", "sixteen octets: "])
        #expect(values(.decimalComma) == ["1,1,000,12,500", "0,500", "sixteen octets: "])
        #expect(values(.silentVolume) == ["1,1.000,12.500", "sixteen octets: "])
        #expect(values(.cutCharacters) == ["1,1.000,12.500", "0.500", "sixteen octets: \u{FFFD}"])
        #expect(values(.silentTracks) == ["0.500", "sixteen octets: "])
        session.quirks = .staleCommands
        session.changed([], commands: true)
        #expect(Self.answers(&session, state).isEmpty)
        session.quirks = []
        session.changed([], commands: true)
        #expect(Self.answers(&session, state) == [.notify(.remoteCommand, [0])])
    }

    @Test("a fault happens once, and no more than a few wait")
    func faults() {
        var session = MediaSourceSession()
        var state = MediaState()
        state.playerName = Self.text("Music")
        state.title = .init([UInt8](repeating: 65, count: 30))
        session.receive(.subscribed(.entityUpdate), from: state)
        session.inject(.burst(2))
        session.receive(.entityUpdateWritten([2, 2]), from: state)
        #expect(Self.answers(&session, state).count == 4)
        session.inject(.vanishing)
        session.receive(.entityAttributeWritten([2, 2]), from: state)
        session.receive(.entityAttributeRead(from: 0), from: state)
        #expect(Self.answers(&session, state).count == 2)
        session.receive(.entityAttributeRead(from: 22), from: state)
        #expect(session.pollOutput(from: state, at: .zero, hasRoom: true) == .withdraw)
        #expect(Self.answers(&session, state) == [.refuseRead(MediaServiceError(rawValue: 1))])
        for _ in 0..<100 { session.inject(.linkLoss) }
        var drops = 0
        for _ in 0..<100 {
            session.receive(.entityUpdateWritten([0, 0]), from: state)
            while let output = session.pollOutput(from: state, at: .zero, hasRoom: true) {
                if output == .dropLink { drops += 1 }
            }
        }
        #expect(drops == 16)
        session.inject(.linkLoss)
        session.clearFaults()
        session.receive(.entityUpdateWritten([0, 0]), from: state)
        #expect(Self.answers(&session, state).first == .respond(nil))
    }

    @Test(
        "any octets from the air leave both sides bounded and alive",
        arguments: 0..<40 as Range<UInt64>)
    func anything(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var bench = MediaBench()
        bench.start()
        for _ in 0..<500 {
            let count = Int.random(in: 0...5, using: &generator)
            let octets = (0..<count).map { _ in UInt8.random(in: 0...6, using: &generator) }
            switch Int.random(in: 0..<9, using: &generator) {
            case 0: bench.remote.receive(.entityUpdate(octets), at: bench.now)
            case 1: bench.remote.receive(.remoteCommand(octets), at: bench.now)
            case 2: bench.remote.receive(.attributeRead(.title, octets), at: bench.now)
            case 3: bench.remote.receive(.registered(.queue, .invalidState), at: bench.now)
            case 4: bench.source.receive(.entityUpdateWritten(octets), from: bench.media)
            case 5: bench.source.receive(.entityAttributeWritten(octets), from: bench.media)
            case 6: bench.source.receive(.remoteCommandWritten(octets), from: bench.media)
            case 7: bench.change(.all, commands: true)
            default: try? bench.remote.send(.play)
            }
            bench.wait(.milliseconds(10))
        }
        bench.wait(.seconds(1))
        #expect(bench.remote.nextDeadline == nil && bench.mostRequestsAtOnce <= 17)
        let longest = bench.media.title?.octets.count ?? 0
        #expect((bench.remote.state.title?.octets.count ?? 0) <= longest)
    }
}
