internal import BlueZ
// What is asked of the queue of an attribute that several clients share, and of which values may be broadcast.
extension AttributeQueue {
    private static let maximumHeard = 16

    /// Whether a write with a response was called, and is not answered.
    var isWriting: Bool {
        guard case .called = state, case .write(_, let how) = first?.kind else { return false }
        return how != .command
    }

    /// A value was broadcast: it is kept until the reply, if a read is under way. Returns the one to report now.
    mutating func hear(_ value: [UInt8]) -> [UInt8]? {
        guard case .called = state, first?.kind == .read else { return value }
        heard.append(value)
        return heard.count > Self.maximumHeard ? heard.removeFirst() : nil
    }

    /// The values that were broadcast, without what was read.
    mutating func takeHeard(without read: [UInt8]?) -> [[UInt8]] {
        var values = exchange(&heard, with: [])
        if let echo = values.lastIndex(where: { $0 == read }) { values.remove(at: echo) }
        return values
    }

    /// Removes the requests of a client that are not called at present.
    mutating func removeWaiting(of client: ClientID) -> [Request] {
        var kept: [Request] = []
        if case .called = state { kept = Array(requests.prefix(1)) }
        let removed = requests.dropFirst(kept.count).filter { $0.client == client }
        let first = requests.first
        requests = kept + requests.dropFirst(kept.count).filter { $0.client != client }
        if requests.first != first { state = .resting }
        return removed
    }
}
