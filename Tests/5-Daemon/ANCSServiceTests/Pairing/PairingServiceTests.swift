import ANCS
import ANCSTestKit
import JSONText
import LinuxIO
import EventLines
import Testing

@testable import ANCSEvents
@testable import ANCSKit
@testable import ANCSReceiver
@testable import ANCSService

@Suite("The daemon's dialogue of pairing")
struct PairingServiceTests {
    /// Keeps the steps, and the numbers that they came with.
    private final class Steps: Sink {
        let name = "steps"
        let status = SinkStatus(isWorking: true, message: "")
        private let kept = Lock<[(step: PairingStep, number: Int)]>([])
        private let asked = Lock<[String]>([])

        var words: [String] { kept.withLock { $0.map(\.step.word) } }
        var numbers: [Int] { kept.withLock { $0.map(\.number) } }
        var last: PairingStep? { kept.withLock { $0.last?.step } }
        /// The digests of the phones that ask.
        var questions: [String] { asked.withLock { $0 } }

        func open() {}
        func receive(_ event: ServiceEvent) {
            switch event {
            case .pairingStep(let step, let number):
                kept.withLock { $0.append((step, number)) }
            case .pairing(let phone, _?): asked.withLock { $0.append(phone.digest) }
            default: break
            }
        }
        func reconfigure(_ configuration: ServiceConfiguration) {}
        func close(_ done: @escaping @Sendable () -> Void) { done() }
    }

    /// Runs a daemon that is on air, and that a phone can pair with only while pairing is open.
    private static func serve(
        on bench: isolated TestBench, ability: PairingAbility = .noInputNoOutput,
        log: @escaping @Sendable (String) -> Void = { _ in },
        _ body: (NotificationService, Steps) async throws -> Void
    ) async throws {
        var configuration = ServiceConfiguration()
        configuration.bluetooth.name = "Desk"
        configuration.bluetooth.adapter = "virtual"
        let place = bench.bluetooth(pairing: PairingOptions(ability: ability, window: .closed))
        let (loop, steps, settings) = (bench.loop, Steps(), configuration)
        let service = NotificationService(
            settings, on: loop,
            .init(
                makeConsumer: { configuration, selection throws(DeviceError) in
                    var consumer = ConsumerConfiguration(name: configuration.bluetooth.name)
                    consumer.selection = selection
                    return try NotificationConsumer(consumer, at: place)
                },
                readConfiguration: { settings }, obstacles: { ["\($0) is in the way"] }, log: log))
        let run = Task(executorPreference: loop) { try await service.run { _ in [steps] } }
        do {
            try await bench.wait("it is on air") {
                service.status.state.phase == .onAir
            }
            try await body(service, steps)
        } catch {
            await service.stop()
            throw error
        }
        await service.stop()
        try await run.value
    }

    /// A phone of its own, so that a test decides what it is like.
    private static func phone(
        on bench: isolated TestBench, consent: Bool = true
    ) async throws -> NotificationProvider {
        var configuration = ProviderConfiguration()
        configuration.name = "Ada's iPhone"
        configuration.grantsConsent = consent
        let phone = try NotificationProvider(configuration, at: bench.bluetooth())
        await phone.start()
        return phone
    }

    @Test("a phone that pairs is received from, and pairing is closed again")
    func receiving() async throws {
        try await TestBench.run { bench in
            try await Self.serve(on: bench) { service, steps in
                try service.openPairingWindow(for: .seconds(120))
                #expect(steps.words == ["opened", "onAir"])
                let phone = try await Self.phone(on: bench)
                try await bench.wait("it has ended") { steps.words.last == "ended" }
                #expect(steps.last?.text == "receiving from 'Ada's iPhone'")
                #expect(
                    steps.words
                        == ["opened", "onAir", "obstacle", "connected", "paired", "ended"])
                #expect(steps.numbers == [1, 2, 3, 4, 5, 6])
                try await bench.wait("pairing is closed") {
                    !service.status.isPairingWindowOpen
                }
                await phone.stop()
            }
        }
    }

    @Test("a phone without consent is received from once its user allows it")
    func consent() async throws {
        try await TestBench.run { bench in
            try await Self.serve(on: bench) { service, steps in
                try service.openPairingWindow(for: .seconds(120))
                let phone = try await Self.phone(on: bench, consent: false)
                try await bench.wait("consent is missing") {
                    steps.words.last == "consentMissing"
                }
                let accessory = try #require(await phone.accessories.first)
                await phone.setConsent(true, for: accessory.id)
                try await bench.wait("it has ended") { steps.words.last == "ended" }
                #expect(steps.last?.kind == .ended(.receiving))
                await phone.stop()
            }
        }
    }

    @Test("without a phone, every caller that pairs gets both hints and the cause in time")
    func nobody() async throws {
        let lines = LogBook()
        try await TestBench.run { bench in
            try await Self.serve(on: bench, log: { lines.append($0) }) { service, steps in
                let start = bench.now
                try service.openPairingWindow(for: .seconds(100))
                try await bench.wait("the first advice") { steps.words.last == "otherApp" }
                #expect(bench.now - start == .seconds(30))
                // Another user.
                try service.openPairingWindow(for: .seconds(90))
                #expect(
                    service.pairingSteps(after: 0).count == 4
                        && service.pairingSteps(after: 3).count == 1)
                try await bench.wait("the second advice") { steps.words.last == "otherCauses" }
                #expect(bench.now - start == .seconds(90))
                try await bench.wait("the cause") { steps.words.last == "ended" }
                #expect(bench.now - start == .seconds(120))
                #expect(steps.last?.kind == .ended(.failed(.noDevice(receiving: []))))
                let line = try #require(service.pairingSteps(after: 5).first)
                let json = try JSONValue(parsing: Array(line.utf8))
                #expect(json["cause"]?.string == "noDevice" && json["number"]?.integer == 6)
                #expect(lines.lines.contains(PairingAdvice.otherApp(for: "Desk")))
                // Another dialogue counts on, and has its own steps.
                try service.openPairingWindow(for: .seconds(10))
                #expect(service.pairingSteps(after: 0).count == 2)
                service.closePairingWindow()
                #expect(steps.last?.kind == .ended(.failed(.closed)))
                #expect(steps.numbers == Array(1...9))
            }
        }
    }

    @Test("a new configuration of Bluetooth ends the dialogue, because pairing is closed then")
    func reconfigured() async throws {
        try await TestBench.run { bench in
            try await Self.serve(on: bench) { service, steps in
                try service.openPairingWindow(for: .seconds(120))
                var other = ServiceConfiguration()
                other.bluetooth.name = "Chair"
                await service.reconfigure(other)
                try await bench.wait("its end") { steps.words.last == "ended" }
                #expect(steps.last?.kind == .ended(.failed(.closed)))
                try await bench.wait("it is on air again") {
                    service.status.state.message.contains("'Chair'")
                }
                try service.openPairingWindow(for: .seconds(10))
                #expect(steps.last?.text.contains("'Chair' is on air") == true)
            }
        }
    }

    @Test("a refusal is confirmed, and a step announces each question")
    func declined() async throws {
        try await TestBench.run { bench in
            try await Self.serve(on: bench, ability: .keyboardDisplay) { service, steps in
                try service.openPairingWindow(for: .seconds(50))
                let phone = try await Self.phone(on: bench)
                try await bench.wait("a question") { !steps.questions.isEmpty }
                #expect(steps.words.last == "asks")
                // It was another question that had these digits.
                #expect(throws: ServiceError.self) {
                    try service.answerPairing(of: steps.questions[0], .yes, about: "1234567")
                }
                #expect(steps.words.last == "asks")
                let digits = service.questions[steps.questions[0]]?.digits
                try service.answerPairing(of: steps.questions[0], .no, about: digits)
                #expect(steps.words.last == "declined")
                await phone.stop()
                try await bench.wait("its end") { steps.words.last == "ended" }
                #expect(steps.last?.kind == .ended(.failed(.declined)))
                #expect(!steps.words.contains("failed"))
            }
        }
    }
}

/// What the daemon has logged.
private final class LogBook: Sendable {
    private let kept = Lock<[String]>([])
    var lines: [String] { kept.withLock { $0 } }
    func append(_ line: String) { kept.withLock { $0.append(line) } }
}
