import ANCS
import ANCSKit
import ANCSMedia
import ANCSTestKit
import LinuxIO
import Testing

@testable import ANCSService

@Suite("The daemon with a phone")
struct NotificationServiceTests {
    /// Keeps what it was told.
    private final class Notebook: Sink {
        let name = "notebook"
        let status = SinkStatus(isWorking: true, message: "")
        private let told = Lock<[ServiceEvent]>([])
        private let closesAtOnce: Bool

        init(closesAtOnce: Bool = true) { self.closesAtOnce = closesAtOnce }

        var events: [ServiceEvent] { told.withLock { $0 } }
        func open() {}
        func receive(_ event: ServiceEvent) { told.withLock { $0.append(event) } }
        func reconfigure(_ configuration: ServiceConfiguration) {}
        func close(_ done: @escaping @Sendable () -> Void) { if closesAtOnce { done() } }

        /// What happened to records, a line each.
        var lines: [String] {
            events.compactMap { event in
                event.record.map { record, kind in
                    let title = record.notification.title
                    return "\(kind) " + (record.verdict.isMuted ? "muted \(title)" : title)
                }
            }
        }

        /// The states of the phone and of the daemon, in order.
        var states: [String] {
            events.compactMap { event in
                switch event {
                case .phone(let status): status.state.rawValue
                case .state(let state): state.phase.rawValue
                default: nil
                }
            }
        }

        /// What the phone plays, whenever its state is told, after it has played something.
        var players: [String] {
            let told = events.map { event -> MediaState? in
                if case .phone(let status) = event { status.player } else { nil }
            }
            return told.drop { $0 == nil }.map { $0?.title?.string ?? "–" }
        }

        var digest: String? {
            events.compactMap {
                if case .phone(let status) = $0 { status.phone.digest } else { nil }
            }
            .last
        }

        var question: PairingQuestion? {
            events.compactMap { event -> PairingQuestion? in
                if case .pairing(_, let question) = event { question } else { nil }
            }.last
        }
    }

    /// What becomes of the makers of a consumer before the first one is made.
    private final class Obstacles: Sendable {
        private let rest: Lock<[DeviceError]>
        init(_ errors: [DeviceError]) { rest = Lock(errors) }
        func next() -> DeviceError? { rest.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    }

    private static let quick = "com.example.chat"

    private static func post(
        _ title: String, app: String = quick, _ category: CategoryID = .social,
        on phone: NotificationProvider
    ) async throws -> NotificationID {
        let app = try AppIdentifier(app)
        try await phone.install(app, displayName: "The app")
        return try await phone.post(
            ProviderNotification(
                appIdentifier: app, categoryID: category, title: title, message: "text of \(title)")
        )
    }

    /// Runs a daemon with a configuration on a bench.
    private static func serve(
        _ text: String = "", on bench: isolated TestBench, at bluetooth: Bluetooth? = nil,
        obstacles: [DeviceError] = [], _ notebook: Notebook = Notebook(),
        _ body: (NotificationService, Notebook) async throws -> Void
    ) async throws {
        let configuration = try ServiceConfiguration(
            reading: Array(text.utf8), path: "test.toml")
        let place = bluetooth ?? bench.bluetooth()
        let (obstacles, loop) = (Obstacles(obstacles), bench.loop)
        let service = NotificationService(
            configuration, on: loop,
            .init(
                makeConsumer: { configuration, selection throws(DeviceError) in
                    if let obstacle = obstacles.next() { throw obstacle }
                    var consumer = ConsumerConfiguration(name: configuration.bluetooth.name)
                    consumer.selection = selection
                    if configuration.asksForMedia { consumer.media = .init() }
                    return try NotificationConsumer(consumer, at: place)
                },
                readConfiguration: { configuration }, log: { _ in }))
        // On the loop, so that virtual time waits for it.
        let run = Task(executorPreference: loop) { try await service.run { _ in [notebook] } }
        do { try await body(service, notebook) } catch {
            await service.stop()
            throw error
        }
        await service.stop()
        try await run.value
    }

    /// What the accessory asked for of the phone's notifications.
    private static func asked(_ bench: isolated TestBench) -> Set<NotificationAttributeID> {
        var ids: Set<NotificationAttributeID> = []
        for event in bench.events {
            guard case .session(_, .command(let command))? = event.event as? ProviderEvent,
                case .decoded(.getNotificationAttributes(let get)) = command
            else { continue }
            ids.formUnion(get.attributes.map(\.id))
        }
        return ids
    }

    @Test("a notification is reported with its texts, and its removal too")
    func told() async throws {
        try await TestBench.run { bench in
            try await Self.serve(on: bench) { _, notebook in
                let id = try await Self.post("Ada", on: bench.phone)
                try await bench.wait("it is told") { notebook.lines.contains("added Ada") }
                try await bench.phone.remove(id)
                try await bench.wait("its end is told") { notebook.lines.contains("removed Ada") }
            }
        }
    }

    @Test("what a phone plays is in its state, and takes commands", arguments: [true, false])
    func player(isWanted: Bool) async throws {
        let text = isWanted ? "[media]\nmpris = true\n" : ""
        try await TestBench.run { bench in
            var player = MediaPlayer(name: "Music")
            player.queue = [MediaPlayer.Track(title: "Clair de lune")]
            await bench.phone.setMediaService(MediaService())
            await bench.phone.setPlayer(player)
            try await Self.serve(text, on: bench) { service, notebook in
                _ = try await Self.post("Ada", on: bench.phone)
                try await bench.wait("it is told") { notebook.lines.contains("added Ada") }
                guard isWanted else {
                    try await bench.sleep(for: .seconds(60))
                    return #expect(notebook.players.isEmpty)
                }
                try await bench.wait("it is shown") { notebook.players.last == "Clair de lune" }
                let digest = try #require(notebook.digest)
                let result = await withCheckedContinuation { continuation in
                    bench.loop.execute {
                        service.send(.play, to: digest) { continuation.resume(returning: $0) }
                    }
                }
                try result.get()
                await bench.phone.setPlayer(nil)
                try await bench.wait("it is gone") { notebook.players.last == "–" }
                await bench.phone.setPlayer(player)
                try await bench.wait("it is shown") { notebook.players.last == "Clair de lune" }
                // Nobody asks for it any more.
                await service.reconfigure(ServiceConfiguration())
                try await bench.wait("it is gone") { notebook.players.last == "–" }
            }
        }
    }

    @Test(
        "with another configuration of Bluetooth, what the phone announces again stays, and takes actions"
    )
    func reconfigured() async throws {
        try await TestBench.run { bench in
            let place = bench.bluetooth(store: BondStore(directory: try bench.directory))
            try await Self.serve(on: bench, at: place) { service, notebook in
                let app = try AppIdentifier(Self.quick)
                _ = try await bench.phone.post(
                    ProviderNotification(
                        appIdentifier: app, categoryID: .social, title: "Ada", message: "x",
                        negativeActionLabel: "Clear"))
                try await bench.wait("it is told") { notebook.lines.contains("added Ada") }
                var other = ServiceConfiguration()
                other.bluetooth.name = "Chair"
                await service.reconfigure(other)
                try await bench.wait("it is announced again") {
                    notebook.lines.filter { $0 == "added Ada" }.count == 2
                }
                try await bench.sleep(for: .seconds(90))
                let record = try #require(service.records.first)
                #expect(record.notification.session.number == 2)
                let result = await withCheckedContinuation { continuation in
                    bench.loop.execute {
                        service.perform(.negative, on: record.id) {
                            continuation.resume(returning: $0)
                        }
                    }
                }
                try result.get()
            }
        }
    }

    @Test("the text of a muted app is not fetched, that of another is")
    func mutedApp() async throws {
        let rules = """
            [[rule]]
            name = "no chat"
            match = { app = ["com.example.chat"] }
            do = ["mute"]
            """
        try await TestBench.run { bench in
            try await Self.serve(rules, on: bench) { _, notebook in
                _ = try await Self.post("Secret", on: bench.phone)
                try await bench.wait("it is told") { notebook.lines == ["added muted "] }
                #expect(Self.asked(bench) == [.appIdentifier])
                _ = try await Self.post("Open", app: "com.example.mail", on: bench.phone)
                try await bench.wait("it is told") { notebook.lines.contains("added Open") }
            }
        }
    }

    @Test("a notification that a rule mutes by its header alone is not fetched at all")
    func mutedCategory() async throws {
        let rules = """
            [[rule]]
            name = "no mail"
            match = { category = ["email"] }
            do = ["mute"]
            """
        try await TestBench.run { bench in
            try await Self.serve(rules, on: bench) { _, notebook in
                _ = try await Self.post("Secret", .email, on: bench.phone)
                try await bench.wait("it is told") { notebook.lines == ["added muted "] }
                #expect(Self.asked(bench).isEmpty)
            }
        }
    }

    @Test("an app that the user mutes is muted from then on, until its time is over")
    func mutedByHand() async throws {
        try await TestBench.run { bench in
            try await Self.serve(on: bench) { service, notebook in
                _ = try await Self.post("One", on: bench.phone)
                try await bench.wait("it is told") { notebook.lines == ["added One"] }
                #expect(service.apps.map(\.identifier) == [Self.quick])
                // By its name, as a person reads it.
                #expect(throws: ServiceError.self) { try service.mute("Messages", .always) }
                #expect(service.mutes == [])
                #expect(try service.mute("the APP", .always) == Self.quick)
                _ = try await Self.post("Two", on: bench.phone)
                try await bench.wait("it is told") { notebook.lines.last == "added muted " }
                #expect(try service.mute("The App", .off) == Self.quick)
                _ = try await Self.post("Three", on: bench.phone)
                try await bench.wait("it is told") { notebook.lines.last == "added Three" }
            }
        }
    }

    @Test("what a phone sent before it was forgotten does not count when it pairs again")
    func forgottenBurst() async throws {
        let rules = """
            [[rule]]
            name = "enough"
            match = { burst = "2/1h" }
            do = ["mute"]
            """
        try await TestBench.run { bench in
            try await Self.serve(rules, on: bench) { service, notebook in
                _ = try await Self.post("One", on: bench.phone)
                try await bench.wait("it is told") { notebook.lines == ["added One"] }
                let digest = try #require(notebook.digest)
                let result = await withCheckedContinuation { continuation in
                    service.forget(digest) { continuation.resume(returning: $0) }
                }
                try result.get()
                for accessory in await bench.phone.accessories {
                    await bench.phone.forget(accessory.id)
                }
                try await bench.wait("it is told again") {
                    notebook.lines.count { $0 == "added One" } == 2
                }
                // What was there before is not counted either.
                _ = try await Self.post("Two", on: bench.phone)
                try await bench.wait("it is told") { notebook.lines.last == "added Two" }
                _ = try await Self.post("Three", on: bench.phone)
                try await bench.wait("it is told") { notebook.lines.last == "added muted " }
            }
        }
    }

    @Test("a call is reported before its text, and can be declined")
    func call() async throws {
        try await TestBench.run { bench in
            try await Self.serve(on: bench) { service, notebook in
                _ = try await bench.phone.ring(IncomingCall(caller: "Ada"))
                try await bench.wait("it is told") { notebook.lines.contains("added Ada") }
                #expect(notebook.lines == ["announced ", "added Ada"])
                let id = try #require(service.records.first?.id)
                let result = Lock<Result<Void, ServiceError>?>(nil)
                service.perform(.negative, on: id) { answer in result.withLock { $0 = answer } }
                try await bench.wait("it is answered") { result.withLock { $0 != nil } }
                #expect(throws: Never.self) { try result.withLock { $0 }?.get() }
                try await bench.wait("it is declined") { await bench.phone.ringingCalls.isEmpty }
                try await bench.wait("its end is told") { notebook.lines.contains("removed Ada") }
            }
        }
    }

    @Test(
        "a call rings before its text although an app is muted, by a rule or by hand",
        arguments: [true, false])
    func callBelowApps(isByHand: Bool) async throws {
        let rule = """
            [[rule]]
            name = "no games"
            match = { app = "com.example.game" }
            do = ["mute"]

            [[rule]]
            name = "lights"
            match = { category = "incomingCall" }
            do = [{ run = ["true"] }]
            """
        try await TestBench.run { bench in
            try await Self.serve(isByHand ? "" : rule, on: bench) { service, notebook in
                if isByHand { _ = try service.mute("com.example.game", .always) }
                _ = try await bench.phone.ring(IncomingCall(caller: "Ada"))
                try await bench.wait("it is told") { notebook.lines.contains("added Ada") }
                #expect(notebook.lines == ["announced ", "added Ada"])
                let announced = notebook.events.compactMap(\.record).first?.0
                #expect(announced?.verdict.rule == (isByHand ? nil : "lights"))
                // One of the muted app makes no sound at all.
                _ = try await Self.post(
                    "Foe", app: "com.example.game", .incomingCall, on: bench.phone)
                try await bench.wait("it is told") { notebook.lines.count > 2 }
                #expect(notebook.lines.dropFirst(2) == ["added muted "])
            }
        }
    }

    @Test("a missing adapter is waited for")
    func waits() async throws {
        let missing = DeviceError.transport(IOError(.notFound, "no such adapter"))
        try await TestBench.run { bench in
            try await Self.serve(on: bench, obstacles: [missing, missing]) { _, notebook in
                _ = try await Self.post("Ada", on: bench.phone)
                try await bench.wait("it is told") { notebook.lines.contains("added Ada") }
                #expect(notebook.states.starts(with: ["waitingForAdapter", "waitingForAdapter"]))
            }
        }
    }

    @Test("an adapter without permission is not waited for")
    func permission() async throws {
        let denied = DeviceError.transport(IOError(.permissionDenied, "not allowed"))
        try await TestBench.run { bench in
            var failure: (any Error)?
            do {
                try await Self.serve(on: bench, obstacles: [denied]) { _, _ in
                    try await bench.sleep(for: .seconds(10))
                }
            } catch { failure = error }
            #expect(failure as? NotificationService.Failure == .permission(denied))
        }
    }

    @Test("a sink that does not end does not keep the daemon running")
    func stubbornSink() async throws {
        try await TestBench.run { bench in
            let start = bench.now
            try await Self.serve(on: bench, Notebook(closesAtOnce: false)) { _, notebook in
                _ = try await Self.post("Ada", on: bench.phone)
                try await bench.wait("it is told") { notebook.lines.contains("added Ada") }
            }
            #expect(bench.now - start < .seconds(60))
        }
    }

    @Test("a stranger pairs only while the user allows it, and after the user's answer")
    func pairing() async throws {
        try await TestBench.run { bench in
            let place = bench.bluetooth(
                pairing: PairingOptions(ability: .keyboardDisplay, window: .closed))
            try await Self.serve(on: bench, at: place) { service, notebook in
                _ = try await Self.post("Ada", on: bench.phone)
                try await bench.wait("it is refused") {
                    bench.events.contains { line in
                        if case .peer(_, .pairingRefused)? = line.event as? ConsumerEvent {
                            true
                        } else {
                            false
                        }
                    }
                }
                // It is none of the owner's phones.
                let isListed = notebook.events.contains { event in
                    if case .phone = event { true } else { false }
                }
                #expect(!isListed)
                try service.openPairingWindow(for: .seconds(120))
                try await bench.wait("it is asked") { notebook.question != nil }
                #expect(notebook.lines.isEmpty)
                try await bench.wait("the phone asks too") { Self.comparison(bench) != nil }
                Self.comparison(bench)?.confirm()
                let digest = try #require(service.questions.keys.first)
                try service.answerPairing(of: digest, .yes, about: nil)
                try await bench.wait("it is told") { notebook.lines.contains("added Ada") }
                #expect(service.questions.isEmpty)
            }
        }
    }

    /// What the phone asks its user, who is to compare digits.
    private static func comparison(_ bench: TestBench) -> NumericComparison? {
        bench.events.lazy.compactMap { event in
            if case .peer(_, .pairing(.compare(let comparison)))? = event.event as? ProviderEvent {
                comparison
            } else {
                nil
            }
        }.first
    }
}
