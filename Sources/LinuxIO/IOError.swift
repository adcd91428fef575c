internal import CLinux
internal import Glibc

/// What went wrong between this process and Linux: a code to switch on, the `errno` if the kernel
/// gave one, and a sentence for the user.
public struct IOError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure. Open: more may come.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the code, as it may appear in logs.
        public var rawValue: String

        /// A code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The text is no moniker of a transport.
        public static let invalidMoniker = Code(rawValue: "invalidMoniker")
        /// There is no such device, host, file or listener.
        public static let notFound = Code(rawValue: "notFound")
        /// The user may not use the device or file.
        public static let permissionDenied = Code(rawValue: "permissionDenied")
        /// Somebody else uses the device, address or path.
        public static let busy = Code(rawValue: "busy")
        /// A connection was not accepted, or not in time.
        public static let connectionFailed = Code(rawValue: "connectionFailed")
        /// The peer ended the stream in an orderly way.
        public static let endOfStream = Code(rawValue: "endOfStream")
        /// The peer or the device went away.
        public static let hangUp = Code(rawValue: "hangUp")
        /// The octets received are no H4 packets; the border between packets is lost.
        public static let framingLost = Code(rawValue: "framingLost")
        /// The peer does not read; more waits to be sent than the limit allows.
        public static let sendLimitExceeded = Code(rawValue: "sendLimitExceeded")
        /// A file that must be private can be read or written by others.
        public static let notPrivate = Code(rawValue: "notPrivate")
        /// A system call failed in a way that has no code of its own; see ``IOError/errno``.
        public static let systemCallFailed = Code(rawValue: "systemCallFailed")
    }

    /// Who has to do something about it, and so which exit status a program ends with.
    public enum Responsibility: Hashable, Sendable {
        /// The command line is wrong: exit status 2.
        case usage
        /// No controller, or no permission: exit status 3.
        case unavailable
        /// It worked and then broke: exit status 1.
        case lost
    }

    /// The kind of failure.
    public var code: Code

    /// The kernel's error number, if a system call failed.
    public var errno: Int32?

    /// One sentence for the user, without a full stop: what was tried, why it failed, what helps.
    public var message: String

    /// A failure with this code and sentence.
    public init(_ code: Code, errno: Int32? = nil, _ message: String) {
        self.code = code
        self.errno = errno
        self.message = message
    }

    /// The failure of a system call, its code chosen by the error number; the sentence is `attempt`,
    /// a colon and the kernel's text.
    public init(_ attempt: String, errno: Int32) {
        self.init(
            Self.code(of: errno), errno: errno, "\(attempt): \(Self.text(of: errno))")
    }

    /// The sentence.
    public var description: String { message }

    /// Who has to do something about it.
    public var responsibility: Responsibility {
        switch code {
        case .invalidMoniker: .usage
        case .notFound, .permissionDenied, .busy, .connectionFailed, .notPrivate: .unavailable
        default: .lost
        }
    }

    /// The text of the C library for an error number.
    static func text(of errno: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { text in
            clinux_error_text(errno, text.baseAddress, text.count)
            return String(
                decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    private static func code(of errno: Int32) -> Code {
        switch errno {
        case ENOENT, ENODEV, ENXIO, EAFNOSUPPORT, EADDRNOTAVAIL: .notFound
        // Something else is in the place of the file or directory.
        case ENOTDIR, EISDIR, ENAMETOOLONG, ELOOP, ENOTTY: .notFound
        case EACCES, EPERM, EROFS: .permissionDenied
        case EBUSY, EADDRINUSE, EUSERS: .busy
        case ECONNREFUSED, ETIMEDOUT, EHOSTUNREACH, ENETUNREACH: .connectionFailed
        case ECONNRESET, EPIPE, EIO: .hangUp
        default: .systemCallFailed
        }
    }
}
