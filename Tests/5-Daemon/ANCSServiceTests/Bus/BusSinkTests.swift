import AMS
import ANCS
import ANCSKit
import DBus
import DBusTestKit
import Foundation
import JSONText
import LinuxIO
import Synchronization
import Testing

@testable import ANCSService

@Suite("The daemon on a bus")
struct BusSinkTests {
    private static let canary = "canary-4711"
    private static let phone = PhoneStatus(
        phone: PhoneName(digest: "0123456789abcdef", name: "iPhone of \(canary)"),
        state: .subscribed, isPaired: true,
        counts: ["social": 2])

    /// Something on a bus of its own that answers like the daemon; a client of it; and the signals that anybody gets.
    private struct Bench: Sendable {
        let sink: BusSink
        let daemon: PretendedDaemon
        let client: TestPeer
        let signals: Box<[BusSignal]>
        let loop: EventLoop

        /// On the loop.
        func run<Value: Sendable>(_ body: @escaping @Sendable (Bench) -> Value) async -> Value {
            await withCheckedContinuation { continuation in
                loop.execute { continuation.resume(returning: body(self)) }
            }
        }

        func report(_ event: ServiceEvent) async {
            await run { bench in
                bench.daemon.take(event)
                bench.sink.receive(event)
            }
            // What was sent before this answer has arrived.
            _ = await call(BusNames.manager, "Mutes")
            await client.bus("GetId")
        }

        func call(
            _ interface: String, _ member: String, _ arguments: [BusValue] = [],
            at path: ObjectPath = BusNames.root
        ) async -> Result<[BusValue], BusError> {
            await client.call(BusCall(BusNames.service, path, interface, member, arguments))
        }
    }

    private static func with(_ body: (Bench) async throws -> Void) async throws {
        try await TestBus.with { bus in
            let client = try await bus.connect()
            let signals = Box<[BusSignal]>([])
            let daemon = PretendedDaemon(loop: bus.loop)
            let sink = BusSink(at: .address(bus.address), version: "1.2.3", control: daemon)
            await client.run { connection in
                _ = connection.signals(BusMatch(sender: BusNames.service)) {
                    signals.value.append($0)
                }
                sink.open()
            }
            let bench = Bench(
                sink: sink, daemon: daemon, client: client, signals: signals, loop: bus.loop)
            while await !bench.run({ $0.sink.status.isWorking }) { await Task.yield() }
            try await body(bench)
            await bench.run { $0.sink.close {} }
        }
    }

    private static var record: Record {
        SampleRecord.make(
            flags: [.negativeAction],
            attributes: SampleRecord.attributes(title: canary, message: "text of \(canary)"),
            utcOffset: UTCOffset(minutes: 345))
    }

    private static let path = ObjectPath(record.id)

    @Test("each phone and each notification has an object as long as it exists")
    func objects() async throws {
        try await Self.with { bench in
            await bench.report(.phone(Self.phone))
            await bench.report(.added(Self.record))
            let objects = try await bench.call(
                "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"
            ).get()
            let paths = objects.first?.dictionary?.keys.compactMap(\.objectPath?.text).sorted()
            #expect(paths == [Self.path.text, ObjectPath(phone: Self.phone.phone.digest).text])
            await bench.report(.removed(Self.record, .removed))
            await bench.report(.forgotten(Self.phone.phone))
            let rest = try await bench.call(
                "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"
            ).get()
            #expect(rest.first?.dictionary?.isEmpty == true)
            #expect(
                bench.signals.value.map(\.member)
                    == [
                        "InterfacesAdded", "InterfacesAdded", "Notification", "Notification",
                        "InterfacesRemoved", "InterfacesRemoved",
                    ])
        }
    }

    @Test("signals contain no text; reading a property does")
    func privacy() async throws {
        try await Self.with { bench in
            await bench.report(.phone(Self.phone))
            var record = Self.record
            record.code = Self.canary
            await bench.report(.announced(record))
            await bench.report(.added(record))
            await bench.report(.modified(record))
            await bench.report(.pairing(record.phone, .compare("998877")))
            await bench.report(.state(ServiceState(.onAir, "on air")))
            await bench.report(.removed(record, .removed))
            #expect(bench.signals.value.count >= 8)
            for signal in bench.signals.value {
                let text = "\(signal)"
                #expect(!text.contains(Self.canary))
                #expect(!text.contains("MobileSMS"))
                #expect(!text.contains("998877"))
            }
            await bench.report(.added(record))
            let content = try await bench.call(
                BusNames.notification, "Content", at: Self.path
            ).get()
            #expect(content.first?.properties?["Title"]?.string == Self.canary)
            #expect(
                content.first?.properties?["Date"]?.string == "2026-11-22T12:00:00+05:45")
            #expect(content.first?.properties?["Code"]?.string == Self.canary)
            let line = try await bench.call(
                BusNames.notification, "JSON", [.string("added")], at: Self.path
            ).get()
            #expect(line.first?.string == record.json(event: .added).text)
        }
    }

    @Test("what a phone plays is read, and in no signal; so is its battery")
    func player() async throws {
        try await Self.with { bench in
            var phone = Self.phone
            await bench.report(.phone(phone))
            var state = MediaState()
            state.title = MediaState.Text(Array(Self.canary.utf8))
            state.playerName = MediaState.Text(Array("Music".utf8))
            state.playback = PlaybackInfo(.playing, rate: 1000, elapsed: .zero)
            phone.player = state
            await bench.report(.phone(phone))
            #expect(bench.signals.value.count == 2)
            for signal in bench.signals.value { #expect(!"\(signal)".contains(Self.canary)) }
            let path = ObjectPath(phone: phone.phone.digest)
            let values = try await bench.call(
                "org.freedesktop.DBus.Properties", "GetAll", [.string(BusNames.phone)], at: path
            ).get().first?.properties
            #expect(
                values?["Player"]?.properties == [
                    "State": .string("playing"), "App": .string("Music"),
                    "Title": .string(Self.canary),
                ])
            let read = PhoneStatus(values ?? [:]).player
            #expect(read?.title == state.title && read?.word == "playing" && read?.app == "Music")
            let level = try await bench.call(BusNames.phone, "Battery", at: path).get()
            #expect(level == [.byte(80)])
        }
    }

    @Test("a step of pairing is a signal without text; its text is read, from a number on")
    func steps() async throws {
        try await Self.with { bench in
            let setting = PairingSetting(
                name: "Desk", place: "bluetoothd", again: "again", acceptance: "accept")
            let phone = Self.phone.phone
            await bench.report(.pairingStep(PairingStep(.onAir, at: setting), 4))
            await bench.report(
                .pairingStep(PairingStep(.ended(.receiving), of: phone, at: setting), 5))
            #expect(
                bench.signals.value.map(\.arguments)
                    == [[.uint32(4), .string("onAir")], [.uint32(5), .string("ended")]])
            let all = try await bench.call(
                BusNames.manager, "PairingSteps", [.uint32(0)]
            ).get()
            #expect(all.first?.strings?.count == 2)
            let rest = try await bench.call(
                BusNames.manager, "PairingSteps", [.uint32(4)]
            ).get()
            let line = try #require(rest.first?.strings?.first)
            #expect(rest.first?.strings?.count == 1 && line.contains(Self.canary))
        }
    }

    @Test("an action is performed on the phone, and a refusal returned with its error name")
    func actions() async throws {
        try await Self.with { bench in
            await bench.report(.added(Self.record))
            let done = await bench.call(
                BusNames.notification, "Perform", [.string("negative")], at: Self.path)
            #expect(throws: Never.self) { try done.get() }
            #expect(await bench.run { $0.daemon.performed } == ["negative \(Self.record.id)"])
            let refused = await bench.call(
                BusNames.manager, "Perform", [.string("zzz"), .string("positive")])
            #expect(refused.errorName == "org.swift_ancs.Error.Refused")
            let cleared = await bench.call(
                BusNames.manager, "Perform",
                [.string(Self.record.id.description), .string("clear")])
            #expect(throws: Never.self) { try cleared.get() }
            #expect(await bench.run { $0.daemon.performed.count } == 3)
            let gone = await bench.call(
                BusNames.manager, "Perform", [.string("zzz"), .string("clear")])
            #expect(gone.errorName == "org.swift_ancs.Error.UnknownRecord")
            let misspelt = await bench.call(
                BusNames.notification, "Perform", [.string("both")], at: Self.path)
            #expect(misspelt.errorName == "org.swift_ancs.Error.InvalidArguments")
        }
    }

    @Test("invalid calls are refused with the reason")
    func refused() async throws {
        try await Self.with { bench in
            let wrongType = await bench.call(BusNames.manager, "Mute", [.uint32(1), .string("1h")])
            #expect(wrongType.errorName == BusError.invalidArguments)
            let wrongTerm = await bench.call(
                BusNames.manager, "Mute", [.string("a"), .string("soon")])
            #expect(wrongTerm.errorName == "org.swift_ancs.Error.InvalidArguments")
            let muted = await bench.call(
                BusNames.manager, "Mute", [.string("com.example.chat"), .string("1h")])
            let identifiers = try muted.get()
            #expect(identifiers == [.string("com.example.chat")])
            let unknown = await bench.call(BusNames.manager, "Explode")
            #expect(unknown.errorName == BusError.unknownMethod)
            let noObject = await bench.call(
                BusNames.notification, "Content", at: "/org/swift_ancs/ANCS1/notification_x")
            #expect(noObject.errorName == BusError.unknownObject)
            let set = await bench.call(
                "org.freedesktop.DBus.Properties", "Set",
                [.string(BusNames.manager), .string("Name"), .variant(.string("x"))])
            #expect(set.errorName == "org.freedesktop.DBus.Error.PropertyReadOnly")
        }
    }

    @Test("a second daemon reports that one is running")
    func taken() async throws {
        try await TestBus.with { bus in
            let (first, second) = (
                PretendedDaemon(loop: bus.loop), PretendedDaemon(loop: bus.loop)
            )
            let sinks = [first, second].map {
                BusSink(at: .address(bus.address), version: "1", control: $0)
            }
            bus.loop.execute { for sink in sinks { sink.open() } }
            while second.messages.value.isEmpty && first.messages.value.count < 2 {
                await Task.yield()
            }
            let said = (first.messages.value + second.messages.value).joined(separator: "\n")
            #expect(said.contains("another 'ancs serve' is on this bus;"))
            bus.loop.execute { for sink in sinks { sink.close {} } }
        }
    }

    @Test("a bus that ends is reported once, and connected to again")
    func busGoes() async throws {
        try await TestBus.with { bus in
            let daemon = PretendedDaemon(loop: bus.loop)
            let sink = BusSink(at: .address(bus.address), version: "1", control: daemon)
            bus.loop.execute { sink.open() }
            while daemon.messages.value.isEmpty { await Task.yield() }
            bus.kill()
            while daemon.messages.value.count < 2 { await Task.yield() }
            #expect(daemon.messages.value[1].hasPrefix("no commands over D-Bus: "))
            bus.loop.execute { sink.close {} }
        }
    }

    // MARK: The description

    private static var description: String {
        let interfaces =
            BusInterface.manager.introspection + BusInterface.phone.introspection
            + BusInterface.notification.introspection
        return "<!DOCTYPE node PUBLIC \"-//freedesktop//DTD D-BUS Object Introspection 1.0//EN\"\n"
            + " \"http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd\">\n<node>\n"
            + interfaces + "</node>\n"
    }

    @Test("the description in the documentation is the objects' introspection data")
    func documented() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../..")
        let file = try String(
            contentsOf: root.appending(path: "Documentation/Schemas/org.swift_ancs.xml"),
            encoding: .utf8)
        #expect(file == Self.description, "put this into the file:\n\(Self.description)")
        try await Self.with { bench in
            let said = try await bench.call(
                "org.freedesktop.DBus.Introspectable", "Introspect"
            ).get()
            #expect(said.first?.string?.contains(BusInterface.manager.introspection) == true)
        }
    }

    @Test("every property has its documented type")
    func types() {
        let daemon = PretendedDaemon(loop: nil)
        let record = BusNotification(record: Self.record, control: daemon)
        for property in BusInterface.notification.properties {
            #expect(property.value(record).signature == property.type, "\(property.name)")
        }
        let phone = BusPhone(status: Self.phone, control: daemon)
        for property in BusInterface.phone.properties {
            #expect(property.value(phone).signature == property.type, "\(property.name)")
        }
        let manager = BusManager(control: daemon, version: "1")
        for property in BusInterface.manager.properties {
            #expect(property.value(manager).signature == property.type, "\(property.name)")
        }
    }
}

extension Result where Failure == BusError {
    fileprivate var errorName: String? {
        if case .failure(let error) = self { error.name } else { nil }
    }
}

/// Answers like the daemon. On its loop only, but for what it said.
private final class PretendedDaemon: ServiceManagement, @unchecked Sendable {
    // Unchecked: on the loop's thread only.

    private let ownLoop: EventLoop?
    let messages = Box<[String]>([])
    private(set) var records: [Record] = []
    private(set) var phones: [PhoneStatus] = []
    let calls: [(record: Record, isActive: Bool)] = []
    private(set) var performed: [String] = []
    private var steps: [(Int, String)] = []

    init(loop: EventLoop?) { ownLoop = loop }

    var loop: EventLoop {
        guard let ownLoop else { fatalError("a daemon without a loop was asked for it") }
        return ownLoop
    }

    func take(_ event: ServiceEvent) {
        switch event {
        case .phone(let status): phones = [status]
        case .announced(let record), .added(let record), .modified(let record):
            records = [record]
        case .removed: records = []
        case .call: break
        case .forgotten: phones = []
        case .pairingStep(let step, let number):
            steps.append((number, step.json(number: number, time: "").text))
        case .pairing, .pairingWindow, .state: break
        }
    }

    func perform(
        _ action: ActionID, on id: RecordID,
        reply: @escaping @Sendable (Result<Void, ServiceError>) -> Void
    ) {
        performed.append("\(action) \(id)")
        reply(action == .negative ? .success(()) : .failure(ServiceError(.refused, "no")))
    }

    func log(_ message: String) { messages.value.append(message) }

    var status: ServiceStatus {
        ServiceStatus(
            name: "Desk", state: ServiceState(.onAir, "on air"), isPairingWindowOpen: false,
            sinks: [])
    }
    var mutes: [Mute] { [] }
    var apps: [SeenApp] { [] }
    var questions: [String: PairingQuestion] { [:] }
    func pairingSteps(after number: Int) -> [String] { steps.filter { $0.0 > number }.map { $0.1 } }
    func openPairingWindow(for duration: Duration) throws(ServiceError) {}
    func closePairingWindow() {}
    func battery(of digest: String, reply: @escaping @Sendable (Int?) -> Void) { reply(80) }
    func send(
        _ command: RemoteCommandID, to digest: String,
        reply: @escaping @Sendable (Result<Void, ServiceError>) -> Void
    ) { reply(.success(())) }
    func answerPairing(
        of digest: String, _ answer: PairingAnswer, about digits: String?
    ) throws(ServiceError) {}
    func forget(
        _ digest: String, reply: @escaping @Sendable (Result<Void, ServiceError>) -> Void
    ) { reply(.success(())) }
    func mute(_ app: String, _ term: MuteTerm) throws(ServiceError) -> String { app }
    func reload(_ reply: @escaping @Sendable (Result<Void, ServiceError>) -> Void) {
        reply(.success(()))
    }
}
