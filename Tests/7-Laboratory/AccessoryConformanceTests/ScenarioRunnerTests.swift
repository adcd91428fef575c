import ANCSKit
import ANCSTestKit
import AccessoryConformance
import Testing

/// Whole runs with the public declarations alone, as the test of a maker has them.
@Suite("An accessory is graded in virtual time")
struct ScenarioRunnerTests {
    /// What an accessory does with a notification.
    typealias Reaction = @Sendable (NotificationConsumer, ReceivedNotification) async -> Void

    /// An accessory of the kit that fetches everything.
    private static func withDesk<Value: Sendable>(
        _ bench: isolated TestBench, whenever notified: @escaping Reaction = { _, _ in },
        _ body: () async throws -> Value
    ) async throws -> Value {
        let desk = try NotificationConsumer(name: "Desk", at: bench.bluetooth())
        await desk.start()
        let reader = Task(executorPreference: desk.loop) {
            for try await notification in desk.notifications { await notified(desk, notification) }
        }
        defer { reader.cancel() }
        return try await body()
    }

    @Test("an accessory of the kit fulfills every requirement that the scenario tests")
    func passes() async throws {
        try await TestBench.run { bench in
            let result = try await Self.withDesk(bench) {
                try await Scenario(named: "conformance").run(
                    phone: bench.phoneConfiguration, at: bench.phoneController.bluetooth())
            }
            #expect(result.isSuccess, "\(result)")
            let grades = try #require(result.grades.first)
            // It uses no media, and nothing is said of that.
            let judged = Requirement.allCases.filter { !$0.isOfMedia }
            #expect(Set(grades.verdicts.map(\.requirement)) == Set(judged))
            #expect(grades[.fetchesModifiedAgain]?.standing == .kept)
            #expect(result.interruption == nil)
        }
    }

    @Test(
        "an accessory that clears what it gets breaks R48: with evidence, and with what to change")
    func fails() async throws {
        try await TestBench.run { bench in
            let result = try await Self.withDesk(
                bench,
                whenever: { desk, notification in
                    guard notification.actions.negative != nil, !notification.isPreExisting else {
                        return
                    }
                    try? await desk.perform(.negative, on: notification)
                }
            ) {
                try await Scenario(named: "conformance").run(
                    phone: bench.phoneConfiguration, at: bench.phoneController.bluetooth())
            }
            #expect(!result.isSuccess)
            let grades = try #require(result.grades.first)
            let failed = try #require(
                grades.failed.first { $0.requirement == .actsOnlyWhenAsked }, "\(result)")
            #expect(failed.requirement.number == "R48")
            #expect(failed.standing == .broken && !failed.evidence.isEmpty)
            #expect(result.description.contains("R48"))
            #expect(result.description.contains(failed.requirement.remedy))
            #expect(result.junit.contains("<failure"))
            #expect(result.junit.contains(failed.requirement.remedy))
        }
    }

    @Test("after a lost link, the radio hears again")
    func lostLink() async throws {
        let scenario = try Scenario(
            json: """
                { "title": "T", "steps": [ { "wait": "subscribed" }, { "pause": 1 },
                  { "disconnect": { "lost": true } }, { "wait": "subscribed", "within": 15 } ] }
                """)
        try await TestBench.run { bench in
            let result = try await Self.withDesk(bench) {
                try await scenario.run(
                    phone: bench.phoneConfiguration, at: bench.phoneController.bluetooth())
            }
            #expect(result.isSuccess, "\(result)")
        }
    }

    @Test(
        "what a call leaves behind has a name after the accessory has answered or declined it",
        arguments: [
            ("positive", #"{"hangUp":"call.active"}"#), ("negative", #"{"remove":"call.missed"}"#),
        ])
    func named(action: String, step: String) async throws {
        let scenario = try Scenario(
            json: """
                { "title": "T", "steps": [ { "wait": "subscribed" }, { "ring": { "as": "call" } },
                  { "expect": { "action": "\(action)", "of": "call" } }, \(step) ] }
                """)
        try await TestBench.run { bench in
            let result = try await Self.withDesk(
                bench,
                whenever: { desk, notification in
                    guard notification.category == .incomingCall else { return }
                    let isPositive = action == "positive"
                    try? await desk.perform(isPositive ? .positive : .negative, on: notification)
                }
            ) {
                try await scenario.run(
                    phone: bench.phoneConfiguration, at: bench.phoneController.bluetooth())
            }
            #expect(result.isSuccess, "\(result)")
        }
    }

    @Test("a test presses the button that a step waits for")
    func presses() async throws {
        try await TestBench.run { bench in
            let desk = try NotificationConsumer(name: "Desk", at: bench.bluetooth())
            await desk.start()
            let runner = try ScenarioRunner(
                Scenario(named: "call-declined-on-accessory"), phone: bench.phoneConfiguration,
                at: bench.phoneController.bluetooth())
            async let result = runner.run()
            async let call = desk.notifications.first { $0.category == .incomingCall }
            var titles: [String] = []
            for await event in runner.events {
                guard case .stepBegan(let step) = event else { continue }
                titles.append(step.title)
                if step.awaitedAction?.action == .negative {
                    let ringing = try await call
                    try await desk.perform(.negative, on: #require(ringing))
                }
            }
            let report = try await result
            #expect(report.isSuccess, "\(report)")
            #expect(titles == report.steps.map(\.step.title))
            // Nothing is judged unless the scenario says so.
            #expect(report.grades.isEmpty)
        }
    }

    @Test("without an accessory, the first step that needs one fails, and says what is missing")
    func nobody() async throws {
        try await TestBench.run { bench in
            let result = try await Scenario(named: "faults/lost-answer").run(
                phone: bench.phoneConfiguration, at: bench.phoneController.bluetooth())
            #expect(!result.isSuccess)
            let failure = try #require(result.steps.first?.failure)
            #expect(failure.observed == "no accessory was found")
            #expect(failure.context.first?.contains("ready") == true, "\(failure.context)")
            #expect(result.steps.last?.outcome == .notReached)
        }
    }

    @Test("a run is interrupted by a call, and by the end of its task")
    func interrupted() async throws {
        try await TestBench.run { bench in
            let runner = try ScenarioRunner(
                Scenario(named: "demo"), phone: bench.phoneConfiguration,
                at: bench.phoneController.bluetooth())
            async let result = runner.run()
            for await event in runner.events {
                if case .stepBegan = event { await runner.interrupt() }
            }
            let report = try await result
            #expect(report.interruption == .interrupted)

            let other = try ScenarioRunner(
                Scenario(named: "demo"), phone: bench.phoneConfiguration,
                at: bench.phoneController.bluetooth())
            let cancelled = try await withThrowingTaskGroup(of: ScenarioResult.self) { group in
                group.addTask { try await other.run() }
                for await event in other.events {
                    if case .stepBegan = event { group.cancelAll() }
                }
                return try await group.next()
            }
            #expect(cancelled?.interruption == .interrupted)
        }
    }

    @Test("a run that was interrupted before the phone was ready has one result")
    func early() async throws {
        try await TestBench.run { bench in
            let runner = try ScenarioRunner(
                Scenario(named: "demo"), phone: bench.phoneConfiguration,
                at: bench.phoneController.bluetooth())
            async let result = runner.run()
            var results = 0
            for await event in runner.events {
                switch event {
                case .phone where results == 0: await runner.interrupt()
                case .ended: results += 1
                case .phone, .stepBegan, .stepWaits, .stepEnded: break
                }
            }
            let report = try await result
            #expect(report.interruption == .interrupted)
            #expect(report.steps.allSatisfy { $0.outcome == .notReached })
            #expect(results == 1)
        }
    }

    @Test("a phone whose controller another device has does not start, and has no result")
    func taken() async throws {
        try await TestBench.run { bench in
            _ = bench.phone
            let runner = try ScenarioRunner(
                Scenario(named: "demo"), phone: bench.phoneConfiguration,
                at: bench.phoneController.bluetooth())
            var hasEnded = false
            do {
                _ = try await runner.run()
                Issue.record("the run did not fail")
            } catch let failure as PhoneFailure {
                guard case .device(.transport) = failure else {
                    Issue.record("\(failure.message)")
                    return
                }
                #expect(failure.message == "the virtual controller already has a host")
            }
            for await event in runner.events { if case .ended = event { hasEnded = true } }
            #expect(!hasEnded)
        }
    }

    @Test("a scenario with more than the phone holds is refused, with the reason")
    func refused() async throws {
        let notifications = (0...4096).map { #"{ "as": "n\#($0)", "title": "N" }"# }
        let scenario = try Scenario(
            json: """
                { "title": "T", "notifications": [\(notifications.joined(separator: ","))],
                  "steps": [ { "wait": "connected" } ] }
                """)
        try await TestBench.run { bench in
            do {
                _ = try await scenario.run(
                    phone: bench.phoneConfiguration, at: bench.phoneController.bluetooth())
                Issue.record("the run did not fail")
            } catch let failure as PhoneFailure {
                #expect(failure.message == "the phone holds at most 4096 notifications")
            }
        }
    }
}
