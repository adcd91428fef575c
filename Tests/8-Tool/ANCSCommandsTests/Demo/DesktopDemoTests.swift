import DeviceCommandKit
import DBusTestKit
import DBus
import LinuxIO
import Testing

@testable import ANCSCommands
@testable import CommandKit

// One after the other, because each takes the signals of the process.
@Suite("The demo with a desktop", .serialized, .timeLimit(.minutes(10)))
struct DesktopDemoTests {
    @Test("what is posted at the prompt is a popup, and the end of the phone closes it")
    func popup() async throws {
        try await DesktopDemoBench.with { demo, server in
            await demo.type(#"post Messages "Ann" "Lunch at noon?""#)
            try await demo.until { server.shows("Ann") }
            #expect(server.closings.value == [])
            await demo.type("quit")
            #expect(await demo.status == .success)
            try await demo.until { server.closings.value == [1] }
        }
    }

    @Test("the button of a popup is pressed on the phone")
    func button() async throws {
        try await DesktopDemoBench.with { demo, server in
            await demo.type(#"ring "Ben""#)
            try await demo.until { server.buttons.contains { $0.hasPrefix("negative-") } }
            let button = try #require(server.buttons.last { $0.hasPrefix("negative-") })
            try await server.emit("ActionInvoked", [.uint32(1), .string(button)])
            // The call becomes a missed one.
            try await demo.until { demo.console.output.contains { $0.contains("missedCall") } }
            await demo.type("quit")
            #expect(await demo.status == .success)
        }
    }

    @Test("without a session bus it says so, and what to do")
    func noBus() async throws {
        let loop = try EventLoop()
        defer { loop.shutdown() }
        var settings = DesktopDemo.Settings()
        settings.bus = .address("unix:path=/nowhere/bus")
        let console = ConsoleDouble()
        let status = await DesktopDemo.run(settings, console, on: loop)
        #expect(status == .unavailable)
        #expect(console.output == [])
        #expect(console.errors.count == 2)
        #expect(console.errors.first?.contains("the demo cannot show popups: ") == true)
        #expect(console.errors.last?.contains("in a terminal of your desktop") == true)
    }

    @Test("without a notification server it says so, and what to do")
    func noServer() async throws {
        try await TestBus.with { bus in
            var settings = DesktopDemo.Settings()
            settings.bus = .address(bus.address)
            let console = ConsoleDouble()
            let status = await DesktopDemo.run(settings, console, on: bus.loop)
            #expect(status == .unavailable)
            #expect(console.output == [])
            #expect(console.errors.first?.contains("no notification server answers") == true)
            #expect(console.errors.last?.contains("dunst or mako") == true)
        }
    }

    @Test("a bus that ends while the server is asked is no desktop")
    func lostBus() async throws {
        try await TestBus.with { bus in
            let server = try await NotificationServerDouble(on: bus)
            server.hasStopped.value = true
            var settings = DesktopDemo.Settings()
            settings.bus = .address(bus.address)
            let console = ConsoleDouble()
            async let status = DesktopDemo.run(settings, console, on: bus.loop)
            while server.waitingCalls.isEmpty { try await bus.loop.sleep(for: .milliseconds(5)) }
            bus.kill()
            #expect(await status == .unavailable)
            #expect(console.errors.count == 2)
        }
    }

    @Test(
        "the operated phone plays no scenario and has no other time",
        arguments: [["--scenario", "a.json"], ["--speed", "2"], ["--json"]])
    func options(words: [String]) throws {
        let error = #expect(throws: CommandSyntax.UsageError.self) {
            try DemoOptions(DemoOptions.syntax.parse(["--desktop"] + words))
        }
        #expect(error?.message.contains(words[0]) == true)
        #expect(try DemoOptions(DemoOptions.syntax.parse(["--desktop"])).isDesktop)
        #expect(try !DemoOptions(DemoOptions.syntax.parse([])).isDesktop)
    }
}

/// A demo with a notification server of the test.
private struct DesktopDemoBench {
    let console: ConsoleDouble
    let loop: EventLoop
    private let run: Task<CommandKit.ExitStatus, Never>

    static func with(
        _ body: (DesktopDemoBench, NotificationServerDouble) async throws -> Void
    ) async throws {
        try await TestBus.with { bus in
            let server = try await NotificationServerDouble(on: bus)
            var settings = DesktopDemo.Settings()
            settings.bus = .address(bus.address)
            let console = ConsoleDouble()
            let run = Task { [settings] in
                await DesktopDemo.run(settings, console, on: bus.loop)
            }
            let demo = DesktopDemoBench(console: console, loop: bus.loop, run: run)
            do { try await body(demo, server) } catch {
                await demo.type("quit")
                _ = await run.value
                throw error
            }
        }
    }

    var status: CommandKit.ExitStatus { get async { await run.value } }

    func type(_ line: String) async { console.input.yield(line) }

    /// Waits for a condition; the limit is that of the suite.
    func until(_ condition: () -> Bool) async throws {
        while !condition() { try await loop.sleep(for: .milliseconds(10)) }
    }
}

extension NotificationServerDouble {
    /// Whether a popup with this text was shown.
    fileprivate func shows(_ text: String) -> Bool {
        posts.value.contains { post in
            post.contains { $0.string?.contains(text) == true }
        }
    }

    /// The identifiers of the buttons of all popups.
    fileprivate var buttons: [String] {
        posts.value.flatMap { post in post.flatMap { $0.strings ?? [] } }
    }
}

/// A console that writes down what it is told, and types what the test wants.
private final class ConsoleDouble: Console {
    let input: AsyncStream<String>.Continuation
    private let typed: AsyncStream<String>
    private let written = Lock<(lines: [String], errors: [String])>(([], []))

    init() { (typed, input) = AsyncStream.makeStream() }

    var output: [String] { written.withLock { $0.lines } }
    var errors: [String] { written.withLock { $0.errors } }

    var lines: any AsyncSequence<String, Never> & Sendable { typed }
    var endsWithInput: Bool { false }
    var signals: [CInt] { [] }

    func open(_ complete: @escaping @Sendable (String) -> [String]) {}
    func close() {}
    func take(_ signal: CInt) -> Bool { false }
    func write(_ line: String) async { written.withLock { $0.lines.append(line) } }
    func writeError(_ line: String) { written.withLock { $0.errors.append(line) } }
}
