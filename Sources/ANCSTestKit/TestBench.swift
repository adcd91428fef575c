public import ANCSKit
package import LinuxIO
internal import Octets
internal import Synchronization
public import VirtualBluetooth

/// A phone, an accessory and whatever else Bluetooth devices a test needs, with a controller each, on one
/// radio in virtual time.
///
///     try await TestBench.run(seed: 7) { bench in
///         let filter = try CallFilter(name: "Filter", at: bench.bluetooth())   // what is tested
///         try await bench.phone.ring(IncomingCall(caller: "Ada"))
///         try await bench.wait("the call is declined") { await bench.phone.ringingCalls.isEmpty }
///     }
///
/// **Time** is virtual: it stands still while there is anything to do, and jumps to the next timer when
/// there is not. ``clock``, ``sleep(for:)`` and the limits of ``wait(_:for:until:)`` are in that time. The
/// body runs on the loop of the bench, with its child tasks and the actors that it calls. What runs outside
/// may use everything, but time does not wait for it: on the main actor, in a detached task, or in a
/// `Task { … }` that is started where there is no actor, hours may have passed from one line to the next.
///
/// **Chance** follows from the seed: keys, addresses, identifiers, losses on the air. The same seed is the
/// same run.
///
/// **The end.** A body that waits for what never comes is ended when the limit of the run is over: soon,
/// where nothing else can happen. All devices are stopped, however the body ends.
public actor TestBench {
    /// The executor of everything here.
    package nonisolated let loop: EventLoop

    /// The loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    /// From what everything random follows.
    public nonisolated let seed: UInt64

    /// The controller of the ``phone``.
    public nonisolated let phoneController: TestController
    /// The controller of the ``accessory``.
    public nonisolated let accessoryController: TestController

    let radio: RadioLoop
    let log: TestLog
    /// How many waits are being judged whose time is over. One that fails says more than the limit of the
    /// run, which virtual time reaches meanwhile.
    nonisolated let judgements = Mutex(0)
    private let seeds: SeededGenerator
    private let hooks: TestHooks
    private let thePhone: NotificationProvider
    private let theAccessory: NotificationConsumer
    private var storage: TemporaryDirectory?
    /// Who waits for the end of the body, or for the limit.
    private var waiter: CheckedContinuation<Void, Never>?
    private var hasBodyEnded = false
    /// What is wrong with a body that had not ended when the limit was over.
    private var overdue: TestFailure?

    /// A bench on the loop whose thread this is.
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
            told: { log.note(TestEvent(time: loop.now - .zero, source: $0, event: $1)) })
        self.hooks = hooks
        var (radioSeeds, keySeeds) = (seeds.branch(0), seeds.branch(1))
        let radio = RadioLoop(
            configuration: RadioConfiguration(
                seed: radioSeeds.next(), latency: settings.latency,
                path: RadioPath(loss: settings.loss)),
            toolbox: OpenSSLToolbox(simulatedFrom: keySeeds.next()), on: loop,
            fault: { hooks.told("controller \($1.controller.index)", $0) })
        self.radio = radio
        phoneController = TestController(radio.addController(), seeds, hooks)
        accessoryController = TestController(radio.addController(), seeds, hooks)
        thePhone = try NotificationProvider(
            ProviderConfiguration(localTime: { .utc(date()) }), at: phoneController.bluetooth())
        theAccessory = try NotificationConsumer(
            name: "Accessory", at: accessoryController.bluetooth())
    }

    // MARK: Devices

    /// The phone: an iPhone, which is switched on when it is asked for first.
    public var phone: NotificationProvider {
        thePhone.assumeIsolated { $0.start() }
        return thePhone
    }

    /// An accessory that receives notifications, for tests that have none of their own. It is switched on
    /// when it is asked for first.
    public var accessory: NotificationConsumer {
        theAccessory.assumeIsolated { $0.start() }
        return theAccessory
    }

    /// A new controller, for a device of the test's own.
    public func addController(
        _ abilities: VirtualControllerAbilities = .bluetooth5_3
    ) -> TestController {
        TestController(radio.addController(abilities), seeds, hooks)
    }

    /// A new controller, as the place where a device is to be made.
    public func bluetooth(
        store: BondStore? = nil, pairing: PairingOptions = PairingOptions()
    ) -> Bluetooth {
        addController().bluetooth(store: store, pairing: pairing)
    }

    /// What happened so far at the devices of the bench and at their managers, whoever reads their events.
    public nonisolated var events: [TestEvent] { log.events }

    /// A directory for stores of bonds and bindings. It is empty at first, and removed at the end with all
    /// that is in it.
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

    /// Runs a test on a bench of its own.
    ///
    /// - Parameters:
    ///   - seed: Everything random follows from it.
    ///   - latency: How much longer the air takes for what is sent on a link.
    ///   - loss: The probability from 0 to 1 that the air loses what is sent; on a link it is sent again.
    ///   - limit: How long the test may take, in virtual time.
    ///   - body: The test. It runs on the loop of the bench.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, with the seed and the events so far; or that it did not end.
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

    /// How many periods of quiet a body gets beyond the limit whose waits fail one after the other.
    private static var maximumExtensions: Int { 5 }

    /// How long a body that was ended may take for it.
    private static var patience: Duration { .seconds(60) }

    private func bodyOrLimit() async {
        guard !hasBodyEnded else { return }
        await withCheckedContinuation { waiter = $0 }
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
            // The body of a wait that has just failed is given time to end.
            while await !isQuietOutside(), !hasBodyEnded {}
            if hasBodyEnded || judgements.withLock({ $0 == 0 }) { break }
        }
        guard !hasBodyEnded else { return }
        overdue = failure
        exchange(&waiter, with: nil)?.resume()
    }

    nonisolated func failure(_ message: String, cause: (any Error)? = nil) -> TestFailure {
        TestFailure(
            message, cause: cause, seed: seed, time: loop.now - .zero, events: log.events)
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
