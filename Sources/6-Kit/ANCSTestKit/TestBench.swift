public import ANCSKit
internal import VirtualTransports
package import LinuxIO
public import VirtualBluetooth

/// A phone, an accessory and any other Bluetooth devices that a test needs, each with a virtual controller,
/// on one radio in virtual time.
///
///     try await TestBench.run(seed: 7) { bench in
///         let filter = try CallFilter(name: "Filter", at: bench.bluetooth())   // what is tested
///         try await bench.phone.ring(IncomingCall(caller: "Ada"))
///         try await bench.wait("the call is declined") { await bench.phone.ringingCalls.isEmpty }
///     }
///
/// **Time** is virtual: it stands still while there is work to do, and otherwise jumps to the next timer.
/// ``clock``, ``sleep(for:)`` and the limits of ``wait(_:for:file:line:until:)`` use it. The body, its child tasks and
/// the actors that it calls run on the loop of the bench. Code that runs elsewhere may use the bench, but
/// virtual time does not wait for it: on the main actor, in a detached task, or in a `Task { … }` started
/// outside an actor, hours may pass between two lines.
///
/// **Randomness** depends only on the seed: keys, addresses, identifiers, losses of the radio. The same seed
/// gives the same run.
///
/// **The end.** A body that waits for an event that never happens is ended at the limit of the run, or soon
/// if nothing else can happen. All devices are stopped, however the body ends.
public actor TestBench {
    /// The executor of the bench.
    package nonisolated let loop: EventLoop

    /// The loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// The seed of all randomness.
    public nonisolated let seed: UInt64

    /// The configuration of the ``phone``, with the clock of the bench: for a test that starts another phone at
    /// ``phoneController``.
    public nonisolated let phoneConfiguration: ProviderConfiguration
    /// The controller of the ``phone``.
    public nonisolated let phoneController: TestController
    /// The controller of the ``accessory``.
    public nonisolated let accessoryController: TestController

    let radio: RadioLoop
    let log: TestLog
    /// The number of expired waits that are being evaluated. Their failure says more than the limit of the
    /// run, which virtual time may reach meanwhile.
    nonisolated let judgements = Lock(0)
    private let seeds: SeededGenerator
    private let hooks: TestHooks
    private let thePhone: NotificationProvider
    private let theAccessory: NotificationConsumer
    private var storage: TemporaryDirectory?
    /// Waits for the end of the body, or for the limit.
    private var waiter: CheckedContinuation<Void, Never>?
    private var hasBodyEnded = false
    /// The failure of a body that had not ended at the limit.
    private var overdue: TestFailure?

    /// A bench on the current loop.
    private init(_ settings: Settings, on loop: EventLoop) throws(DeviceError) {
        self.loop = loop
        seed = settings.seed
        seeds = SeededGenerator(seed: seed)
        let log = TestLog()
        self.log = log
        let date: @Sendable () -> Int = {
            Int(LoopClock.virtualEpoch + loop.now.nanoseconds / 1_000_000_000)
        }
        let hooks = TestHooks(
            secondsSince1970: date, made: { log.willStop($0) },
            observer: { log.note(TestEvent(time: loop.now - .zero, source: $0, event: $1)) })
        self.hooks = hooks
        var (radioSeeds, keySeeds) = (seeds.branch(0), seeds.branch(1))
        let radio = RadioLoop(
            configuration: RadioConfiguration(
                seed: radioSeeds.next(), latency: settings.latency,
                path: RadioPath(loss: settings.loss)),
            toolbox: OpenSSLToolbox(simulatedFrom: keySeeds.next()), on: loop,
            fault: { hooks.observer("controller \($1.controller.index)", $0) })
        self.radio = radio
        phoneController = TestController(radio.addController(), seeds, hooks)
        accessoryController = TestController(radio.addController(), seeds, hooks)
        var phone = ProviderConfiguration(localTime: { .utc(date()) })
        phone.timeZone = .utc
        phoneConfiguration = phone
        thePhone = try NotificationProvider(phone, at: phoneController.bluetooth())
        theAccessory = try NotificationConsumer(
            name: "Accessory", at: accessoryController.bluetooth())
    }

    // MARK: Devices

    /// The phone, modeled on an iPhone; started by the first access.
    public var phone: NotificationProvider {
        thePhone.assumeOnLoop { $0.start() }
        return thePhone
    }

    /// An accessory that receives notifications, for tests without one of their own; started by the first
    /// access.
    public var accessory: NotificationConsumer {
        theAccessory.assumeOnLoop { $0.start() }
        return theAccessory
    }

    /// Adds a controller, for another device.
    public func addController(
        _ abilities: VirtualControllerAbilities = .bluetooth5_3
    ) -> TestController { TestController(radio.addController(abilities), seeds, hooks) }

    /// Adds a controller, and returns it as the argument for creating a device.
    public func bluetooth(
        store: BondStore? = nil, pairing: PairingOptions = PairingOptions()
    ) -> Bluetooth { addController().bluetooth(store: store, pairing: pairing) }

    /// The events so far of all devices of the bench and of their managers. Reading them does not take events
    /// from other readers.
    public nonisolated var events: [TestEvent] { log.events }

    /// A directory for bonds and bindings: empty at the start, and deleted with its contents at the end.
    public var directory: String {
        get throws(TestFailure) {
            if let storage { return storage.path }
            do throws(IOError) {
                let new = try TemporaryDirectory()
                storage = new
                return new.path
            } catch { throw failure(error.message, cause: error) }
        }
    }
}

// MARK: - The run

extension TestBench {
    private struct Settings: Sendable {
        var seed: UInt64
        var latency: Duration
        var loss: Double
        var limit: Duration
    }

    /// Runs a test on a new bench.
    ///
    /// - Parameters:
    ///   - seed: The seed of all randomness.
    ///   - latency: An additional delay for everything that is sent on a link.
    ///   - loss: The probability from 0 to 1 that the radio loses a packet; on a link it is then sent again.
    ///   - limit: How long the test may take, in virtual time.
    ///   - body: The test. It runs on the loop of the bench.
    /// - Returns: The result of the body.
    /// - Throws: ``TestFailure`` with the error of the body, the seed and the events so far, or because the
    ///   body did not end.
    public static func run<Value: Sendable>(
        seed: UInt64 = 1, latency: Duration = .zero, loss: Double = 0,
        limit: Duration = .seconds(3600),
        _ body: @escaping @Sendable (isolated TestBench) async throws -> Value
    ) async throws(TestFailure) -> Value {
        let settings = Settings(seed: seed, latency: latency, loss: loss, limit: limit)
        let loop: EventLoop
        do throws(IOError) { loop = try EventLoop(name: "ancs-test", clock: .virtual) } catch {
            throw TestFailure(error.message, cause: error, seed: seed)
        }
        defer { loop.shutdown() }
        let test = Task<Result<Value, TestFailure>, Never>(executorPreference: loop) {
            do throws(DeviceError) {
                let bench = try await make(settings, on: loop)
                return await bench.conduct(body, limit: limit)
            } catch {
                return .failure(
                    TestFailure(error.message, cause: error, seed: seed))
            }
        }
        return try await withTaskCancellationHandler {
            await test.value
        } onCancel: {
            test.cancel()
        }.get()
    }

    private static func make(
        _ settings: Settings, on loop: EventLoop
    ) async throws(DeviceError) -> TestBench {
        let made: Result<TestBench, DeviceError> = await withCheckedContinuation { continuation in
            loop.execute {
                continuation.resume(
                    returning: Result { () throws(DeviceError) in
                        try TestBench(settings, on: loop)
                    })
            }
        }
        return try made.get()
    }

    private func conduct<Value: Sendable>(
        _ body: @escaping @Sendable (isolated TestBench) async throws -> Value, limit: Duration
    ) async -> Result<Value, TestFailure> {
        let work = Task<Result<Value, any Error>, Never>(executorPreference: loop) {
            let result: Result<Value, any Error>
            do { result = .success(try await body(self)) } catch { result = .failure(error) }
            await self.bodyEnded()
            return result
        }
        let watch = Task(executorPreference: loop) { await self.watchLimit(limit) }
        await withTaskCancellationHandler {
            await bodyOrLimit()
        } onCancel: {
            work.cancel()
        }
        watch.cancel()
        if overdue != nil { work.cancel() }
        await log.stopAll()
        if !hasBodyEnded { try? await loop.sleep(for: Self.patience) }
        radio.close()
        storage = nil
        if let overdue { return .failure(overdue) }
        return await work.value.mapError { error in
            error as? TestFailure ?? failure(Self.text(of: error), cause: error)
        }
    }

    /// How many more periods a body gets after the limit while its waits fail one after the other.
    private static var maximumExtensions: Int { 5 }

    /// How long a body may take to end after it was cancelled, in the virtual time of the test.
    private static var patience: Duration { .seconds(60) }

    private func bodyOrLimit() async {
        await withCheckedContinuation { continuation in
            if hasBodyEnded { continuation.resume() } else { waiter = continuation }
        }
    }

    private func bodyEnded() {
        hasBodyEnded = true
        exchange(&waiter, with: nil)?.resume()
    }

    private func watchLimit(_ limit: Duration) async {
        do throws(CancellationError) { try await loop.sleep(for: limit) } catch { return }
        let failure = failure("the test did not end within \(limit.seconds)")
        for _ in 0..<Self.maximumExtensions {
            await judgementsEnd()
            // A body whose wait has just failed gets time to end.
            while await !isQuietOutside(), !hasBodyEnded {}
            if hasBodyEnded || judgements.withLock({ $0 == 0 }) { break }
        }
        guard !hasBodyEnded else { return }
        overdue = failure
        exchange(&waiter, with: nil)?.resume()
    }

    nonisolated func failure(
        _ message: String, at place: String? = nil, cause: (any Error)? = nil
    ) -> TestFailure {
        TestFailure(
            message, at: place, cause: cause, seed: seed, time: loop.now - .zero, events: log.events
        )
    }

    private static func text(of error: any Error) -> String {
        switch error {
        case let error as DeviceError: error.message
        case let error as RequestError: error.message
        case let error as BluetoothError: error.message
        case is CancellationError: "the test was cancelled"
        default: "\(error)"
        }
    }
}
