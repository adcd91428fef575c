internal import Glibc

/// A descriptor of this process, written to without blocking and without a system call beside the write.
///
/// The descriptor may share its flags with a shell and with other programs, so `O_NONBLOCK` cannot be set on
/// it. A pipe is opened once more instead, and that opening does not block.
struct OutputDescriptor: Sendable {
    /// The outcome of an attempt.
    package enum Outcome: Equatable, Sendable {
        /// Everything was written.
        case written
        /// Nothing was written, because that could block.
        case wouldBlock
        /// Nothing, or not everything, could be written, for this reason (errno).
        case failed(CInt)
    }

    private enum Kind: Sendable {
        /// Never blocks.
        case file
        /// The opening that does not block.
        case pipe(CInt)
        /// A terminal or a socket, or a pipe that cannot be opened again: one of another user, or without
        /// `/proc`.
        case other
    }

    private let descriptor: CInt
    private let kind: Kind

    package init(_ descriptor: CInt) {
        self.descriptor = descriptor
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            kind = .other
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .file
        case S_IFIFO:
            let opening = open(
                "/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
            kind = opening >= 0 ? .pipe(opening) : .other
        default: kind = .other
        }
    }

    /// Closes what was opened. Standard output is kept until the process ends.
    package func close() { if case .pipe(let opening) = kind { _ = Glibc.close(opening) } }

    /// Writes octets if that does not block. A pipe takes at most `PIPE_BUF` of them whole: pipe(7).
    func writeAtOnce(_ octets: [UInt8]) -> Outcome {
        switch kind {
        case .file: return write(octets)
        case .pipe(let opening):
            guard octets.count <= Int(PIPE_BUF) else { return .wouldBlock }
            while true {
                if Glibc.write(opening, octets, octets.count) == octets.count { return .written }
                if errno != EINTR { return errno == EAGAIN ? .wouldBlock : .failed(errno) }
            }
        case .other:
            var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard octets.count <= Int(PIPE_BUF), poll(&event, 1, 0) == 1 else { return .wouldBlock }
            return write(octets)
        }
    }

    /// Writes octets, however long that takes; never ``Outcome/wouldBlock``.
    package func write(_ octets: [UInt8]) -> Outcome { Self.write(octets, to: descriptor) }

    /// The same for any descriptor.
    package static func write(_ octets: [UInt8], to descriptor: CInt) -> Outcome {
        var written = 0
        while written < octets.count {
            let count = octets.withUnsafeBytes { all in
                Glibc.write(descriptor, all.baseAddress?.advanced(by: written), all.count - written)
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&event, 1, -1)
                continue
            }
            guard count > 0 else { return .failed(errno) }
            written += count
        }
        return .written
    }
}
