internal import Printing

/// Why a command fails, for its user.
package struct CommandFailure: Error, Equatable, Sendable {
    package var status: ExitStatus
    package var message: String

    package init(status: ExitStatus = .failure, message: String) {
        (self.status, self.message) = (status, message)
    }

    /// Says it on standard error, and returns the exit status.
    package func report() -> ExitStatus {
        StandardStreams.writeError("ancs: \(TerminalText.visible(message))")
        return status
    }
}
