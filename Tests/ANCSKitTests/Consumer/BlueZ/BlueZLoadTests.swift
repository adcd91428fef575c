import ANCS
import LinuxIO
import Testing

@testable import ANCSKit

@Suite struct BlueZLoadTests {
    @Test func aBurstOfTwoThousandNotificationsIsDelivered() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.serve { $0.fetchesDisplayName = false }
            try await Self.burst(2_000, at: bench, story)
            #expect(await bench.double.phones.values.map(\.droppedValues) == [0])
            await story.consumer.stop()
        }
    }

    /// Posts notifications at once, waits until all have come, and has them removed again.
    private static func burst(_ count: Int, at bench: BlueZBench, _ story: Story) async throws {
        let titles = (1...count).map { "title \($0)" }
        try await bench.double.post(titles.map { try .message($0, "text") }, on: BlueZBench.phone)
        var delivered: [String] = []
        while delivered.count < count { delivered.append(try await story.notification().title) }
        #expect(delivered == titles)
        try await bench.double.removeAll(on: BlueZBench.phone)
        var removed = 0
        while removed < count {
            try await story.until { $0.line.contains("removed") }
            removed += 1
        }
        story.forget()
    }
}
