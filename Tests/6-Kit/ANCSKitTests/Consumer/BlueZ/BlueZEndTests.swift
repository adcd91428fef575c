import ANCS
import BlueZTestKit
import DBus
import DBusTestKit
import LinuxIO
import Octets
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

@Suite struct BlueZEndTests {
    @Test func whoStopsUnsubscribesAndLeavesTheLinkAlone() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.serve()
            await story.consumer.stop()
            #expect(await bench.double.count(of: "StopNotify char0011") == 1)
            #expect(await bench.double.count(of: "Disconnect dev_1") == 0)
            #expect(await bench.double.phones[BlueZBench.phone]?.isConnected == true)
            // Nothing of it is left at bluetoothd: the socket is closed, and the connection too.
            await bench.wait {
                $0.clients.isEmpty && $0.phones.values.allSatisfy { $0.socket == nil }
            }
            try await bench.post("late")
            #expect(await story.end() == nil)
            #expect(story.lines.suffix(2) == ["1 session over", "1 disconnected"])
        }
    }

    @Test func whoStopsWaitsForBluetoothdTwoSecondsAtMost() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.serve()
            for call in ["StopNotify char0011", "UnregisterAdvertisement hci0"] {
                await bench.double.ignore(call)
            }
            let start = bench.loop.now
            await story.consumer.stop()
            // Two seconds and what a busy machine needs; bluetoothd's calls have thirty.
            #expect(bench.loop.now - start < .seconds(20))
            #expect(await story.end() == nil)
            #expect(story.lines.suffix(2) == ["1 session over", "1 disconnected"])
        }
    }

    @Test(arguments: ["GetManagedObjects", "RegisterAdvertisement hci0"])
    func whoStopsBeforeItIsOnAirStopsAtOnce(unanswered: String) async throws {
        try await BlueZBench.run { bench in
            await bench.double.ignore(unanswered)
            let story = Story(of: try bench.consumer())
            await story.consumer.start()
            await bench.wait(for: unanswered)
            await story.consumer.stop()
            #expect(await story.end() == nil)
            #expect(!story.lines.contains("on air"))
        }
    }

    @Test func theBusEnds() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.serve()
            await bench.double.loseBus()
            bench.bus.kill()
            guard case .transport(let error)? = await story.end() else {
                Issue.record("it ended otherwise")
                return
            }
            #expect(error.code == .hangUp)
            #expect(story.lines.suffix(2) == ["1 session over", "1 disconnected"])
            #expect(await story.end() == nil)
            await story.consumer.stop()
        }
    }

    /// What is answered in bluetoothd's place then says nothing of it.
    @Test(arguments: ["GetManagedObjects", "RegisterAdvertisement hci0", "AcquireNotify char0016"])
    func theBusEndsDuringACall(unanswered: String) async throws {
        try await BlueZBench.run { bench in
            await bench.double.ignore(unanswered)
            let story = Story(of: try bench.consumer())
            try await bench.double.addPairedPhone()
            await story.consumer.start()
            await bench.wait { $0.count(of: "GetManagedObjects") == 1 }
            await bench.double.connect(BlueZBench.phone)
            await bench.wait(for: unanswered)
            await bench.double.loseBus()
            bench.bus.kill()
            guard case .transport(let error)? = await story.end() else {
                Issue.record("it ended otherwise")
                return
            }
            #expect(error.code == .hangUp)
            #expect(!story.lines.contains("warning"))
        }
    }

    @Test func thereIsNoBus() async throws {
        try await BlueZBench.run(begins: false) { bench in
            let story = Story(of: try bench.consumer(bus: "unix:path=/nonexistent/bus"))
            await story.consumer.start()
            guard case .transport(let error)? = await story.end() else {
                Issue.record("it ended otherwise")
                return
            }
            #expect(error.code == .notFound)
            #expect(error.responsibility == .unavailable)
            #expect(error.message.contains("is D-Bus running?"))
            #expect(story.lines.isEmpty)
        }
    }

    @Test func thereIsNoBluetoothd() async throws {
        try await BlueZBench.run(begins: false) { bench in
            let story = Story(of: try bench.consumer())
            await story.consumer.start()
            #expect(await story.end() == .controller(.bluetoothd(.notRunning)))
        }
    }

    @Test func theReaderThatIsCancelledDisturbsNobody() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.serve()
            let reader = Task { [consumer = story.consumer] in
                for try await event in consumer.events { Issue.record("took \(event.line)") }
            }
            reader.cancel()
            try await reader.value
            try await bench.post("Anna")
            #expect(try await story.notification().title == "Anna")
            await story.consumer.stop()
        }
    }

    @Test func twoConsumersShareALoop() async throws {
        try await BlueZBench.run { bench in
            // Each has an adapter of its own in life; here each has its turn with the phone.
            let first = try await bench.serve()
            let second = Story(of: try bench.consumer())
            await second.consumer.start()
            try await second.until("ready")
            await first.consumer.stop()
            try await second.until("1 session")
            try await bench.post("Anna")
            #expect(try await second.notification().title == "Anna")
            await second.consumer.stop()
        }
    }

    @Test func nothingIsLeftOfAConsumerThatHasStopped() async throws {
        try await BlueZBench.run { bench in
            try await Self.expectNothingLeft(bench) { await $0.stop() }
        }
    }

    @Test func nothingIsLeftOfAConsumerThatNobodyHoldsAnyMore() async throws {
        try await BlueZBench.run { bench in
            try await Self.expectNothingLeft(bench) { _ in }
        }
    }

    private static func expectNothingLeft(
        _ bench: BlueZBench, _ end: (NotificationConsumer) async -> Void
    ) async throws {
        weak var port: (any ConsumerPort)?
        weak var consumer: NotificationConsumer?
        do {
            let story = try await bench.serve()
            port = story.consumer.port
            consumer = story.consumer
            await end(story.consumer)
        }
        await bench.wait { $0.clients.isEmpty && $0.phones.values.allSatisfy { $0.socket == nil } }
        while port != nil || consumer != nil { await Task.yield() }
    }

    @Test func aConsumerMayBeStoppedFromWithinItsEvents() async throws {
        try await BlueZBench.run { bench in
            try await bench.double.addPairedPhone()
            let consumer = try bench.consumer()
            await consumer.start()
            var isConnected = false
            for try await event in consumer.events {
                switch event.line {
                case "on air" where !isConnected:
                    isConnected = true
                    await bench.double.connect(BlueZBench.phone)
                case "1 session": await consumer.stop()
                default: continue
                }
            }
            #expect(await bench.double.count(of: "StopNotify char0011") == 1)
        }
    }

    @Test func aPhoneThatIsForgottenLosesItsBondAndItsLink() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.serve()
            let phone = try #require(await story.consumer.bondedProviders.first)
            #expect(phone.name == "Anna's iPhone")
            try await story.consumer.forget("0000000000000000")
            #expect(await bench.double.phones.count == 1, "nobody is called so")
            try await story.consumer.forget(phone.digest)
            try await story.until { if case .peer(_, .disconnected) = $0 { true } else { false } }
            #expect(await bench.double.phones.isEmpty)
            // The end of the bond is a signal after that of the link.
            while await !story.consumer.bondedProviders.isEmpty { await Task.yield() }
            await story.consumer.stop()
        }
    }

    @Test func whatBluetoothdRefusesToForgetIsSaid() async throws {
        try await BlueZBench.run { bench in
            let story = try await bench.serve()
            let phone = try #require(await story.consumer.bondedProviders.first)
            await bench.double.refuse("RemoveDevice hci0", with: .blueZ("Failed"))
            await #expect(throws: DeviceError.self) {
                try await story.consumer.forget(phone.digest)
            }
            #expect(await story.consumer.bondedProviders == [phone])
            await story.consumer.stop()
        }
    }
}
