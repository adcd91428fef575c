public import DBus

/// What every machine at bluetoothd keeps of it.
///
/// What each message passes through is inlinable here, too, as in ``BlueZRunner``.
@usableFromInline
package struct DaemonDesk<Own: Equatable & Sendable, Report: Equatable & Sendable>: Sendable {
    /// The purpose of a pending call.
    @usableFromInline package enum Purpose: Equatable, Sendable {
        case look
        case registerAgent
        /// One that only the machine knows.
        case own(Own)
        /// Its reply is ignored.
        case nothing
    }

    @usableFromInline package var daemon = DaemonLife()
    @usableFromInline package var agent: PairingAgent
    /// The adapter in use.
    @usableFromInline package var adapter: ObjectPath?
    /// What `AcquireNotify` has done to bluetoothd.
    @usableFromInline package var sockets = SocketGuard()
    package var selinux = SELinuxState()
    @usableFromInline package var pending: [CallID: Purpose] = [:]
    @usableFromInline package var lastID: UInt64 = 0
    @usableFromInline package var outputs = Queue<BlueZOutput<Report>>(keepingOctets: 1_024)
    /// The adapter that was made pairable while something pairs: the kernel makes no bond otherwise.
    @usableFromInline var pairable: ObjectPath?

    package init(agent: PairingAgent) { self.agent = agent }
}
