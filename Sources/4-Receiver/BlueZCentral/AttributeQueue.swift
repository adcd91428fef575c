internal import ANCSEvents
internal import BluetoothTypes
internal import BlueZ
internal import DBus
internal import Octets

/// The requests about an attribute, one after the other: bluetoothd refuses a second write to an attribute with
/// `InProgress`, and answers reads in the order of its own. Of several clients and kinds they stay in order.
struct AttributeQueue: Sendable {
    enum Kind: Equatable, Sendable {
        case read
        case write([UInt8], RemotePeer.WriteKind)

        /// Whether it is a write without a response.
        var isCommand: Bool { if case .write(_, .command) = self { true } else { false } }
    }

    /// A request that waits, or is under way.
    struct Request: Equatable, Sendable {
        let id: RemotePeer.RequestID
        let client: ClientID
        let kind: Kind
        let path: ObjectPath
        /// Identifies it in calls.
        let number: UInt64
        /// Whether the peer was paired for it.
        var hasPaired = false
    }

    /// A request that was called, perhaps more than once.
    struct Attempt: Equatable, Sendable {
        /// When the peer, which is not bonded, is suspected of refusing it; `nil` for never.
        var suspectAt: MonotonicInstant?
        /// Until when it is called again.
        let end: MonotonicInstant
        /// The next pause before it is called again.
        var pause = RemotePeer.firstRequestPause
    }

    /// The state of the first request.
    enum State: Equatable, Sendable {
        /// There is none, or it may not be called yet.
        case resting
        case called(Attempt)
        /// Another program's request is in progress; this one is called again at this time.
        case pausing(until: MonotonicInstant, Attempt)
        /// It was refused for want of security, and is called again when the peer is paired.
        case awaitingPairing
    }

    private(set) var requests: [Request] = []
    var state = State.resting
    /// Values that were broadcast while the first request reads. One of them is what it has read, which bluetoothd
    /// broadcasts before it replies.
    private var heard: [[UInt8]] = []
    private static let maximumHeard = 16

    var first: Request? { requests.first }
    var isEmpty: Bool { requests.isEmpty }
    /// Whether values were broadcast meanwhile.
    var hasHeard: Bool { !heard.isEmpty }

    /// Whether a write with a response was called, and is not answered.
    var isWriting: Bool {
        guard case .called = state, case .write(_, let how) = first?.kind else { return false }
        return how != .command
    }

    mutating func append(_ request: Request) { requests.append(request) }

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

    /// Marks that the peer is paired for the first request.
    mutating func pair() { if !requests.isEmpty { requests[0].hasPaired = true } }

    /// Removes the first request, whose state ends.
    mutating func removeFirst() -> Request? {
        state = .resting
        return requests.isEmpty ? nil : requests.removeFirst()
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

    var nextDeadline: MonotonicInstant? {
        switch state {
        case .called(let attempt): attempt.suspectAt
        case .pausing(let until, _): until
        case .resting, .awaitingPairing: nil
        }
    }
}
