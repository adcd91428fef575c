internal import BluetoothLE
internal import Octets

// What the owners of both roles want of a host.
extension HostDriver {
    /// Does what may have become pointless since it was decided, for example because the link is gone.
    @discardableResult
    func attempt(
        _ body: (inout Host<OpenSSLToolbox>, MonotonicInstant) throws(HostUsageError) -> Void
    ) -> HostUsageError? {
        do throws(HostUsageError) {
            try input(body)
            return nil
        } catch { return error }
    }

    /// Answers a question about pairing. An answer that came too late is no fault: the question was
    /// withdrawn.
    func answer(_ answer: PairingAnswer, on handle: ConnectionHandle) {
        attempt { host, now throws(HostUsageError) in
            switch answer {
            case .confirm(let isConfirmed):
                try host.confirmPairing(handle, isConfirmed, at: now)
            case .passkey(let passkey): try host.enterPasskey(handle, passkey, at: now)
            case .cancel: try host.cancelPairing(handle, at: now)
            }
        }
    }

    /// Ends a link.
    func disconnect(_ handle: ConnectionHandle) {
        attempt { host, now throws(HostUsageError) in try host.disconnect(handle, at: now) }
    }
}
