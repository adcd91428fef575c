internal import CLinux
internal import Glibc

/// An error of the operating system: a code to switch on, the `errno` of the kernel if there is one, and a
/// sentence for people.
public struct IOError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure. More codes may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the code, for logs.
        public var rawValue: String

        /// A code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The text is not a valid moniker.
        public static let invalidMoniker = Code(rawValue: "invalidMoniker")
        /// The device, host, file or listener does not exist.
        public static let notFound = Code(rawValue: "notFound")
        /// The user is not allowed to use the device or file.
        public static let permissionDenied = Code(rawValue: "permissionDenied")
        /// The device, address or path is in use.
        public static let busy = Code(rawValue: "busy")
        /// A connection was not accepted, or not in time.
        public static let connectionFailed = Code(rawValue: "connectionFailed")
        /// The peer closed the stream.
        public static let endOfStream = Code(rawValue: "endOfStream")
        /// The peer or the device has disappeared.
        public static let hangUp = Code(rawValue: "hangUp")
        /// The received octets are not H4 packets; packet boundaries can no longer be found.
        public static let framingLost = Code(rawValue: "framingLost")
        /// The peer does not read, and the queue for sending is full.
        public static let sendLimitExceeded = Code(rawValue: "sendLimitExceeded")
        /// A file that must be private can be read or written by other users.
        public static let notPrivate = Code(rawValue: "notPrivate")
        /// A file can be read, but not used: it is too long, or not in the required form.
        public static let unusableFile = Code(rawValue: "unusableFile")
        /// A file that the command line names cannot be created or opened.
        public static let unusablePath = Code(rawValue: "unusablePath")
        /// Any other failure of a system call; see ``IOError/errno``.
        public static let systemCallFailed = Code(rawValue: "systemCallFailed")
    }

    /// Which side can fix the problem, which determines the exit status of a program.
    public enum Responsibility: Equatable, Sendable {
        /// The command line is invalid: exit status 2.
        case usage
        /// There is no controller, or no permission: exit status 3.
        case unavailable
        /// It worked and then failed: exit status 1.
        case lost
    }

    /// The kind of failure.
    public var code: Code

    /// The kernel's error number, if a system call failed.
    public var errno: Int32?

    /// One sentence for people, without a full stop: what failed, why, and what to do.
    public var message: String

    /// A failure with this code and message.
    public init(_ code: Code, errno: Int32? = nil, _ message: String) {
        (self.code, self.errno, self.message) = (code, errno, message)
    }

    /// The failure of a system call. The error number determines the code; the message is `attempt`, a colon
    /// and the C library's text.
    /// Not inlined: every system call has its failure.
    @inline(never) public init(_ attempt: String, errno: Int32) {
        self.init(Self.code(of: errno), errno: errno, "\(attempt): \(Self.text(of: errno))")
    }

    /// The message.
    public var description: String { message }

    /// Which side can fix the problem.
    public var responsibility: Responsibility {
        switch code {
        case .invalidMoniker, .unusablePath: .usage
        case .notFound, .permissionDenied, .busy, .connectionFailed, .notPrivate,
            .unusableFile:
            .unavailable
        default: .lost
        }
    }

    /// The C library's text for an error number.
    package static func text(of errno: Int32) -> String {
        CText.written(capacity: 128) { clinux_error_text(errno, $0, $1) }.text
    }

    private static func code(of errno: Int32) -> Code {
        switch errno {
        case ENOENT, ENODEV, ENXIO, EAFNOSUPPORT, EADDRNOTAVAIL: .notFound
        // The path has something else in place of the file or directory.
        case ENOTDIR, EISDIR, ENAMETOOLONG, ELOOP, ENOTTY: .notFound
        case EACCES, EPERM, EROFS: .permissionDenied
        case EBUSY, EADDRINUSE, EUSERS: .busy
        case ECONNREFUSED, ETIMEDOUT, EHOSTUNREACH, ENETUNREACH: .connectionFailed
        case ECONNRESET, EPIPE, EIO: .hangUp
        default: .systemCallFailed
        }
    }
}
