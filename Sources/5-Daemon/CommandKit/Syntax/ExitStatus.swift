/// The exit status of the program, on which scripts may rely.
public enum ExitStatus: Int32, Sendable {
    /// The command succeeded.
    case success = 0
    /// The run failed: an unmet expectation, a timeout or a malformed line.
    case failure = 1
    /// The command line or an input file is wrong.
    case usage = 2
    /// There is no controller, or the user may not use it.
    case unavailable = 3
}
