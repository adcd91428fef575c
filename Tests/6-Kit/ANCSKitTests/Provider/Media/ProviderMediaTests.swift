import AMS
import Octets
import Testing

@testable import ANCSKit

/// The media of a phone, whose accessories the test plays.
@Suite struct ProviderMediaTests {
    private static let one = ProviderBench.one

    private static func value(_ octets: [UInt8], _ text: String) -> String {
        request(.notify(.entityUpdate, octets + Array(text.utf8)))
    }

    private static func request(_ request: MediaSourceSession.LinkRequest) -> String {
        "media 1: \(request)"
    }

    private static func report(
        _ bench: ProviderBench, _ reports: MediaSourceSession.LinkReport...
    ) async {
        for report in reports { await bench.port.report(.media(one, report)) }
    }

    /// A phone with a player that is paused, and an accessory that has subscribed.
    private static func bench() async throws -> ProviderBench {
        let bench = try ProviderBench { $0.offersMedia = true }
        await bench.provider.start()
        var player = MediaPlayer(name: "Music")
        player.queue = [
            MediaPlayer.Track(title: "Note A"), MediaPlayer.Track(title: "Note B"),
        ]
        player.commands = RemoteCommandSet([.play, .nextTrack, .volumeUp])
        await bench.provider.setPlayer(player)
        await bench.connect()
        await report(bench, .subscribed(.remoteCommand), .subscribed(.entityUpdate))
        return bench
    }

    @Test("a phone offers no media until it is asked to, and then once")
    func offer() async throws {
        let bench = try ProviderBench()
        await bench.provider.start()
        await bench.provider.setPlayer(MediaPlayer(name: "Music"))
        #expect(!bench.port.calls().contains("media"))
        await bench.provider.offerMedia()
        await bench.provider.offerMedia()
        #expect(bench.port.calls().filter { $0 == "media" }.count == 1)
        await bench.provider.setMediaService(nil)
        await bench.provider.offerMedia()
        #expect(bench.port.calls() == ["no media"])
        _ = try await bench.end()
    }

    @Test("an accessory has what it registered for, and a command changes it")
    func commands() async throws {
        let bench = try await Self.bench()
        #expect(bench.port.calls().contains(Self.request(.notify(.remoteCommand, [0, 3, 5]))))
        await Self.report(
            bench, .entityUpdateWritten([0, 1, 2]), .entityUpdateWritten([1, 0]),
            .entityUpdateWritten([2, 2]))
        #expect(
            bench.port.calls() == [
                Self.request(.respond(nil)), Self.value([0, 1, 0], "0,0.000,0.000"),
                Self.value([0, 2, 0], "0.500"), Self.request(.respond(nil)),
                Self.value([1, 0, 0], "0"), Self.request(.respond(nil)),
                Self.value([2, 2, 0], "Note A"),
            ])
        await Self.report(bench, .remoteCommandWritten([5]))
        #expect(
            bench.port.calls() == [
                Self.request(.respond(nil)), Self.value([0, 2, 0], "0.563"),
            ])
        await Self.report(bench, .remoteCommandWritten([3]))
        #expect(
            bench.port.calls() == [
                Self.request(.respond(nil)), Self.value([0, 1, 0], "0,0.000,0.000"),
                Self.value([1, 0, 0], "1"), Self.value([2, 2, 0], "Note B"),
            ])
        await Self.report(bench, .remoteCommandWritten([1]))
        #expect(bench.port.calls() == [Self.request(.respond(.invalidCommand))])
        #expect(await bench.provider.player?.track?.title == "Note B")
        // Without a player, nothing is supported, and the values are empty.
        await bench.provider.setPlayer(nil)
        let calls = bench.port.calls()
        #expect(calls.first == Self.request(.notify(.remoteCommand, [])))
        #expect(calls.contains(Self.value([2, 2, 0], "")))
        _ = try await bench.end()
    }

    @Test("values wait for room, and the newest one is sent")
    func room() async throws {
        let bench = try await Self.bench()
        await Self.report(bench, .entityUpdateWritten([0, 2]))
        _ = bench.port.calls()
        bench.port.setRoom(false)
        for level in 0..<16 {
            await bench.provider.changePlayer { player, _ in player.volume = level }
        }
        #expect(bench.port.calls() == [])
        bench.port.setRoom(true)
        await bench.port.report(.hasRoom(Self.one))
        #expect(bench.port.calls() == [Self.value([0, 2, 0], "0.938")])
        _ = try await bench.end()
    }

    @Test("faults lose the link, or withdraw the service in the middle of a long read")
    func faults() async throws {
        let bench = try await Self.bench()
        await bench.provider.changePlayer { player, now in
            player.queue = [MediaPlayer.Track(title: String(repeating: "n", count: 60))]
        }
        await bench.provider.inject(.vanishing)
        await Self.report(
            bench, .entityAttributeWritten([2, 2]), .entityAttributeRead(from: 0))
        _ = bench.port.calls()
        await Self.report(bench, .entityAttributeRead(from: 22))
        #expect(
            bench.port.calls() == [
                "no media", Self.request(.refuseRead(MediaServiceError(rawValue: 1))),
            ])
        // The registrations went with it.
        await bench.provider.changePlayer { player, _ in player.volume = 1 }
        #expect(bench.port.calls() == [])
        await Self.report(bench, .subscribed(.entityUpdate))
        await bench.provider.inject(.linkLoss, at: Self.one)
        await Self.report(bench, .entityUpdateWritten([0, 0]))
        #expect(bench.port.calls() == ["1 disconnect"])
        _ = try await bench.end()
    }
}
