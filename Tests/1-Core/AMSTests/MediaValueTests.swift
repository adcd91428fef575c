import Octets
import Testing

@testable import AMS

@Suite("Values of the Apple Media Service")
struct MediaValueTests {
    private static func info(_ text: String) -> PlaybackInfo? {
        PlaybackInfo(decoding: Array(text.utf8))
    }

    @Test(
        "what a player does is read in thousandths",
        arguments: [
            ("1,1.0,12.5", PlaybackInfo(.playing, rate: 1000, elapsed: .milliseconds(12_500))),
            ("0,0,0", PlaybackInfo(.paused, rate: 0, elapsed: .zero)),
            ("2,-2.5,100", PlaybackInfo(.rewinding, rate: -2500, elapsed: .seconds(100))),
            ("1,1.23456,3.0009", PlaybackInfo(.playing, rate: 1234, elapsed: .seconds(3))),
            ("7,1,1", PlaybackInfo(PlaybackState(rawValue: 7), rate: 1000, elapsed: .seconds(1))),
            // A decimal comma in both numbers.
            ("1,1,00,12,5", PlaybackInfo(.playing, rate: 1000, elapsed: .milliseconds(12_500))),
            // In one of them: nobody knows which.
            ("1,1,00,12", PlaybackInfo(.playing, rate: nil, elapsed: nil)),
            ("1", PlaybackInfo(.playing, rate: nil, elapsed: nil)),
            ("1,,", PlaybackInfo(.playing, rate: nil, elapsed: nil)),
            ("1,nan,1e9", PlaybackInfo(.playing, rate: nil, elapsed: nil)),
            ("1,1,-5", PlaybackInfo(.playing, rate: 1000, elapsed: nil)),
            ("1,1,999999999999", PlaybackInfo(.playing, rate: 1000, elapsed: nil)),
            ("1,1,1,1,1,1,1", PlaybackInfo(.playing, rate: nil, elapsed: nil)),
        ])
    func playback(text: String, expected: PlaybackInfo) {
        #expect(Self.info(text) == expected)
    }

    @Test(
        "what says no state is no player",
        arguments: ["", ",", "x,1,1", "1.5,1,1", "256,1,1", "-1"])
    func noPlayer(_ text: String) { #expect(Self.info(text) == nil) }

    @Test("any octets are read without a trap, and a value reads as it was written")
    func anything() {
        var generator = SeededGenerator(seed: 7)
        let alphabet = Array("0123456789,.-e\u{0}é".utf8)
        for _ in 0..<20_000 {
            let octets = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
                alphabet[Int.random(in: alphabet.indices, using: &generator)]
            }
            guard let info = PlaybackInfo(decoding: octets) else { continue }
            #expect(info.rate.map { $0.magnitude <= PlaybackInfo.maximumRate } ?? true)
            if info.rate != nil, info.elapsed != nil {
                #expect(PlaybackInfo(decoding: info.octets) == info)
            }
        }
    }

    @Test("the position follows from the time since")
    func position() throws {
        let playing = try #require(Self.info("1,1.5,10"))
        #expect(playing.position(after: .seconds(4)) == .seconds(16))
        let rewinding = try #require(Self.info("2,-4,10"))
        #expect(rewinding.position(after: .seconds(60)) == .zero)
        #expect(try #require(Self.info("0,0,10")).position(after: .seconds(60)) == .seconds(10))
        #expect(try #require(Self.info("1,,10")).position(after: .seconds(1)) == nil)
    }

    private static func set(_ octets: [UInt8]) -> RemoteCommandSet {
        RemoteCommandSet(decoding: octets.span)
    }

    @Test("a list of commands replaces the one before, in any order")
    func commands() {
        let commands = Self.set([9, 0, 9, 255, 3])
        #expect(commands.octets == [0, 3, 9, 255])
        #expect(commands.contains(.nextTrack) && !commands.contains(.pause))
        let (none, reserved) = (Self.set([]), Self.set([200]))
        #expect(none.isEmpty && none == RemoteCommandSet())
        #expect(!reserved.isEmpty && reserved != none)
    }

    @Test("updates and registrations read as they were written, and are refused when too short")
    func updates() throws {
        let update = EntityUpdate(.title, Array("Für Elise".utf8), isTruncated: true)
        #expect(update.octets.prefix(3) == [2, 2, 1])
        #expect(try EntityUpdate(decoding: update.octets.span) == update)
        // Reserved flags are ignored.
        #expect(try !EntityUpdate(decoding: [2, 2, 0xFE].span).isTruncated)
        for count in 0..<3 {
            #expect(throws: DecodingError.self) {
                try EntityUpdate(decoding: [UInt8](repeating: 0, count: count).span)
            }
        }
        let registration = EntityUpdateRegistration(.player, .all)
        #expect(registration.octets == [0, 0, 1, 2, 3])
        #expect(try EntityUpdateRegistration(decoding: registration.octets.span) == registration)
        #expect(throws: DecodingError.self) { try EntityUpdateRegistration(decoding: [0].span) }
    }

    @Test("attributes, modes and errors have names, and reserved ones keep their numbers")
    func names() {
        #expect(MediaAttribute.named.map(\.description).count == 12)
        #expect(
            "\(MediaAttribute.playbackInfo) \(MediaAttribute(.track, 9))"
                == "playbackInfo reserved2.9")
        #expect(
            "\(RemoteCommandID.bookmarkTrack) \(RemoteCommandID(rawValue: 14))"
                == "bookmarkTrack reserved14")
        #expect(
            "\(MediaServiceError.absentAttribute) \(MediaServiceError(rawValue: 3))"
                == "absentAttribute error3")
        #expect(MediaAttributeSet.all(of: MediaEntityID(rawValue: 3)).isEmpty)
        #expect(MediaAttributeSet(MediaAttribute(.player, 4)).isEmpty)
        for (index, attribute) in MediaAttribute.named.enumerated() {
            #expect(attribute.index == index && MediaAttributeSet.all.contains(attribute))
        }
    }
}
