import ANCSKit
import ANCSTestKit
import Testing

@Suite("The bench on which accessories are tested")
struct TestBenchTests {
    private static let lunch = ProviderNotification(
        appIdentifier: .phone, categoryID: .social, title: "Ada", message: "Lunch?")

    @Test("a notification reaches the accessory of the bench")
    func receives() async throws {
        try await TestBench.run { bench in
            try await bench.phone.post(Self.lunch)
            let shown = try await bench.accessory.notifications.first { $0.title == "Ada" }
            #expect(shown?.message == "Lunch?")
        }
    }

    @Test("a notification reaches an accessory of the test's own")
    func receivesAtOwn() async throws {
        try await TestBench.run { bench in
            let desk = try NotificationConsumer(name: "Desk", at: bench.bluetooth())
            try await bench.phone.post(Self.lunch)
            let shown = try await desk.notifications.first { _ in true }
            #expect(shown?.title == "Ada")
            #expect(bench.events.contains { $0.source == "Desk" })
        }
    }

    @Test("a device's private adapter queues no events")
    func ownAdapter() async throws {
        try await TestBench.run { bench in
            try await bench.phone.post(Self.lunch)
            _ = try await bench.accessory.notifications.first { _ in true }
            let event = try await bench.phone.adapter.events.first { _ in true }
            guard case .device(.missed(let count))? = event else {
                Issue.record("the first event is \(String(describing: event))")
                return
            }
            #expect(count > 0)
        }
    }

    // MARK: Repeating

    /// All that happens while a notification comes and a call is declined, on an air that loses.
    private static func story(seed: UInt64) async throws -> [String] {
        try await TestBench.run(seed: seed, latency: .milliseconds(5), loss: 0.05) { bench in
            try await bench.phone.post(lunch)
            try await bench.phone.ring(IncomingCall(caller: "Grace"))
            for try await notification in bench.accessory.notifications
            where notification.category == .incomingCall {
                try await bench.accessory.perform(.negative, on: notification)
                break
            }
            try await bench.wait("the call is declined") { await bench.phone.ringingCalls.isEmpty }
            await bench.phone.stop()
            return bench.events.map(\.description)
        }
    }

    @Test("the same seed gives the same events at the same times, another seed gives others")
    func repeats() async throws {
        let first = try await Self.story(seed: 7)
        #expect(try await Self.story(seed: 7) == first)
        #expect(try await Self.story(seed: 8) != first)
        #expect(first.contains { $0.contains("iPhone: session 1 action") })
        #expect(first.contains { $0.contains("Accessory: session 1 ended") })
        #expect(first.contains { $0.contains("Accessory: added uid 0 ") })
    }

    // MARK: Failing

    @Test(
        "a wait for an event that does not happen fails, with its name, the seed, the time and the events"
    )
    func waitFails() async throws {
        // A macro is one line, its first: that of the wait below is the next one.
        let line = #line + 1
        let failure = await #expect(throws: TestFailure.self) {
            try await TestBench.run(seed: 7) { bench in
                let phone = bench.phone
                try await bench.sleep(for: .seconds(5))
                try await bench.wait("a pig flies", for: .seconds(60)) {
                    await phone.accessories.count > 1
                }
            }
        }
        #expect(failure?.seed == 7)
        #expect(failure?.time == .seconds(65))
        #expect(
            failure?.description == """
                timed out after 60.000 s: a pig flies, at TestBenchTests.swift:\(line) (seed 7, at 65.000 s); the events:
                    0.000 s  iPhone, adapter: the controller is ready
                    0.000 s  iPhone: the controller is ready
                    0.000 s  iPhone: looking for accessories
                """)
    }

    @Test("a test that waits for an event that never comes ends when nothing else can happen")
    func endsAtLimit() async throws {
        let failure = await #expect(throws: TestFailure.self) {
            try await TestBench.run(limit: .seconds(900)) { bench in
                // Nothing switches the phone on.
                for try await event in bench.accessory.events {
                    if case .peer(_, .connected) = event { break }
                }
            }
        }
        #expect(failure?.message == "the test did not end within 900.000 s")
        #expect(failure?.time == .seconds(900))
    }

    @Test("a failed wait is reported instead of the run's time limit that is reached with it")
    func waitFailsAtTheLimit() async throws {
        let failure = await #expect(throws: TestFailure.self) {
            try await TestBench.run(limit: .seconds(60)) { bench in
                try await bench.wait("a pig flies", for: .seconds(60)) { false }
            }
        }
        #expect(failure?.message == "timed out after 60.000 s: a pig flies")
    }

    @Test("a test that cannot be ended is left behind")
    func isAbandoned() async throws {
        await #expect(throws: TestFailure.self) {
            try await TestBench.run { _ in
                await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            }
        }
    }

    @Test("an error of a test is thrown on with the seed, after all devices and readers have ended")
    func stopsWhenBodyThrows() async throws {
        struct Broken: Error {}
        let (ends, end) = AsyncStream<String>.makeStream()
        let failure = await #expect(throws: TestFailure.self) {
            try await TestBench.run(seed: 3) { bench in
                let phone = bench.phone
                let desk = try NotificationConsumer(name: "Desk", at: bench.bluetooth())
                let adapter = try BluetoothAdapter(name: "Band", at: bench.bluetooth())
                let central = CentralManager(adapter)
                await desk.start()
                await adapter.start()
                Task {
                    for try await _ in desk.events {}
                    end.yield("consumer")
                }
                Task {
                    for await _ in central.events {}
                    end.yield("manager")
                }
                try await bench.wait("they are connected") {
                    await phone.accessories.contains { $0.isConnected }
                }
                throw Broken()
            }
        }
        #expect(failure?.cause is Broken)
        #expect(failure?.seed == 3)
        var ended: Set<String> = []
        for await name in ends where ended.insert(name).inserted && ended.count == 2 { break }
        #expect(ended == ["consumer", "manager"])
    }

    @Test("a test that is cancelled ends")
    func cancels() async throws {
        let test = Task {
            try await TestBench.run { bench in
                for try await _ in bench.phone.events {}
                try await bench.sleep(for: .seconds(1))
            }
        }
        test.cancel()
        let failure = await #expect(throws: TestFailure.self) { try await test.value }
        #expect(failure?.cause is CancellationError)
    }

    // MARK: Time

    @Test("hours pass for a clock, and a test returns what its body returns")
    func returns() async throws {
        let (elapsed, now) = try await TestBench.run(limit: .seconds(1_000_000)) { bench in
            let clock = bench.clock
            let elapsed = try await clock.measure { try await clock.sleep(for: .seconds(604_800)) }
            return (elapsed, bench.now)
        }
        #expect(elapsed == .seconds(604_800))
        #expect(now == .seconds(604_800))
    }

    @Test("code outside the loop can use the whole API without a trap")
    func offTheLoop() async throws {
        try await TestBench.run { bench in
            try await Task.detached {
                let controller = await bench.addController()
                let desk = try NotificationConsumer(name: "Desk", at: controller.bluetooth())
                await desk.start()
                await bench.setInRange(false, controller)
                await bench.setPath(
                    RadioPath(loss: 0.1), between: controller, and: bench.phoneController)
                await bench.setInRange(true, controller)
                try await bench.phone.post(Self.lunch)
                _ = try await desk.notifications.first { _ in true }
                try await bench.powerCycle(controller)
                await desk.stop()
            }.value
        }
    }

    // MARK: The air

    @Test("a phone goes out of range and comes back")
    func leavesAndReturns() async throws {
        try await TestBench.run { bench in
            let (phone, accessory) = (bench.phone, bench.accessory)
            try await accessory.awaitSession()
            bench.setInRange(false, bench.phoneController)
            let left = bench.now
            for try await event in accessory.events {
                if case .session(_, .ended) = event { break }
            }
            #expect(bench.now - left < .seconds(10))
            try await bench.sleep(for: .seconds(600))
            #expect(await phone.accessories.allSatisfy { !$0.isConnected })
            bench.setInRange(true, bench.phoneController)
            try await accessory.awaitSession()
        }
    }

    @Test("a controller that is unplugged for a while, or fails, is used again; so is a cut link")
    func powerCycles() async throws {
        try await TestBench.run { bench in
            let (phone, accessory) = (bench.phoneController, bench.accessoryController)
            _ = bench.phone
            try await bench.accessory.awaitSession()
            try await bench.powerCycle(accessory, for: .seconds(5))
            try await bench.accessory.awaitSession()
            bench.fail(phone)
            try await bench.accessory.awaitSession()
            bench.cutLink(between: phone, and: accessory)
            try await bench.accessory.awaitSession()
        }
    }

    @Test("a device with a store is the same device when it is started again, with its bond")
    func restarts() async throws {
        try await TestBench.run { bench in
            let controller = bench.addController()
            let store = BondStore(directory: try bench.directory)
            _ = bench.phone
            for isFirst in [true, false] {
                let desk = try NotificationConsumer(
                    name: "Desk", at: controller.bluetooth(store: store))
                await desk.start()
                try await desk.awaitSession()
                await desk.stop()
                let pairings = bench.events.filter { event in
                    if case .peer(_, .paired)? = event.event as? ConsumerEvent {
                        true
                    } else {
                        false
                    }
                }
                #expect(pairings.count == 1, "first: \(isFirst)")
            }
        }
    }

    @Test("the directory exists during the test and is removed afterwards")
    func removesDirectory() async throws {
        let path = try await TestBench.run { bench in
            let path = try bench.directory + "/deeper"
            #expect(try bench.directory + "/deeper" == path)
            try BindingStore(directory: path).save(.justUnbound, of: "app")
            #expect(try BindingStore(directory: path).binding(of: "app") == .justUnbound)
            return path
        }
        #expect(try BindingStore(directory: path).binding(of: "app") == .unbound)
    }
}

extension NotificationConsumer {
    /// Reads events until a session begins.
    fileprivate func awaitSession() async throws {
        for try await event in events { if case .session(_, .started) = event { return } }
    }
}
