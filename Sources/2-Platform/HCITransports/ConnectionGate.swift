internal import LinuxIO

/// Decides which connections to a TCP port of this machine are taken: every user of it can connect.
///
/// One connection is taken at a time, but the port stays open: a second one is either refused, or makes it uncertain which
/// of the two is meant.
package struct ConnectionGate: Sendable {
    /// The pause before a second connection counts: a program that starts again may connect before the end of its first
    /// connection is noticed.
    static let patience = Duration.milliseconds(500)

    /// Whether a connection may be taken; its owner is `nil` if no socket of this machine is its other end.
    package let admits: @Sendable (TCPOwner?) -> Bool
    /// A second connection that may be taken was made while the first one lasts.
    package let contended: @Sendable () -> Void

    package init(
        admits: @escaping @Sendable (TCPOwner?) -> Bool, contended: @escaping @Sendable () -> Void
    ) {
        self.admits = admits
        self.contended = contended
    }

    /// Whether the other end of a connection may be connected.
    func admits(peerOf descriptor: OwnedDescriptor) -> Bool {
        admits(
            TCPOwner(
                local: SocketAddress(connectedTo: descriptor.number),
                remote: SocketAddress(boundTo: descriptor.number)))
    }
}
