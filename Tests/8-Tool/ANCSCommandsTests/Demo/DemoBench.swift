import JSONText
import LinuxIO
import Testing

@testable import ANCSCommands
@testable import AccessoryConformance

/// Runs demos in virtual time and keeps what they write.
enum DemoBench {
    /// A whole run: how it ended, and its lines.
    static func run(
        _ scenario: Scenario, _ view: any DemoView, interruptedAfter delay: Duration? = nil
    ) async throws -> (result: ScenarioResult?, lines: [String]) {
        let loop = try EventLoop(clock: .virtual)
        defer { loop.shutdown() }
        let lines = Lines()
        let stage = DemoStage(DemoStage.Settings(), view: view, on: loop) { lines.append($0) }
        let result = try await withTaskExecutorPreference(loop) {
            let timer = Task(executorPreference: loop) {
                guard let delay else { return }
                try await loop.sleep(for: delay)
                await stage.interrupt()
            }
            defer { timer.cancel() }
            return try await stage.run(scenario)
        }
        return (result, lines.all)
    }

    /// The lines of a run as objects.
    static func events(_ scenario: Scenario = .demo) async throws -> [JSONValue] {
        let lines = try await run(scenario, DemoJSON()).lines
        #expect(SchemaCheck.mistakes(in: lines, of: "demo") == [])
        return try lines.map { try JSONValue(parsing: Array($0.utf8)) }
    }

    static func page(width: Int?, isTour: Bool = true) -> DemoPage {
        DemoPage(
            DemoPage.Place(width: width), phone: "iPhone", accessory: "Desk", isTour: isTour)
    }

    private final class Lines: Sendable {
        private let lines = Lock<[String]>([])

        func append(_ line: String) { lines.withLock { $0.append(line) } }

        var all: [String] { lines.withLock { $0 } }
    }
}
