import AMS
@testable import ANCSService
import DBus
import DBusTestKit
import LinuxIO
import Testing

@Suite("Media on the session bus", .timeLimit(.minutes(2)))
struct MediaSinkTests {
    /// A sink, from outside of its loop.
    private struct Bench: Sendable {
        let sink: MediaSink
        let control: DesktopControl
        let state: String

        var file: String { state + "/paused-players.json" }
        var messages: [String] { control.messages.value }
        var names: String? { SystemFile.line(of: file) }

        func run<Value: Sendable>(_ body: @escaping @Sendable (MediaSink) -> Value) async -> Value {
            await withCheckedContinuation { continuation in
                control.loop.execute { [sink] in continuation.resume(returning: body(sink)) }
            }
        }

        func receive(_ event: ServiceEvent) async { await run { $0.receive(event) } }
        func ring() async { await receive(.call(.call(1), .incoming)) }
        func hangUp() async { await receive(.call(.call(1), .ended)) }

        func show(_ player: MediaState?) async {
            let status = PhoneStatus(
                phone: PhoneName(digest: "0123456789abcdef", name: "Ada's iPhone"),
                state: .subscribed, isPaired: true, player: player)
            await run { [control] _ in control.phones = [status] }
            await receive(.phone(status))
        }

        /// Waits until something is so, for half a minute at most.
        func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
            for _ in 0..<1500 {
                if try await condition() { return true }
                try await control.loop.sleep(for: .milliseconds(20))
            }
            return false
        }
    }

    private static let phone = "org.mpris.MediaPlayer2.ancs.phone_0123456789abcdef"

    private func withSink(
        _ text: String, _ body: (TestBus, Bench) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        try await TestBus.with { bus in
            let control = DesktopControl(on: bus.loop)
            let configuration = try ServiceConfiguration(
                reading: Array(text.utf8), path: "test.toml")
            let sink = MediaSink(
                configuration, control: control, at: .address(bus.address),
                directory: directory.path)
            let bench = Bench(sink: sink, control: control, state: directory.path)
            await bench.run { $0.open() }
            try await body(bus, bench)
            await withCheckedContinuation { continuation in
                bus.loop.execute { sink.close { continuation.resume() } }
            }
        }
    }

    private static let ringing = "[desktop]\npause-media = \"ringing\"\n"
    private static let mpris = "[media]\nmpris = true\n"

    // MARK: Pausing

    @Test("players that play are paused once, and play again; others are left alone")
    func pauses() async throws {
        try await withSink(Self.ringing) { bus, bench in
            let vlc = try await PlayerDouble(on: bus, "vlc", "vlc.instance7")
            let firefox = try await PlayerDouble(on: bus, "firefox")
            let other = try await PlayerDouble(on: bus, "mpv", status: "Paused")
            let proxy = try await PlayerDouble(on: bus, "playerctld")
            await bench.ring()
            #expect(
                try await bench.eventually {
                    vlc.calls.value == ["Pause"] && firefox.calls.value == ["Pause"]
                })
            let names = [
                #"["org.mpris.MediaPlayer2.firefox","org.mpris.MediaPlayer2.vlc"]"#,
                #"["org.mpris.MediaPlayer2.firefox","org.mpris.MediaPlayer2.vlc.instance7"]"#,
            ]
            #expect(try names.contains(#require(bench.names)))
            await bench.hangUp()
            #expect(
                try await bench.eventually {
                    vlc.calls.value == ["Pause", "Play"]
                        && firefox.calls.value == ["Pause", "Play"]
                })
            #expect(try await bench.eventually { bench.names == nil })
            #expect(other.calls.value == [] && proxy.calls.value == [] && bench.messages == [])
        }
    }

    @Test("a player that hangs holds up no other, and does not stay paused when it goes on")
    func hangs() async throws {
        try await withSink(Self.ringing) { bus, bench in
            let good = try await PlayerDouble(on: bus, "vlc")
            let deaf = try await PlayerDouble(on: bus, "deaf")
            let late = try await PlayerDouble(on: bus, "late")
            deaf.isHung.value = true
            await bench.ring()
            #expect(try await bench.eventually { late.calls.value == ["Pause"] })
            late.isHung.value = true
            await bench.hangUp()
            #expect(try await bench.eventually { good.calls.value == ["Pause", "Play"] })
            await late.proceed()
            await deaf.proceed()
            #expect(try await bench.eventually { late.calls.value == ["Pause", "Play"] })
            #expect(try await bench.eventually { bench.names == nil })
            #expect(deaf.calls.value == [])
        }
    }

    @Test("a player that was used during the call is left alone")
    func used() async throws {
        try await withSink(Self.ringing) { bus, bench in
            let used = try await PlayerDouble(on: bus, "used")
            let good = try await PlayerDouble(on: bus, "vlc")
            await bench.ring()
            #expect(
                try await bench.eventually {
                    used.calls.value == ["Pause"] && good.calls.value == ["Pause"]
                })
            await used.use("Playing")
            await used.use("Paused")
            // The signals are there when another program has been answered.
            #expect(
                try await bench.eventually {
                    bench.names == #"["org.mpris.MediaPlayer2.vlc"]"#
                })
            await bench.hangUp()
            #expect(try await bench.eventually { good.calls.value == ["Pause", "Play"] })
            #expect(used.calls.value == ["Pause"])
        }
    }

    @Test("players that are not there, refuse, or say too much, keep nothing from others")
    func misbehaving() async throws {
        try await withSink(Self.ringing) { bus, bench in
            let good = try await PlayerDouble(on: bus, "vlc")
            _ = try await PlayerDouble(on: bus, "gone", isThere: false)
            let chatty = try await PlayerDouble(on: bus, "chatty", status: "Singing")
            let liar = try await bus.connect()
            await liar.export(PlayerDouble.path) { call, reply in
                guard call.member == "Get" else {
                    return reply.fail(BusError(BusError.unknownObject, "not here"))
                }
                reply.succeed([.variant(.string("Playing"))])
            }
            try await liar.own("org.mpris.MediaPlayer2.liar")
            await bench.ring()
            #expect(try await bench.eventually { good.calls.value == ["Pause"] })
            // The metadata of a track with its picture in them.
            let picture = String(repeating: "x", count: 10_485_760)
            try await chatty.peer.emit(
                PlayerDouble.change([
                    "PlaybackStatus": .string("Playing"),
                    "Metadata": .options(["mpris:artUrl": .string(picture)]),
                ]))
            try await chatty.peer.emit(PlayerDouble.change(["PlaybackStatus": .int32(1)]))
            #expect(
                try await bench.eventually { bench.names == #"["org.mpris.MediaPlayer2.vlc"]"# })
            await bench.hangUp()
            #expect(try await bench.eventually { good.calls.value == ["Pause", "Play"] })
            #expect(bench.messages == [])
        }
    }

    @Test("a bus that dies during a call is said once; what is paused is said at the next start")
    func busDies() async throws {
        try await withSink(Self.ringing) { bus, bench in
            let player = try await PlayerDouble(on: bus, "vlc")
            await bench.ring()
            #expect(try await bench.eventually { player.calls.value == ["Pause"] })
            bus.kill()
            #expect(try await bench.eventually { !bench.messages.isEmpty })
            await bench.hangUp()
            await bench.ring()
            await bench.hangUp()
            #expect(bench.messages.count == 1, "\(bench.messages)")
            let status = await bench.run(\.status)
            #expect(!status.isWorking)
            await bench.run { $0.open() }
            #expect(
                bench.messages.last
                    == "'ancs serve' ended during a call for which it had paused vlc: what is still paused "
                    + "does not play again by itself")
            await bench.run { $0.open() }
            #expect(bench.messages.count == 2 && bench.names == nil)
        }
    }

    @Test("without a wish for it there is no connection to the bus")
    func nothing() async throws {
        try await withSink("") { bus, bench in
            let peer = try await bus.connect()
            let before = try await peer.bus("ListNames").get().first?.strings?.count
            await bench.ring()
            await bench.show(PlayerViewTests.playing())
            await bench.hangUp()
            let after = try await peer.bus("ListNames").get().first?.strings?.count
            #expect(before == after)
            #expect(await bench.run(\.status) == SinkStatus(isWorking: true, message: "off"))
        }
    }

    // MARK: The players of phones

    private static func get(
        _ peer: TestPeer, _ member: String, _ arguments: [BusValue]
    ) async -> Result<[BusValue], BusError> {
        await peer.call(
            BusCall(phone, PlayerDouble.path, MPRIS.properties, member, arguments))
    }

    private func isThere(_ peer: TestPeer) async throws -> Bool {
        try await peer.bus("NameHasOwner", [.string(Self.phone)]).get().first?.bool == true
    }

    @Test("the player of a phone is on the bus while there is one, and takes its commands")
    func shown() async throws {
        try await withSink(Self.mpris) { bus, bench in
            let peer = try await bus.connect()
            #expect(try await !isThere(peer))
            await bench.show(PlayerViewTests.playing())
            #expect(try await bench.eventually { try await isThere(peer) })
            let all = try await Self.get(peer, "GetAll", [.string(MPRIS.player)]).get()
            let values = all.first?.properties ?? [:]
            #expect(values["PlaybackStatus"] == .string("Playing"))
            #expect(values["LoopStatus"] == .string("None") && values["Shuffle"] == .bool(false))
            #expect(values["CanGoNext"] == .bool(true) && values["CanSeek"] == .bool(false))
            #expect(values["Volume"] == .double(0.5) && values["Rate"] == .double(1))
            let identity = try await Self.get(
                peer, "Get", [.string(MPRIS.root), .string("Identity")]
            ).get()
            #expect(identity.first?.string == "Ada's iPhone: Music")
            for (member, arguments) in [
                ("Next", []), ("PlayPause", []), ("Stop", []), ("Seek", [BusValue.int64(-1)]),
                ("SetPosition", [.objectPath("/"), .int64(1)]),
            ] {
                let call = BusCall(
                    Self.phone, PlayerDouble.path, MPRIS.player, member, arguments)
                _ = try await peer.call(call).get()
            }
            #expect(
                bench.control.sent.value == [.nextTrack, .togglePlayPause, .pause, .skipBackward])
            let raised = BusCall(Self.phone, PlayerDouble.path, MPRIS.root, "Raise")
            _ = try await peer.call(raised).get()
            let opened = await peer.call(
                BusCall(
                    Self.phone, PlayerDouble.path, MPRIS.player, "OpenUri", [.string("file:///")]))
            #expect(throws: BusError.self) { try opened.get() }
            await bench.show(nil)
            #expect(try await bench.eventually { try await !isThere(peer) })
        }
    }

    @Test("what changed together is said once, and only what changed")
    func changes() async throws {
        try await withSink(Self.mpris) { bus, bench in
            let peer = try await bus.connect()
            let (_, signals) = await peer.signals(BusMatch(path: PlayerDouble.path))
            await bench.show(PlayerViewTests.playing())
            #expect(try await bench.eventually { try await isThere(peer) })
            var next = PlayerViewTests.playing(
                "Arabesque", at: .seconds(200), bench.control.loop.now)
            next.volume = 600
            next.playerName = PlayerViewTests.text("Radio")
            await bench.show(next)
            await bench.show(next)
            let three = await signals.first(3)
            #expect(three.map(\.member) == ["PropertiesChanged", "PropertiesChanged", "Seeked"])
            #expect(
                three[0].arguments[1].properties == ["Identity": .string("Ada's iPhone: Radio")])
            #expect(
                three[1].arguments[1].properties.map { $0.keys.sorted() } == ["Metadata", "Volume"])
            await bench.show(nil)
            // Nothing else was said.
            try await peer.emit(BusSignal(PlayerDouble.path, "a.b", "Last"))
            #expect(await signals.first(1).map(\.member) == ["Last"])
        }
    }

    @Test("LoopStatus, Shuffle and Volume can be written, and nothing else")
    func written() async throws {
        try await withSink(Self.mpris) { bus, bench in
            let peer = try await bus.connect()
            await bench.show(PlayerViewTests.playing())
            #expect(try await bench.eventually { try await isThere(peer) })
            func set(_ name: String, _ value: BusValue) async -> String? {
                let result = await Self.get(
                    peer, "Set", [.string(MPRIS.player), .string(name), .variant(value)])
                return if case .failure(let error) = result { error.name } else { nil }
            }
            #expect(await set("LoopStatus", .string("Track")) == nil)
            #expect(await set("Shuffle", .bool(true)) == nil)
            #expect(await set("Volume", .double(-3)) == nil)
            #expect(await set("Volume", .double(.nan)) == nil)
            #expect(
                bench.control.sent.value == [.advanceRepeatMode, .advanceShuffleMode, .volumeDown])
            #expect(
                await set("LoopStatus", .string("Twice"))
                    == "org.swift_ancs.Error.InvalidArguments")
            #expect(await set("LoopStatus", .bool(true)) == BusError.invalidArguments)
            #expect(
                await set("Metadata", .options()) == "org.freedesktop.DBus.Error.PropertyReadOnly")
            #expect(await set("Nothing", .bool(true)) == BusError.unknownProperty)
        }
    }

    @Test("a call pauses the players of this machine, and not that of the phone")
    func own() async throws {
        try await withSink(Self.ringing + Self.mpris) { bus, bench in
            let peer = try await bus.connect()
            let vlc = try await PlayerDouble(on: bus, "vlc")
            await bench.show(PlayerViewTests.playing())
            #expect(try await bench.eventually { try await isThere(peer) })
            await bench.ring()
            #expect(try await bench.eventually { vlc.calls.value == ["Pause"] })
            await bench.hangUp()
            #expect(try await bench.eventually { vlc.calls.value == ["Pause", "Play"] })
            #expect(bench.control.sent.value == [])
        }
    }

    @Test("a name that another program has is said once")
    func taken() async throws {
        try await withSink(Self.mpris) { bus, bench in
            let peer = try await bus.connect()
            try await peer.own(Self.phone)
            await bench.show(PlayerViewTests.playing())
            #expect(try await bench.eventually { bench.messages.count == 1 })
            #expect(bench.messages[0].contains("another program shows the player of this phone"))
            let status = await bench.run(\.status)
            #expect(!status.isWorking)
            // When it is free, it is taken, although the phone says nothing new.
            await peer.bus("ReleaseName", [.string(Self.phone)])
            #expect(try await bench.eventually { try await isThere(peer) })
            #expect(await bench.run(\.status).isWorking && bench.messages.count == 1)
        }
    }
}
