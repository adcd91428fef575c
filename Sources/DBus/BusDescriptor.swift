internal import Glibc

/// A file descriptor that came in a message, or goes with one. It is closed when nobody holds this any more.
public final class BusDescriptor: Sendable {
    /// The number of the descriptor in this process; it stays this object's.
    public let number: Int32

    /// Takes a descriptor over.
    public init(owning number: Int32) { self.number = number }

    deinit { close(number) }
}

extension BusDescriptor: Hashable {
    /// Whether they are the same object.
    public static func == (left: BusDescriptor, right: BusDescriptor) -> Bool { left === right }

    /// By identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
