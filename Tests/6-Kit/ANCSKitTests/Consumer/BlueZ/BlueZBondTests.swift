import ANCS
import BlueZ
import BlueZTestKit
import DBus
import Glibc
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// What becomes of a bond that another program has made, at a bluetoothd on a bus.
final class BlueZBondTests {
    private let directory: TemporaryDirectory
    private var state: String { directory.path + "/state" }
    private var memory: BondMemory { BondMemory(directory: state) }

    init() throws { directory = try TemporaryDirectory() }

    private func offer(_ bench: BlueZBench, _ policy: BondPolicy = .ask) async throws -> Story {
        let story = Story(of: try bench.consumer(bonds: policy, state: state))
        await story.consumer.start()
        try await story.until("on air")
        await bench.double.connect(BlueZBench.phone)
        return story
    }

    private static func question(_ story: Story) async throws -> PairingConsent {
        let event = try await story.until { event in
            if case .peer(_, .pairing) = event { true } else { false }
        }
        guard case .peer(_, .pairing(.consent(let consent))) = event else {
            throw CancellationError()
        }
        return consent
    }

    @Test func anAcceptedBondIsServedAndNotAskedAboutInTheNextRun() async throws {
        try await BlueZBench.run { bench in
            try await bench.double.addPairedPhone()
            let story = try await offer(bench)
            let question = try await Self.question(story)
            #expect(await story.consumer.bondedProviders.isEmpty)
            #expect(try memory.read()?.isEmpty ?? true)
            question.allow()
            try await story.until("1 session")
            #expect(await story.consumer.bondedProviders.map(\.digest) == [question.bond?.digest])
            await story.consumer.stop()
            #expect(try memory.read()?.values.map { $0 } == [true])
            var status = stat()
            #expect(stat(memory.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        }
        try await BlueZBench.run { bench in
            try await bench.double.addPairedPhone()
            try await offer(bench).until("1 session")
        }
    }

    @Test func aDeclinedBondIsKeptAsSuch() async throws {
        try await BlueZBench.run { bench in
            try await bench.double.addPairedPhone()
            let story = try await offer(bench)
            try await Self.question(story).refuse()
            try await story.until { event in
                if case .peer(_, .unserved(.declined)) = event { true } else { false }
            }
            await story.consumer.stop()
        }
        #expect(try memory.read()?.values.map { $0 } == [false])
    }

    @Test func aPhoneThatWasReceivedFromBeforeTheUpgradeWasAccepted() async throws {
        try await BlueZBench.run { bench in
            try await bench.double.addPairedPhone()
            let digest = PhoneDigests().digest(
                of: await bench.double.run { $0.phones[BlueZBench.phone]?.identity ?? "" })
            let story = Story(
                of: try bench.consumer(bonds: .ask, state: state) {
                    $0.earlierPhones = { [digest] }
                })
            await story.consumer.start()
            try await story.until("on air")
            await bench.double.connect(BlueZBench.phone)
            try await story.until("1 session")
            await story.consumer.stop()
        }
        #expect(try memory.read()?.values.map { $0 } == [true])
    }

    /// Once it is kept who is accepted, the history says nothing any more: that bond may be gone.
    @Test func theHistoryCountsOnlyOnce() async throws {
        try memory.keep(nil, nil)
        try await BlueZBench.run { bench in
            try await bench.double.addPairedPhone()
            let digest = PhoneDigests().digest(
                of: await bench.double.run { $0.phones[BlueZBench.phone]?.identity ?? "" })
            let story = Story(
                of: try bench.consumer(bonds: .ask, state: state) {
                    $0.earlierPhones = { [digest] }
                })
            await story.consumer.start()
            try await story.until("on air")
            await bench.double.connect(BlueZBench.phone)
            _ = try await Self.question(story)
            await story.consumer.stop()
        }
    }

    @Test func aFileThatCannotBeReadIsSaidAndCountsAsNothing() async throws {
        try PrivateFile.write(path: memory.path, contents: Array("{}".utf8))
        try await BlueZBench.run { bench in
            try await bench.double.addPairedPhone()
            let story = Story(of: try bench.consumer(bonds: .ask, state: state))
            await story.consumer.start()
            #expect(try await story.warning(.storage).contains("accepted.json"))
            try await story.until("on air")
            await bench.double.connect(BlueZBench.phone)
            _ = try await Self.question(story)
            await story.consumer.stop()
        }
    }
}
