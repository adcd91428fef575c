import ANCS
import ANCSKit
import BlueZTestKit
import DBus
import DBusTestKit
import LinuxIO
import Octets

/// An accessory that uses bluetoothd, a double of bluetoothd that answers badly, and phones behind it, on one
/// loop in virtual time. Carries out a plan, watched by a referee.
actor BlueZWorld {
    /// The virtual time after the last fault within which the accessory must show again what the phones hold,
    /// and the outcome of every action must be known: the longest limit of a call is that for pairing, 90 s,
    /// after which the phone's user helps.
    static let patience = Duration.seconds(180)

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let plan: BlueZPlan
    let isTraced: Bool
    let bus: VirtualBus
    let double: BlueZDouble
    var referee: Referee
    var accessory: NotificationConsumer?
    var phones: [DoublePhone] = []
    /// By phone: whether it is out of range.
    var isAway: [Bool]
    /// By phone: when it last connected.
    var connectedAt: [MonotonicInstant]
    /// By phone: its announced notifications.
    var announced: [[NotificationUID: NotificationID]]
    /// Decides what becomes of calls, and when phones come back.
    var random: SeededGenerator
    /// Whether bluetoothd answers well.
    var isCalm = true
    var isReady = false
    var isOver = false
    /// The number of texts written so far, used to make each unique.
    var texts = 0
    var trace: [String] = []
    private var tasks: [Task<Void, Never>] = []

    private init(_ plan: BlueZPlan, isTraced: Bool) throws {
        self.plan = plan
        self.isTraced = isTraced
        referee = Referee(phones: plan.phones)
        isAway = [Bool](repeating: false, count: plan.phones)
        connectedAt = [MonotonicInstant](repeating: .zero, count: plan.phones)
        announced = [[NotificationUID: NotificationID]](repeating: [:], count: plan.phones)
        random = SeededGenerator(seed: plan.seed)
        let loop = try EventLoop(clock: .virtual)
        self.loop = loop
        let bus = VirtualBus(on: loop)
        self.bus = bus
        double = BlueZDouble(on: loop) { await bus.connection() }
    }

    /// Carries out a plan. Returns the rules that were broken.
    static func run(
        _ plan: BlueZPlan, isTraced: Bool
    ) async throws -> (violations: [Referee.Violation], trace: [String]) {
        let before = OpenDescriptors.all
        var result: (violations: [Referee.Violation], trace: [String])
        do {
            let world = try BlueZWorld(plan, isTraced: isTraced)
            defer { world.loop.shutdown() }
            result = await Task(executorPreference: world.loop) { await world.run() }.value
        }
        if let left = OpenDescriptors.opened(since: before) {
            result.violations.append(
                Referee.Violation(rule: "descriptors that stay open", evidence: left))
        }
        return result
    }

    private func run() async -> (violations: [Referee.Violation], trace: [String]) {
        do {
            try await begin()
        } catch { referee.violate("nothing begins", "\(error)") }
        if referee.violations.isEmpty {
            await withTaskGroup { group in
                for entry in plan.entries { group.addTask { await self.carryOut(entry) } }
            }
            await endFaults()
            await waitUntilSettled()
            await carryOutEpilogue()
        }
        await end()
        referee.checkActions()
        return (referee.violations, trace)
    }

    func note(_ text: @autoclosure () -> String) {
        if isTraced { trace.append("\(Double(loop.now.nanoseconds) / 1e9) \(text())") }
    }

    // MARK: Life

    private func begin() async throws {
        bus.passage = { [weak self] call in
            self?.assumeIsolated { $0.passage(of: call) } ?? VirtualBus.Passage()
        }
        bus.delay = { [weak self] in self?.assumeIsolated { $0.busDelay() } ?? .zero }
        await double.run { [weak self] double in
            double.observer = { [weak self] phone, output in
                self?.assumeIsolated { $0.observed(output, of: phone) }
            }
            double.callObserver = { [weak self] call in
                self?.assumeIsolated { $0.observed(call) }
            }
            double.writeDelay = { [weak self] phone in
                self?.assumeIsolated { $0.writeDelay(to: phone) } ?? .zero
            }
        }
        try await double.begin()
        for index in 0..<plan.phones { try await addPhone(index) }
        var configuration = ConsumerConfiguration(name: "desk lamp")
        configuration.maximumProviders = plan.phones
        // It would ask the machine's controller.
        configuration.linkParameters = nil
        // Subscribing again after a silence would hide what was lost.
        configuration.probing?.silence = .seconds(6 * 3600)
        let accessory = try NotificationConsumer(
            configuration, on: loop, window: .open, bus: bus.connect())
        self.accessory = accessory
        tasks.append(
            Task(executorPreference: loop) {
                await accessory.start()
                await self.read(accessory)
            })
        while !isReady { try await loop.sleep(for: .milliseconds(10)) }
        isCalm = false
        for index in phones.indices {
            tasks.append(Task(executorPreference: loop) { await self.bringBack(index) })
        }
    }

    private func addPhone(_ index: Int) async throws {
        let name = "dev_\(index + 1)"
        let isNew = plan.hasNewPhone && index == plan.phones - 1
        let phone = try await isNew ? double.makePhone(name) : double.addPairedPhone(name)
        phones.append(phone)
        referee.phoneStarted(index)
        for app in 0..<3 {
            let (identifier, name) = (Self.app(app, of: index), "App \(app)")
            try phone.store.install(identifier, displayName: name)
            referee.installed(identifier, name, at: index)
        }
        await post(index, count: 2)
    }

    static func app(_ number: Int, of phone: Int) -> AppIdentifier {
        (try? AppIdentifier("org.example.phone\(phone).app\(number)")) ?? .phone
    }

    private func endFaults() async {
        note("calm")
        isCalm = true
        // Reveals the phone of every session.
        for index in phones.indices { await post(index, count: 1) }
    }

    private func end() async {
        isOver = true
        await accessory?.stop()
        for task in tasks { await task.value }
        referee.accessoryStopped(0)
        accessory = nil
        await double.end()
        await double.run { double in
            double.observer = nil
            double.callObserver = nil
        }
    }

    // MARK: bluetoothd

    private func passage(of call: BusCall) -> VirtualBus.Passage {
        guard call.destination == "org.bluez", !isCalm else { return VirtualBus.Passage() }
        let temper = plan.temper
        var passage = VirtualBus.Passage(isIgnored: random.chance(temper.ignoresCall))
        passage.replies = random.chance(temper.losesReply) ? [] : [lateness()]
        // A second copy of a descriptor would keep the socket open, on any bus.
        if random.chance(temper.doublesReply), call.member != "AcquireNotify" {
            passage.replies.append(lateness())
        }
        note("\(call.member) \(call.path): \(passage)")
        if call.member == "WriteValue", let index = index(of: call.path) {
            let isLate = passage.replies.allSatisfy { $0 > Self.lateResponse }
            if passage.isIgnored || isLate { referee.lostResponse(of: index) }
        }
        return passage
    }

    private func lateness() -> Duration {
        random.chance(plan.temper.isLate) ? random.duration(below: plan.temper.lateness) : .zero
    }

    private func busDelay() -> Duration {
        random.duration(below: isCalm ? .milliseconds(5) : plan.temper.delay)
    }

    private func writeDelay(to phone: DoublePhone) -> Duration {
        let isSlow = !isCalm && random.chance(0.1)
        let delay = random.duration(below: isSlow ? plan.temper.writeDelay : .milliseconds(100))
        if delay > Self.lateResponse, let index = index(of: phone.path) {
            referee.lostResponse(of: index)
        }
        return .milliseconds(30) + delay
    }

    /// A response that takes longer may be why an action has no outcome, or a notification no text.
    private static let lateResponse = Duration.seconds(1)

    /// The phone that has an object of bluetoothd.
    func index(of path: ObjectPath) -> Int? {
        phones.firstIndex { $0.path == path || path.isBelow($0.path) }
    }
}
