package import ANCSEvents
package import DBus

/// The requests about an attribute, one after the other: bluetoothd refuses a second write to an attribute with
/// `InProgress`, and answers reads in the order of its own. Of several clients and kinds they stay in order, and a reply is
/// that of the first.
package struct AttributeQueue: Equatable, Sendable {
    /// Identifies a request of a client until it is answered. Chosen by the owner, and never used twice.
    package struct RequestID: Hashable, Sendable {
        package let rawValue: UInt64

        package init(rawValue: UInt64) { self.rawValue = rawValue }
    }

    /// How a value is written.
    package enum WriteKind: String, Equatable, Sendable {
        /// With a response, by as many PDUs as it needs.
        case request
        /// Without a response.
        case command
        /// By Reliable Writes: what the peer echoes is compared.
        case reliable
    }

    package enum Kind: Equatable, Sendable {
        case read
        case write([UInt8], WriteKind)

        /// Whether it is a write without a response.
        package var isCommand: Bool { if case .write(_, .command) = self { true } else { false } }
    }

    /// A request that waits, or is under way.
    package struct Request: Equatable, Sendable {
        package let id: RequestID
        package let client: ClientID
        package let kind: Kind
        package let path: ObjectPath
        /// Whether the peer was paired for it.
        package var hasPaired = false

        package init(id: RequestID, client: ClientID, kind: Kind, path: ObjectPath) {
            (self.id, self.client, self.kind, self.path) = (id, client, kind, path)
        }

        package var bus: BusCall {
            guard case .write(let value, let how) = kind else { return .read(path) }
            // How a descriptor is written is no choice. Without a type, bluetoothd would write a characteristic without a
            // response.
            let type = path.isOfDescriptor ? [:] : ["type": BusValue.string(how.rawValue)]
            return .attribute(path, "WriteValue", [.octets(value), .options(type)])
        }
    }

    /// A request that was called, perhaps more than once.
    package struct Attempt: Equatable, Sendable {
        /// When the peer, which is not bonded, is suspected of refusing it; `nil` for never.
        package var suspectAt: MonotonicInstant?
        /// Until when it is called again.
        let end: MonotonicInstant
        /// The next pause before it is called again.
        var pause = Duration.milliseconds(50)

        package init(suspectAt: MonotonicInstant? = nil, end: MonotonicInstant) {
            self.suspectAt = suspectAt
            self.end = end
        }
    }

    /// The state of the first request.
    package enum State: Equatable, Sendable {
        /// There is none, or it may not be called yet.
        case resting
        case called(Attempt)
        /// It was refused for the moment (``BusError/isMomentary``), and is called again at this time.
        case pausing(until: MonotonicInstant, Attempt)
        /// It was refused for want of security, and is called again when the peer is paired.
        case awaitingPairing
    }

    package var requests: [Request] = []
    package var state = State.resting
    /// Values that were broadcast while the first request reads. One of them is what it has read, which bluetoothd
    /// broadcasts before it replies.
    package var heard: [[UInt8]] = []
    /// The pause before a request is called again doubles up to this.
    private static let pauseLimit = Duration.milliseconds(400)

    package init() {}

    package var first: Request? { requests.first }
    package var isEmpty: Bool { requests.isEmpty }

    package mutating func append(_ request: Request) { requests.append(request) }

    /// Returns the first request if it may be called, which it is then. What the peer was paired for, or does not answer,
    /// is not suspected of being refused for want of security.
    package mutating func callFirst(_ attempt: Attempt) -> Request? {
        guard state == .resting, let request = requests.first else { return nil }
        var attempt = attempt
        if request.hasPaired || request.kind.isCommand { attempt.suspectAt = nil }
        state = .called(attempt)
        return request
    }

    /// Removes all requests that wait behind the first one.
    mutating func removeWaiting() { requests = Array(requests.prefix(1)) }

    /// The peer was paired for the first request, which may be called again.
    package mutating func paired() {
        guard state == .awaitingPairing else { return }
        state = .resting
        if !requests.isEmpty { requests[0].hasPaired = true }
    }

    /// The request waits, for what does not take long unless another program never stops: returns `false` when there was
    /// time enough.
    package mutating func pause(_ attempt: Attempt, at now: MonotonicInstant) -> Bool {
        let until = now + attempt.pause
        guard until < attempt.end else { return false }
        var next = attempt
        next.pause = min(attempt.pause * 2, Self.pauseLimit)
        next.suspectAt = nil
        state = .pausing(until: until, next)
        return true
    }

    /// Ends a pause that is over; returns the attempt that is due.
    package mutating func resume(at now: MonotonicInstant) -> Attempt? {
        guard case .pausing(let until, let attempt) = state, until <= now else { return nil }
        state = .resting
        return attempt
    }

    /// Removes the first request, whose state ends. Returns it, and whether it was the last one.
    package mutating func removeFirst() -> (id: RequestID, isLast: Bool)? {
        state = .resting
        guard !requests.isEmpty else { return nil }
        let id = requests.removeFirst().id
        return (id, requests.isEmpty)
    }

    package var nextDeadline: MonotonicInstant? {
        switch state {
        case .called(let attempt): attempt.suspectAt
        case .pausing(let until, _): until
        case .resting, .awaitingPairing: nil
        }
    }
}
