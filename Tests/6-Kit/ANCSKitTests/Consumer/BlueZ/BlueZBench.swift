import ANCS
import BlueZ
import BlueZTestKit
import DBus
import DBusTestKit
import LinuxIO
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver

/// A bus, the double of bluetoothd on it, and the loop of the consumers.
struct BlueZBench {
    static let phone = BlueZDouble.path("dev_1")

    let bus: TestBus
    let double: BlueZDouble
    let loop: EventLoop

    /// Runs a test at a double that runs, unless said otherwise.
    static func run(
        begins: Bool = true, _ body: (BlueZBench) async throws -> Void
    ) async throws {
        try await TestBus.with { bus in
            let loop = try EventLoop()
            defer { loop.shutdown() }
            let double = BlueZDouble(on: bus.loop) { try await bus.connect().connection }
            let bench = BlueZBench(bus: bus, double: double, loop: loop)
            if begins { try await bench.double.begin() }
            try await body(bench)
            await bench.double.end()
        }
    }

    /// A consumer at the double, that was not started.
    func consumer(
        ability: PairingAbility = .noInputNoOutput, window: PairingWindow = .untilPhoneIsBonded,
        bus address: String? = nil, machineID: String = "/etc/machine-id",
        textsOnBus: Bool = false, bonds: BondPolicy? = nil, state: String? = nil,
        _ change: (inout ConsumerConfiguration) -> Void = { _ in }
    ) throws -> NotificationConsumer {
        var configuration = ConsumerConfiguration(name: "desk lamp")
        change(&configuration)
        let place = BlueZConfiguration(
            adapter: .any, ability: ability, window: window,
            authentication: .standard(with: ability), allowsTextsOnBus: textsOnBus,
            bonds: bonds, state: state)
        return NotificationConsumer(
            configuration,
            try place.access(
                for: configuration, on: loop, bus: .address(address ?? bus.address),
                digests: PhoneDigests(machineIDPath: machineID)))
    }

    /// A consumer that is on air, and what it tells.
    func start(
        ability: PairingAbility = .noInputNoOutput,
        _ change: (inout ConsumerConfiguration) -> Void = { _ in }
    ) async throws -> Story {
        let story = Story(of: try consumer(ability: ability, change))
        await story.consumer.start()
        try await story.until("on air")
        return story
    }

    /// A consumer with a session with a phone that has a bond.
    func serve(
        _ change: (inout ConsumerConfiguration) -> Void = { _ in }
    ) async throws -> Story {
        try await double.addPairedPhone()
        let story = try await start(change)
        await double.connect(Self.phone)
        try await story.until("1 session")
        return story
    }

    /// Posts a message on the phone.
    func post(_ title: String, message: String = "") async throws {
        try await double.post([try .message(title, message)], on: Self.phone)
    }

    /// The unique name of the only consumer on the bus.
    var consumerName: String {
        get async throws { try #require(await double.clients.keys.first) }
    }

    /// Waits until a condition of the double is met.
    func wait(until condition: @Sendable (isolated BlueZDouble) -> Bool) async {
        while await !double.run(condition) { await Task.yield() }
    }

    /// Waits until the double was called.
    func wait(for call: String, count: Int = 1) async {
        await wait { $0.count(of: call) >= count }
    }
}

/// What a consumer tells, as far as the test has read it. In every test, a phone connects once under one
/// name, and nothing is told of it before or after.
final class Story {
    let consumer: NotificationConsumer
    private(set) var events: [ConsumerEvent] = []
    private var connected: Set<Substring> = []

    init(of consumer: NotificationConsumer) { self.consumer = consumer }

    var lines: [String] { events.map(\.line) }

    /// Forgets what was read.
    func forget() { events = [] }

    private func note(_ event: ConsumerEvent) {
        events.append(event)
        let words = event.line.split(separator: " ")
        guard let phone = words.first, UInt64(phone) != nil else { return }
        switch words.dropFirst().first {
        case "connected": #expect(connected.insert(phone).inserted, "\(lines)")
        case "disconnected": #expect(connected.remove(phone) != nil, "\(lines)")
        case _: #expect(connected.contains(phone), "\(lines)")
        }
    }

    /// Reads on until this is told, and returns it.
    @discardableResult
    func until(_ line: String) async throws -> ConsumerEvent {
        try await until { $0.line == line }
    }

    /// Reads on until such an event is told, and returns it.
    @discardableResult
    func until(_ isIt: (ConsumerEvent) -> Bool) async throws -> ConsumerEvent {
        while let event = try await consumer.events.next() {
            note(event)
            if isIt(event) { return event }
        }
        Issue.record("the events are over, and only these came: \(lines)")
        throw CancellationError()
    }

    /// Reads on until a notification is told that was added.
    func notification() async throws -> ReceivedNotification {
        let event = try await until { event in
            guard case .notification(let notification) = event else { return false }
            return notification.event == .added
        }
        guard case .notification(let notification) = event else {
            preconditionFailure("it was asked for")
        }
        return notification
    }

    /// Reads on until the user is warned.
    func warning(_ topic: DeviceWarning.Topic) async throws -> String {
        let event = try await until { event in
            guard case .device(.warning(let warning)) = event else { return false }
            return warning.topic == topic
        }
        guard case .device(.warning(let warning)) = event else {
            preconditionFailure("it was asked for")
        }
        return warning.message
    }

    /// Reads everything up to the end, and returns why it ended, if not by `stop()`.
    func end() async -> DeviceError? {
        do throws(DeviceError) {
            while let event = try await consumer.events.next() { note(event) }
            return nil
        } catch { return error }
    }
}

extension ProviderNotification {
    /// A message of the app that everybody has.
    static func message(_ title: String, _ message: String = "") throws -> ProviderNotification {
        ProviderNotification(
            appIdentifier: try DoublePhone.app, categoryID: .social,
            title: title, message: message)
    }
}
