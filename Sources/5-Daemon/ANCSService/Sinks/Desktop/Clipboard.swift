internal import LinuxIO

/// Copies one-time codes to the clipboard with a program of the user's choice, which gets the code on
/// standard input and never in its arguments or environment.
final class Clipboard: @unchecked Sendable {
    // Unchecked: on the loop's thread only, which the runner checks.

    /// The environment that such a program needs to find the display.
    private static let variables = ["DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY"]

    private weak let control: (any ServiceControl)?
    private let runner: ProgramRunner

    init(control: any ServiceControl) {
        self.control = control
        runner = ProgramRunner(on: control.loop)
    }

    /// Runs a program with the code on its standard input. A process that the program leaves behind keeps
    /// running, because it serves the clipboard.
    func copy(_ code: String, with program: [String]) {
        guard !program.isEmpty else { return }
        runner.run(
            Verdict.Program(arguments: program), input: Array(code.utf8),
            environment: ProgramRunner.inherited(Self.variables), remainder: .left
        ) { [weak self] in self?.ended($0) }
    }

    private func ended(_ outcome: ProgramRunner.Outcome) {
        let fault: String
        switch outcome {
        case .ended(.exited(status: 0)), .dropped: return
        case .ended(.exited(let status)): fault = "the program ended with status \(status)"
        case .ended(.killed(let signal)): fault = "signal \(signal) ended the program"
        case .timedOut: fault = "the program did not end within 5 s"
        case .failed(let error): fault = error.message
        }
        control?.log("the code was not copied: \(fault); see 'copy' in the configuration")
    }

    func close(_ done: @escaping @Sendable () -> Void) { runner.close(done) }
}
