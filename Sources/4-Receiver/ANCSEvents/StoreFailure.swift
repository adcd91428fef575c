public import LinuxIO

/// Why a file with the state of this program cannot be read or written.
public enum StoreFailure: Error, Equatable, Sendable {
    /// The file exists, but this program did not write it; it is not changed.
    case unreadable(path: String, reason: String)
    /// The system refused.
    case io(IOError)

    /// What happened, for people.
    public var message: String {
        switch self {
        case .unreadable(let path, let reason):
            "\(path) was not written by this program (\(reason)); move it away to start with a new one"
        case .io(let error): error.message
        }
    }
}
