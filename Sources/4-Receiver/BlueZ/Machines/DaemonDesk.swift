package import DBus

/// What every machine at bluetoothd keeps of it.
package struct DaemonDesk<Own: Equatable & Sendable, Report: Equatable & Sendable>: Sendable {
    /// The purpose of a pending call.
    package enum Purpose: Equatable, Sendable {
        case look
        case registerAgent
        /// One that only the machine knows.
        case own(Own)
        /// Its reply is ignored.
        case nothing
    }

    package var daemon = DaemonLife()
    package var agent: PairingAgent
    /// The adapter in use.
    package var adapter: ObjectPath?
    /// What `AcquireNotify` has done to bluetoothd.
    package var sockets = SocketGuard()
    package var selinux = SELinuxState()
    package var pending: [CallID: Purpose] = [:]
    package var lastID: UInt64 = 0
    package var outputs = Queue<BlueZOutput<Report>>(keepingOctets: 1_024)
    /// The adapter that was made pairable while something pairs: the kernel makes no bond otherwise.
    var pairable: ObjectPath?

    package init(agent: PairingAgent) { self.agent = agent }
}
