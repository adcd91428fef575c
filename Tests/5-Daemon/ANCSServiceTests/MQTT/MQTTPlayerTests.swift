import AMS
import ANCS
import JSONText
import MQTT
import Testing

@testable import ANCSService

/// What is playing on a phone, at a broker.
@Suite("Players at the broker")
struct MQTTPlayerTests {
    private static let canary = "canary-4711"

    private static func bench(
        _ content: RecordContent = .full, media: Bool = true, commands: Bool = true
    ) -> MQTTBench {
        let bench = MQTTBench(
            MQTTBench.setting {
                ($0.content, $0.media, $0.commands) = (content, media, commands)
            })
        bench.connect()
        bench.meet()
        return bench
    }

    private static func show(_ player: MediaState?, on bench: MQTTBench) {
        bench.report(
            .phone(
                PhoneStatus(
                    phone: MQTTBench.iPhone, state: .subscribed, isPaired: true, player: player)))
    }

    private static var player: MediaState {
        var state = MediaState()
        state.playerName = MediaState.Text(Array("Music".utf8))
        state.title = MediaState.Text(Array(canary.utf8))
        state.artist = state.title
        state.album = state.title
        state.playback = PlaybackInfo(.playing, rate: 1000, elapsed: .zero)
        state.commands = RemoteCommandSet([.togglePlayPause, .nextTrack])
        return state
    }

    @Test(
        "titles are published as the texts of notifications are", arguments: RecordContent.allCases)
    func content(_ content: RecordContent) throws {
        let bench = Self.bench(content)
        #expect(
            bench.value("player")
                == #"{"state":"off","app":null,"title":null,"artist":null,"album":null}"#)
        Self.show(Self.player, on: bench)
        let value = try JSONValue(parsing: try #require(bench.value("player")))
        #expect(value["state"]?.string == "playing")
        #expect(value["app"]?.string == (content == .none ? nil : "Music"))
        for member in ["title", "artist", "album"] {
            #expect(value[member]?.string == (content == .full ? Self.canary : nil))
        }
        // Once for each change.
        bench.forgetPublished()
        Self.show(Self.player, on: bench)
        let isSilent = bench.published.isEmpty
        #expect(isSilent)
        Self.show(nil, on: bench)
        #expect(bench.value("player")?.contains(#""state":"off""#) == true)
        if content != .full {
            let texts = bench.published.map { bench.text($0) }.joined()
            #expect(!texts.contains(Self.canary))
        }
    }

    @Test("without a wish for it nothing of it is there")
    func off() {
        let bench = Self.bench(media: false)
        bench.forgetPublished()
        Self.show(Self.player, on: bench)
        let isSilent = bench.published.isEmpty
        #expect(isSilent)
        let entities = Self.bench().retained.keys.count { $0.contains("/config") }
        let without = Self.bench(media: false).retained.keys.count { $0.contains("/config") }
        #expect(entities == without + 5 + 3)
    }

    @Test("a state of Home Assistant has at most 255 characters")
    func long() throws {
        let bench = Self.bench()
        var player = Self.player
        player.title = MediaState.Text(Array(String(repeating: "é", count: 4000).utf8))
        Self.show(player, on: bench)
        let value = try JSONValue(parsing: try #require(bench.value("player")))
        #expect(value["title"]?.string?.count == 255)
    }

    @Test("buttons send what the player offers, and are refused without a player")
    func buttons() {
        let bench = Self.bench()
        bench.send(#"{"player":"next"}"#)
        Self.show(Self.player, on: bench)
        for word in ["playPause", "next", "previous", "louder"] {
            bench.send(#"{"player":"\#(word)"}"#)
        }
        #expect(
            bench.performed == [
                .send(.togglePlayPause, MQTTBench.digest), .send(.nextTrack, MQTTBench.digest),
            ])
        #expect(bench.publisher.refusedCommands == 3)
        #expect(bench.logged.count == 2)
        let without = Self.bench(commands: false)
        Self.show(Self.player, on: without)
        without.send(#"{"player":"next"}"#)
        #expect(without.performed.isEmpty)
    }
}
