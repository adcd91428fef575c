import ANCS
import ANCSKit
import BluetoothLE
import Glibc
import HCITransports
import VirtualTransports
import LinuxIO
import Octets
import VirtualBluetooth

/// Complete phones and accessories on one radio and one loop in virtual time. Carries out a plan, watched by
/// a referee.
actor World {
    /// A device throughout its restarts.
    final class Box<Device> {
        let name: String
        let port: VirtualPort
        var device: Device?
        /// The task that reads the device's events until it has stopped.
        var reader: Task<Void, Never>?
        /// The number of times it was started.
        var starts: UInt64 = 0

        init(name: String, port: VirtualPort) {
            self.name = name
            self.port = port
        }
    }

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let plan: Plan
    /// The directory for bonds and, if wanted, captures.
    let directory: String
    let snoopDirectory: String?
    let radio: RadioLoop
    var phones: [Box<NotificationProvider>] = []
    var accessories: [Box<NotificationConsumer>] = []
    var referee: Referee
    /// The number of texts written so far, used to make each unique.
    var texts = 0
    /// The accessory that a phone's identifier stands for.
    var accessoryIndex: [Int: [AccessoryID: Int]] = [:]
    /// The device that has, or had before it lost its bonds, an identity address.
    var addresses: [String: Int] = [:]
    /// By phone: the notifications whose actions the simulation performs.
    var ownActions: [Int: Set<NotificationID>] = [:]
    /// By phone: the last posted notification.
    var lastAdded: [Int: ProviderNotification] = [:]
    /// When an accessory last showed something of a phone.
    var lastShown: [Int: [PhoneID: MonotonicInstant]] = [:]
    var trace: [String] = []

    init(_ plan: Plan, directory: String, snoopDirectory: String?) throws {
        self.plan = plan
        referee = Referee(plan: plan)
        self.directory = directory
        self.snoopDirectory = snoopDirectory
        let loop = try EventLoop(clock: .virtual)
        self.loop = loop
        let faults = FaultBox()
        self.faults = faults
        radio = RadioLoop(
            configuration: plan.radio, toolbox: OpenSSLToolbox(simulatedFrom: plan.seed), on: loop
        ) { fault, port in
            faults.list.append("\(port.controller.index): \(fault)")
        }
    }

    /// Protocol errors of hosts. To be used on the loop's thread only.
    final class FaultBox: @unchecked Sendable {
        // Unchecked: see the type's comment.
        var list: [String] = []
    }

    private let faults: FaultBox

    /// Carries out a plan. Returns the rules that were broken.
    static func run(
        _ plan: Plan, directory: String, snoopDirectory: String?
    ) async throws -> (violations: [Referee.Violation], trace: [String]) {
        let world = try World(plan, directory: directory, snoopDirectory: snoopDirectory)
        defer { world.loop.shutdown() }
        return await Task(executorPreference: world.loop) { await world.run() }.value
    }

    private func run() async -> (violations: [Referee.Violation], trace: [String]) {
        for (index, abilities) in plan.phones.enumerated() {
            phones.append(
                Box(name: "Phone \(index)", port: radio.addController(abilities)))
            await startPhone(index)
        }
        for (index, abilities) in plan.accessories.enumerated() {
            accessories.append(
                Box(name: "Accessory \(index)", port: radio.addController(abilities)))
            startAccessory(index)
        }
        await withTaskGroup { group in
            for entry in plan.entries { group.addTask { await self.carryOut(entry) } }
        }
        await calmDown()
        await waitUntilSettled(isSilenceNeeded: plan.needsSilence)
        await carryOutEpilogue()
        await stop()
        for fault in faults.list { referee.violate("a careless host", fault) }
        referee.checkActions()
        return (referee.violations, trace)
    }

    func note(_ text: @autoclosure () -> String) {
        guard snoopDirectory != nil else { return }
        trace.append("\(Double(loop.now.nanoseconds) / 1e9) \(text())")
    }

    private func stop() async {
        for index in accessories.indices { await stopAccessory(index) }
        for index in phones.indices { await stopPhone(index) }
        radio.close()
    }

    // MARK: The end

    /// Ends all faults.
    private func calmDown() async {
        note("calm")
        for (index, box) in phones.enumerated() {
            guard let phone = box.device else { continue }
            await phone.clearFaults()
            await phone.setBehavior(ProviderBehavior())
            await phone.setANCSPublished(true)
            for accessory in await phone.accessories {
                await phone.setConsent(true, for: accessory.id)
            }
            // Reveals the phone of every session.
            await post(index, count: 1)
        }
        for phone in phones.indices {
            for accessory in accessories.indices { setPath(RadioPath(), phone, accessory) }
        }
    }

    // MARK: Devices

    private func capture(_ name: String, _ start: UInt64) -> BtsnoopWriter? {
        guard let snoopDirectory else { return nil }
        let file = name.replacing(" ", with: "-").lowercased()
        return try? BtsnoopWriter(path: "\(snoopDirectory)/\(file)-\(start).btsnoop")
    }

    private func toolbox(_ port: VirtualPort, _ start: UInt64) -> OpenSSLToolbox {
        let number = UInt64(port.controller.index) << 32 | start
        return OpenSSLToolbox(simulatedFrom: plan.seed &* 0x9E37_79B9 ^ number)
    }

    func storeDirectory(_ name: String) -> String {
        "\(directory)/\(name.replacing(" ", with: "-"))"
    }

    func startPhone(_ index: Int) async {
        let box = phones[index]
        box.starts += 1
        var controller = HCIConfiguration(
            .virtual(box.port),
            store: BondStore(directory: storeDirectory(box.name), device: .phone),
            capture: capture(box.name, box.starts))
        controller.pairing.lostKeys = plan.refusesLostKeys[index] ? .refuse : .pairAgain
        controller.toolbox = toolbox(box.port, box.starts)
        let configuration = ProviderConfiguration(name: box.name, localTime: { Self.noon })
        guard let phone = try? NotificationProvider(configuration, at: .hci(controller)) else {
            return referee.violate("a phone does not start", box.name)
        }
        box.device = phone
        referee.phoneStarted(index)
        accessoryIndex[index] = [:]
        ownActions[index] = []
        await phone.start()
        for app in 0..<4 {
            let (identifier, name) = (Self.app(app, of: index), "App \(app)")
            try? await phone.install(identifier, displayName: name)
            referee.installed(identifier, name, at: index)
        }
        box.reader = Task(executorPreference: loop) { await self.read(phone, index) }
        await post(index, count: 2)
    }

    func startAccessory(_ index: Int) {
        let box = accessories[index]
        box.starts += 1
        var controller = HCIConfiguration(
            .virtual(box.port), store: BondStore(directory: storeDirectory(box.name)),
            capture: capture(box.name, box.starts))
        controller.toolbox = toolbox(box.port, box.starts)
        var configuration = ConsumerConfiguration(name: box.name)
        configuration.maximumProviders = plan.phones.count
        configuration.probing?.interval = .seconds(60)
        configuration.probing?.silence = Self.silence
        guard let accessory = try? NotificationConsumer(configuration, at: .hci(controller)),
            let address = try? controller.store?.load().identityAddress
        else { return referee.violate("an accessory does not start", box.name) }
        addresses[address.text] = index
        box.device = accessory
        box.reader = Task(executorPreference: loop) {
            await accessory.start()
            await self.read(accessory, index)
        }
    }

    /// Returns whether it was running; it may already be restarting.
    @discardableResult
    func stopPhone(_ index: Int) async -> Bool {
        let box = phones[index]
        guard let phone = exchange(&box.device, with: nil) else { return false }
        await phone.stop()
        await box.reader?.value
        return true
    }

    /// Returns whether it was running.
    @discardableResult
    func stopAccessory(_ index: Int) async -> Bool {
        let box = accessories[index]
        guard let accessory = exchange(&box.device, with: nil) else { return false }
        await accessory.stop()
        await box.reader?.value
        referee.accessoryStopped(index)
        return true
    }

    /// The present time of all phones.
    static var noon: NotificationDate {
        NotificationDate(year: 2026, month: 11, day: 21, hour: 12, minute: 0, second: 0)
            ?? .now
    }

    static func app(_ number: Int, of phone: Int) -> AppIdentifier {
        (try? AppIdentifier("org.example.phone\(phone).app\(number)")) ?? .phone
    }

    func setPath(_ path: RadioPath, _ phone: Int, _ accessory: Int) {
        let (one, other) = (phones[phone].port.controller, accessories[accessory].port.controller)
        radio.change { radio, now in radio.setPath(path, between: one, and: other, at: now) }
    }
}
