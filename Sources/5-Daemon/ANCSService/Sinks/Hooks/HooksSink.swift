internal import ANCSReceiver
internal import Printing

/// The programs that rules run, see ``ProgramRunner``.
///
/// A program runs for every event of a record whose rule names it: `announced` (a ringing call, at once),
/// `added`, `modified` and `removed`, and `answered` and `ended` of the call that began with it. `ANCS_EVENT` has the event, and a rule may select events, so that a
/// light that was turned on for a call can be turned off again. Nothing runs for a muted record.
///
/// | variable | value |
/// |---|---|
/// | `ANCS_ID` | the record, as `ancs perform` takes it |
/// | `ANCS_EVENT` | `announced`, `added`, `modified` or `removed`; `answered` or `ended` |
/// | `ANCS_CALL` | the state of the call: `incoming`, `answered` or `ended`; empty where it is none, or not known yet |
/// | `ANCS_PHONE` | the phone, 16 hexadecimal digits |
/// | `ANCS_APP` | the app's identifier, such as `com.apple.MobileSMS`; empty where it is not known |
/// | `ANCS_CATEGORY` | the category, such as `incomingCall` |
/// | `ANCS_RULE` | the name of the rule that runs the program |
///
/// The record itself is one line of JSON on standard input, see ``Record/json(event:)``.
package final class HooksSink: Sink, @unchecked Sendable {
    // Unchecked: on the loop's thread only, as every sink.

    package let name = "hooks"
    private weak let control: (any ServiceControl)?
    private let runner: ProgramRunner
    /// A program whose last run failed, and was logged.
    private struct Failing {
        var program: RuleVerdict.Program
        /// What happened, as the rest of a sentence.
        var how: String

        var message: String {
            (program.arguments.first ?? "").shortened
                + (program.rule.map { " of the rule '\($0)'" } ?? "") + " \(how)"
        }
    }

    /// The programs that fail, in the order in which they began to. They come from the configuration, so there
    /// are few.
    private var failing: [Failing] = []
    private var hasSaidDrop = false
    private var isClosing = false

    package init(control: any ServiceControl) {
        self.control = control
        runner = ProgramRunner(on: control.loop)
    }

    package var status: SinkStatus {
        var parts = ["\(runner.runningCount) running", "\(runner.waitingCount) waiting"]
        if !failing.isEmpty {
            let named = failing.prefix(Self.namedCount).map(\.message)
            let others = failing.count > named.count ? ["\(failing.count - named.count) more"] : []
            parts.append("\(failing.count) failing: " + (named + others).joined(separator: "; "))
        }
        return SinkStatus(
            isWorking: failing.isEmpty, message: parts.joined(separator: ", "),
            dropped: runner.dropped)
    }

    /// How many programs that fail ``status`` names.
    private static let namedCount = 3

    package func open() {}

    package func receive(_ event: ServiceEvent) {
        guard let (record, event) = event.record, !record.verdict.isMuted,
            !record.verdict.programs.isEmpty
        else { return }
        let input = Array((record.json(event: event).text + "\n").utf8)
        for program in record.verdict.programs {
            let environment = Self.environment(of: record, event, program.rule)
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

    static func environment(
        of record: Record, _ event: Record.Event, _ rule: String?
    ) -> [String: String] {
        [
            "ANCS_ID": record.id.description, "ANCS_EVENT": event.description,
            "ANCS_CALL": call(record.notification.category, event)?.rawValue ?? "",
            "ANCS_PHONE": record.phone.digest, "ANCS_APP": app(of: record.notification),
            "ANCS_CATEGORY": record.notification.category.description, "ANCS_RULE": rule ?? "",
        ]
    }

    /// The state of the call after an event; `nil` if it is none, or is about to be known.
    private static func call(_ category: CategoryID, _ event: Record.Event) -> CallEvent? {
        switch event {
        case .answered: .answered
        case .ended: .ended
        case .removed: nil
        case .announced, .added, .modified:
            category == .incomingCall ? .incoming : category == .activeCall ? .answered : nil
        }
    }

    /// The app's identifier if it is valid, because untrusted text must not get into the environment. Apple's
    /// rules for a bundle identifier: letters, digits, hyphens and periods, at most 155.
    private static func app(of notification: ReceivedNotification) -> String {
        let identifier = notification.app.identifier
        return identifier.isASCIIWord(with: "-.") && identifier.utf8.count <= 155 ? identifier : ""
    }

    // MARK: Failures

    /// Logs a failure once, until the program succeeds again.
    private func ended(_ program: RuleVerdict.Program, _ outcome: ProgramRunner.Outcome) {
        switch outcome {
        case .ended(.exited(status: 0)): failing.removeAll { $0.program == program }
        case .ended(.exited(let status)): fails(program, "ended with status \(status)")
        case .ended(.killed(let signal)): fails(program, "was ended by signal \(signal)")
        case .timedOut:
            let limit = program.timeout.components.seconds
            fails(
                program,
                "ran for more than \(limit) s and was ended; 'timeout' gives it more time")
        case .failed(let error): fails(program, "did not start: \(error.message)")
        case .dropped:
            guard !hasSaidDrop, !isClosing else { return }
            hasSaidDrop = true
            control?.log(
                "too many programs of rules at once: some were not run; 'ancs status' counts them"
            )
        }
    }

    private func fails(_ program: RuleVerdict.Program, _ how: String) {
        let failure = Failing(program: program, how: how)
        if let index = failing.firstIndex(where: { $0.program == program }) {
            failing[index] = failure
        } else {
            failing.append(failure)
            control?.log("the program \(failure.message)")
        }
    }
}
