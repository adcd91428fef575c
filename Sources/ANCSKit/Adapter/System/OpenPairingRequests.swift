internal import BluetoothLE

/// The requests of pairing that take an answer: one of a link at most. None ever has the name of another.
struct OpenPairingRequests {
    private var last: UInt64 = 0
    private var open: [ConnectionHandle: UInt64] = [:]

    /// Pairing on a link asks something, and does not want to know any more what it asked before.
    mutating func ask(on link: ConnectionHandle) -> UInt64 {
        last += 1
        open[link] = last
        return last
    }

    /// The link whose request this is, which takes one answer; `nil` where it takes none any more.
    mutating func take(_ request: UInt64) -> ConnectionHandle? {
        guard let link = open.first(where: { $0.value == request })?.key else { return nil }
        open[link] = nil
        return link
    }

    /// Pairing on a link ended, or the link.
    mutating func withdraw(on link: ConnectionHandle) { open[link] = nil }
}
