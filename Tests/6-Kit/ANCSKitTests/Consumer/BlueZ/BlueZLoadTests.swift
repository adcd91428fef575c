import ANCS
import BlueZTestKit
import CHeap
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite struct BlueZLoadTests {
    @Test func aBurstOfTwoThousandNotificationsIsDelivered() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.serve { $0.fetchesDisplayName = false }
            try await Self.burst(2_000, at: bench, story)
            #expect(await bench.double.phones.values.map(\.droppedValues) == [0])
            await story.consumer.stop()
        }
    }

    /// A program of its own, so that what it has is this test's.
    @Test func whatManyNotificationsNeededIsGivenBack() async {
        await #expect(processExitsWith: .success) {
            try await BlueZBench.run { bench in
                let story = try await bench.serve { $0.fetchesDisplayName = false }
                // What is allocated once, or kept up to a limit.
                for _ in 1...4 { try await Self.burst(250, at: bench, story) }
                let before = Self.inUse()
                for _ in 1...6 { try await Self.burst(250, at: bench, story) }
                let after = Self.inUse()
                #expect(after.octets < before.octets + 6 * 250 * 100)
                #expect(after.descriptors == before.descriptors)
                await story.consumer.stop()
            }
        }
    }

    /// Connections come and go; nothing of them stays.
    @Test func whatManyConnectionsNeededIsGivenBack() async {
        await #expect(processExitsWith: .success) {
            try await BlueZBench.run { bench in
                let story = try await bench.serve()
                var before = Self.inUse()
                // The allocator keeps some of what the first two hundred need.
                for round in 1...400 {
                    if round == 250 { before = Self.inUse() }
                    await bench.double.disconnect(BlueZBench.phone)
                    try await story.until("\(round) disconnected")
                    await bench.double.connect(BlueZBench.phone)
                    try await story.until("\(round + 1) session")
                    story.forget()
                }
                let after = Self.inUse()
                #expect(after.octets < before.octets + 150 * 300)
                #expect(after.descriptors == before.descriptors)
                await story.consumer.stop()
            }
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

    private static func inUse() -> (octets: Int, descriptors: Int) {
        (Int(heap_octets_in_use()), SystemFile.names(in: "/proc/self/fd").count)
    }
}
