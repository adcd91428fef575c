/// What the tool tells its caller when it ends; part of the command line's contract.
public enum ExitStatus: Int32, Sendable {
    /// Done.
    case success = 0
    /// The run failed: an expectation, a timeout, a line in error.
    case failure = 1
    /// Wrong usage or a bad input file.
    case usage = 2
    /// No controller, or no permission to use it.
    case unavailable = 3
}
