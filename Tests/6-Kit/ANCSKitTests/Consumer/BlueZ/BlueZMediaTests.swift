import ANCSMedia
import BlueZTestKit
import DBus
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// A consumer that uses the media of a phone, through bluetoothd.
@Suite struct BlueZMediaTests {
    private static let path = BlueZBench.phone

    private static func writes(_ double: BlueZDouble) async -> [[UInt8]] {
        await double.run { $0.phones[path]?.mediaWrites ?? [] }
    }

    private static func send(
        _ value: [UInt8], of characteristic: KeyPath<DoublePhone, ObjectPath>,
        _ double: BlueZDouble
    ) async {
        guard let phone = await double.run({ $0.phones[path] }) else { return }
        await double.sendMedia(value, of: phone[keyPath: characteristic], by: path)
    }

    @Test func whatIsPlayingIsToldAndCommandedUntilItGoesAndNotificationsGoOn() async throws {
        try await BlueZBench.run { bench in
            try await bench.double.addPairedPhone()
            await bench.double.addMedia(to: Self.path)
            let story = try await bench.start { $0.media = .init() }
            let media = story.consumer.media.makeAsyncIterator()
            await bench.double.connect(Self.path)
            try await story.until("1 session")
            await bench.wait { $0.phones[Self.path]?.mediaWrites.count == 3 }
            #expect(
                await Self.writes(bench.double) == [
                    [0, 0, 1, 2, 3], [1, 0, 1, 2, 3], [2, 0, 1, 2, 3],
                ])
            await Self.send([0, 1, 3], of: \.remoteCommand, bench.double)
            await Self.send([2, 2, 1] + Array("Note".utf8), of: \.entityUpdate, bench.double)
            var told = await media.next()
            while told?.state?.title == nil || told?.state?.commands.contains(.pause) != true {
                told = await media.next()
            }
            // It is not read whole, because bluetoothd would broadcast that.
            #expect(told?.state?.title?.string == "Note" && told?.state?.title?.isTruncated == true)
            let phone = try #require(told?.provider)
            try await story.consumer.send(.pause, to: phone)
            #expect(await Self.writes(bench.double).dropFirst(3) == [[1]])
            try await bench.post("Anna")
            #expect(try await story.notification().title == "Anna")
            await bench.double.removeMedia(of: Self.path)
            while told?.state != nil { told = await media.next() }
            try await bench.post("Berta")
            #expect(try await story.notification().title == "Berta")
            #expect(await bench.double.count(of: "ReadValue char0037") == 0)
        }
    }

    @Test func whereNobodyAsksNothingIsCalled() async throws {
        try await BlueZBench.run { bench in
            try await bench.double.addPairedPhone()
            await bench.double.addMedia(to: Self.path)
            let story = try await bench.start()
            await bench.double.connect(Self.path)
            try await story.until("1 session")
            try await bench.post("Anna")
            #expect(try await story.notification().title == "Anna")
            #expect(await Self.writes(bench.double).isEmpty)
            #expect(await bench.double.count(of: "AcquireNotify char0034") == 0)
        }
    }
}
