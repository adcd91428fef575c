internal import BluetoothLE

/// The pairing requests that can be answered, at most one for each link. Identifiers are never reused.
struct OpenPairingRequests {
    private var last: UInt64 = 0
    private var open: [ConnectionHandle: UInt64] = [:]

    /// Pairing on a link asks a question; an earlier question of it is withdrawn.
    mutating func ask(on link: ConnectionHandle) -> UInt64 {
        last += 1
        open[link] = last
        return last
    }

    /// The link of a request; each request is returned once, then `nil`.
    mutating func take(_ request: UInt64) -> ConnectionHandle? {
        guard let link = open.first(where: { $0.value == request })?.key else { return nil }
        open[link] = nil
        return link
    }

    /// Pairing on a link has ended, or the link has.
    mutating func withdraw(on link: ConnectionHandle) { open[link] = nil }
}
