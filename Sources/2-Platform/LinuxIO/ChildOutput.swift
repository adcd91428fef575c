internal import Glibc

/// What a program writes to standard output and error. On its loop's thread only.
final class ChildOutput: @unchecked Sendable {
    // Unchecked: everything mutable is touched on the loop's thread only.

    /// The octets that are read at once, the size of a pipe.
    private static let size = 65_536
    /// The pieces that are read in one turn of the loop, so that a program that never stops writing does not hold it.
    private static let piecesInTurn = 4

    private let loop: EventLoop
    private let descriptor: OwnedDescriptor
    private let receive: @Sendable ([UInt8]) -> Void
    private var registration: DescriptorRegistration?

    init(
        _ descriptor: OwnedDescriptor, to receive: @escaping @Sendable ([UInt8]) -> Void,
        on loop: EventLoop
    ) throws(IOError) {
        (self.loop, self.descriptor, self.receive) = (loop, descriptor, receive)
        registration = try loop.register(descriptor.number, for: .readable) { [weak self] _ in
            self?.read()
        }
    }

    /// Reads what is left in the pipe, and closes it. A program that was left running gets SIGPIPE at its next write.
    func end() {
        read()
        close()
    }

    private func close() {
        guard let registration = exchange(&registration, with: nil) else { return }
        loop.unregister(registration)
        descriptor.close()
    }

    private func read() {
        for _ in 0..<Self.piecesInTurn where registration != nil {
            guard let octets = nextOctets(of: descriptor.number, atMost: Self.size) else {
                // The pipe is empty, or cannot be read.
                return errno == EAGAIN ? () : close()
            }
            // Nobody writes to it any more.
            guard !octets.isEmpty else { return close() }
            receive(octets)
        }
    }
}
