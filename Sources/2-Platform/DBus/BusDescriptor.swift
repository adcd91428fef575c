internal import Glibc
public import LinuxIO

/// A file descriptor that was received in a message, or is sent in one. It is closed when this object is
/// released.
public final class BusDescriptor: IdentityHashable, Sendable {
    /// The number of the descriptor in this process; it must not be closed by others.
    public let number: Int32

    /// Takes ownership of a descriptor.
    public init(owning number: Int32) { self.number = number }

    deinit { close(number) }
}
