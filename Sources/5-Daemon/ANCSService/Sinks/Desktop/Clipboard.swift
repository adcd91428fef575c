internal import Glibc
internal import LinuxIO

/// Copies one-time codes to the clipboard with a program of the user's choice, which gets the code on
/// standard input and never in its arguments or environment; and opens the programs for apps.
final class Clipboard: @unchecked Sendable {
    // Unchecked: on the loop's thread only, which the runner checks.

    /// The environment that such a program needs to find the display.
    private static let variables = ["DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY"]
    /// Those that a program with windows needs, too.
    private static let variablesOfDesktop =
        variables + ["XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE", "XDG_DATA_DIRS", "XDG_DATA_HOME"]

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
            RuleVerdict.Program(arguments: program), input: Array(code.utf8),
            environment: ProgramRunner.inherited(Self.variables), remainder: .left
        ) { [weak self] in self?.ended($0) }
    }

    /// Runs a command that opens a program, which keeps running.
    func open(_ command: [String]) {
        runner.run(
            RuleVerdict.Program(arguments: command), input: [],
            environment: ProgramRunner.inherited(Self.variablesOfDesktop), remainder: .left
        ) { [weak self] outcome in
            guard let fault = Self.fault(outcome) else { return }
            self?.control?.log("the program for an app was not opened: \(fault)")
        }
    }

    private func ended(_ outcome: ProgramRunner.Outcome) {
        guard let fault = Self.fault(outcome) else { return }
        control?.log("the code was not copied: \(fault); see 'copy' in the configuration")
    }

    /// Why a program did not do its work; `nil` if it did.
    private static func fault(_ outcome: ProgramRunner.Outcome) -> String? {
        let fault: String
        switch outcome {
        case .ended(.exited(status: 0)), .dropped: return nil
        case .ended(.exited(let status)): fault = "the program ended with status \(status)"
        case .ended(.killed(let signal)): fault = "signal \(signal) ended the program"
        case .timedOut: fault = "the program did not end within 5 s"
        case .failed(let error): fault = error.message
        }
        return fault
    }

    func close(_ done: @escaping @Sendable () -> Void) { runner.close(done) }
}

extension ServiceConfiguration.DesktopSection {
    /// The section with a program that copies, where none is configured and one of those that are known is installed.
    func withCopier(
        _ search: ProgramSearch = .ofThisProcess, isWayland: Bool = isSet("WAYLAND_DISPLAY"),
        isX11: Bool = isSet("DISPLAY")
    ) -> Self {
        let known = [
            (isWayland, ["wl-copy"]), (isX11, ["xclip", "-selection", "clipboard"]),
        ]
        var section = self
        if copy.isEmpty {
            let found = known.first { isUsable, command in
                isUsable && search.fault(of: command[0]) == nil
            }
            section.copy = found?.1 ?? []
        }
        return section
    }
}

private func isSet(_ variable: String) -> Bool { getenv(variable).map { $0.pointee != 0 } ?? false }
