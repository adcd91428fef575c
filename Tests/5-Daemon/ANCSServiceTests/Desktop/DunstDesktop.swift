@testable import ANCSService
import DBus
import DBusTestKit
import Glibc
import LinuxIO

/// A desktop of a test's own: a screen in memory, a bus, and dunst, with dunst's own tool for a hand.
final class DunstDesktop: @unchecked Sendable {
    // Unchecked: used by one test, one call after the other.

    /// Why there is none.
    struct Failure: Error {
        let message: String
    }

    let desktop: DesktopSinkHandle
    private let folder: TemporaryDirectory
    private let bus: TestBus
    private let screen: pid_t
    private let display: String
    private var dunst: pid_t?
    private var hasStopped = false

    /// Runs a test with a desktop, which ends with it.
    static func with(
        dismiss: ServiceConfiguration.DesktopSection.Dismissal = .never,
        limits: DesktopNotifications.Limits = DesktopNotifications.Limits(),
        _ body: (DunstDesktop) async throws -> Void
    ) async throws {
        var configuration = ServiceConfiguration()
        configuration.desktop.dismiss = dismiss
        try await TestBus.with { [configuration] bus in
            let desktop = try DunstDesktop(configuration, limits, on: bus)
            defer { desktop.end() }
            try desktop.startDunst()
            await desktop.desktop.run { $0.open() }
            let isReady = try await desktop.desktop.eventually {
                await desktop.desktop.run(\.status).message.hasPrefix("dunst ")
            }
            guard isReady else {
                throw Failure(message: "dunst does not start: Scripts/setup.sh peers installs it")
            }
            try await body(desktop)
            await desktop.stop()
        }
    }

    private init(
        _ configuration: ServiceConfiguration, _ limits: DesktopNotifications.Limits,
        on bus: TestBus
    ) throws {
        self.bus = bus
        let control = DesktopControl(on: bus.loop)
        desktop = DesktopSinkHandle(
            sink: DesktopSink(
                configuration, control: control, at: .address(bus.address), limits: limits),
            control: control)
        folder = try TemporaryDirectory()
        let (reading, writing) = try makePipe()
        defer { close(reading) }
        screen = try spawn(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "800x2400x24", "-nolisten", "tcp"],
            output: writing)
        close(writing)
        let number = Self.output(from: reading, untilLineEnd: true)
        guard !number.isEmpty else {
            throw Failure(message: "there is no screen: Scripts/setup.sh peers installs Xvfb")
        }
        display = ":\(number)"
    }

    /// dunst as its user would set it up, but that popups stay, and that a button is pressed by the word that
    /// stands in a file, in place of a menu on the screen.
    func startDunst() throws {
        let menu = try folder.script("menu", "grep -m 1 -f \(folder.path)/choice")
        let configuration = """
            [global]
                dmenu = \(menu)
                font = DejaVu Sans 10
                markup = full
                notification_limit = 0
            [urgency_low]
                timeout = 0
            [urgency_normal]
                timeout = 0
            [urgency_critical]
                timeout = 0
            """
        try folder.write("dunstrc", Array(configuration.utf8))
        let output = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(output) }
        dunst = try spawn(
            environment + ["dunst", "-conf", "\(folder.path)/dunstrc"], output: output)
    }

    /// dunst ends without a word.
    func killDunst() {
        guard let process = dunst else { return }
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        dunst = nil
    }

    /// dunst stops, as in a desktop that swaps.
    func stallDunst() { if let dunst { kill(dunst, SIGSTOP) } }

    /// dunst continues.
    func continueDunst() { if let dunst { kill(dunst, SIGCONT) } }

    /// The daemon ends.
    func stop() async {
        guard !hasStopped else { return }
        hasStopped = true
        await desktop.close()
    }

    private func end() {
        killDunst()
        kill(screen, SIGTERM)
        waitpid(screen, nil, 0)
    }

    private var environment: [String] {
        ["env", "DISPLAY=\(display)", "DBUS_SESSION_BUS_ADDRESS=\(bus.address)"]
    }

    // MARK: The hand

    /// Runs dunst's tool, and returns what it says.
    @discardableResult
    func control(_ arguments: String...) throws -> String {
        let (reading, writing) = try makePipe()
        defer { close(reading) }
        let process = try spawn(environment + ["dunstctl"] + arguments, output: writing)
        close(writing)
        let text = Self.output(from: reading, untilLineEnd: false)
        var status: CInt = 0
        waitpid(process, &status, 0)
        guard status == 0 else {
            throw Failure(message: "dunstctl fails: Scripts/setup.sh peers installs dunst")
        }
        return text.filter { !$0.isWhitespace }
    }

    /// Presses the button with this word on it, of all that are shown.
    func press(_ label: String) throws {
        try folder.write("choice", Array("#\(label) \n".utf8))
        try control("context")
    }

    /// Waits until this many popups are on the screen.
    func shows(_ count: Int) async throws -> Bool {
        try await desktop.eventually {
            // As long as dunst starts it does not answer.
            (try? control("count", "displayed")) == "\(count)"
        }
    }

    /// Time for what should not happen.
    func pause(_ duration: Duration = .milliseconds(2500)) async throws {
        try await bus.loop.sleep(for: duration)
    }

    private static func output(from descriptor: CInt, untilLineEnd: Bool) -> String {
        var octets: [UInt8] = []
        var octet: UInt8 = 0
        while read(descriptor, &octet, 1) == 1 {
            if untilLineEnd, octet == UInt8(ascii: "\n") { break }
            octets.append(octet)
        }
        return String(decoding: octets, as: UTF8.self)
    }
}
