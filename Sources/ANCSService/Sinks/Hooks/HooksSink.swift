internal import ANCS
internal import ANCSKit
internal import JSONText
internal import LinuxIO

/// The programs that rules run, see ``ProgramRunner``.
///
/// A program runs for every event of a record whose rule names it: `announced` (a ringing call, at once),
/// `added`, `modified` and `removed`. `ANCS_EVENT` has the event, and a rule may select events, so that a
/// light that was turned on for a call can be turned off again. Nothing runs for a muted record.
///
/// | variable | value |
/// |---|---|
/// | `ANCS_ID` | the record, as `ancs perform` takes it |
/// | `ANCS_EVENT` | `announced`, `added`, `modified` or `removed` |
/// | `ANCS_PHONE` | the phone, 16 hexadecimal digits |
/// | `ANCS_APP` | the app's identifier, such as `com.apple.MobileSMS`; empty where it is not known |
/// | `ANCS_CATEGORY` | the category, such as `incomingCall` |
/// | `ANCS_RULE` | the name of the rule |
///
/// The record itself is one line of JSON on standard input, see ``Record/json(event:)``.
package final class HooksSink: Sink, @unchecked Sendable {
    // Unchecked: on the loop's thread only, as every sink.

    package let name = "hooks"
    private weak let control: (any ServiceControl)?
    private let runner: ProgramRunner
    /// Programs whose failure was logged. They come from the configuration, so there are few.
    private var failing: Set<String> = []
    private var hasSaidDrop = false
    private var isClosing = false

    package init(control: any ServiceControl) {
        self.control = control
        runner = ProgramRunner(on: control.loop)
    }

    package var status: SinkStatus {
        var parts = ["\(runner.runningCount) running", "\(runner.waitingCount) waiting"]
        if !failing.isEmpty { parts.append("\(failing.count) failing") }
        return SinkStatus(
            isWorking: failing.isEmpty, message: parts.joined(separator: ", "),
            dropped: runner.dropped)
    }

    package func open() {}

    package func receive(_ event: ServiceEvent) {
        guard let (record, event) = event.record, !record.verdict.isMuted,
            !record.verdict.programs.isEmpty
        else { return }
        let input = Array((record.json(event: event).text + "\n").utf8)
        let environment = Self.environment(of: record, event)
        for program in record.verdict.programs {
            runner.run(program, input: input, environment: environment) { [weak self] outcome in
                self?.ended(program, outcome)
            }
        }
    }

    package func reconfigure(_ configuration: ServiceConfiguration) {
        failing = []
        hasSaidDrop = false
    }

    package func close(_ done: @escaping @Sendable () -> Void) {
        isClosing = true
        runner.close(done)
    }

    // MARK: Environment

    static func environment(of record: Record, _ event: Record.Event) -> [String: String] {
        [
            "ANCS_ID": record.id.description,
            "ANCS_EVENT": event.description,
            "ANCS_PHONE": record.phone.digest,
            "ANCS_APP": app(of: record.notification),
            "ANCS_CATEGORY": record.notification.category.description,
            "ANCS_RULE": record.verdict.rule ?? "",
        ]
    }

    /// The app's identifier if it is valid, because untrusted text must not get into the environment. Apple's
    /// rules for a bundle identifier: letters, digits, hyphens and periods, at most 155.
    private static func app(of notification: ReceivedNotification) -> String {
        let identifier = notification.app.identifier
        let isOne = identifier.utf8.allSatisfy { octet in
            switch octet {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        return isOne && identifier.utf8.count <= 155 ? identifier : ""
    }

    // MARK: Failures

    /// Logs a failure once, until the program succeeds again.
    private func ended(_ program: Verdict.Program, _ outcome: ProgramRunner.Outcome) {
        let name = program.arguments.first ?? ""
        switch outcome {
        case .ended(.exited(status: 0)): failing.remove(name)
        case .ended(.exited(let status)): fails(name, "ended with status \(status)")
        case .ended(.killed(let signal)): fails(name, "was ended by signal \(signal)")
        case .timedOut:
            let limit = program.timeout.components.seconds
            fails(name, "ran for more than \(limit) s and was ended; 'timeout' gives it more time")
        case .failed(let error):
            guard failing.insert(name).inserted else { return }
            control?.log("\(error.message); see 'run' in the configuration")
        case .dropped:
            guard !hasSaidDrop, !isClosing else { return }
            hasSaidDrop = true
            control?.log(
                "too many programs of rules at once: some were not run; 'ancs status' counts them"
            )
        }
    }

    private func fails(_ name: String, _ how: String) {
        guard failing.insert(name).inserted else { return }
        control?.log("the program \(TerminalText.visible(name)) of a rule \(how)")
    }
}
