internal import Octets

/// Remembers which notifications earlier sessions have delivered. Only its content identifies a notification
/// across sessions (R51), and content must not be kept (R52). This type therefore keeps digests, which the
/// owner computes with a secret key, and drops the oldest ones.
public struct NotificationMemory: Sendable {
    private let limit: Int
    private var sessions: [UInt128: UInt64] = [:]
    private var order = Queue<UInt128>()
    private var lastSession: UInt64 = 0

    /// A memory of at most `limit` digests, starting with earlier ones, oldest first.
    public init(limit: Int = 4096, digests: [UInt128] = []) {
        self.limit = max(1, limit)
        for digest in digests { _ = note(digest, session: 0) }
    }

    /// The digests, oldest first.
    public var digests: [UInt128] {
        var digests: [UInt128] = []
        var rest = order
        while let digest = rest.popFirst() { digests.append(digest) }
        return digests
    }

    /// Begins a session and returns its number.
    public mutating func beginSession() -> UInt64 {
        lastSession += 1
        return lastSession
    }

    /// Remembers a digest; returns whether another session has remembered it before. Two equal notifications
    /// within one session count as two.
    public mutating func note(_ digest: UInt128, session: UInt64) -> Bool {
        if let earlier = sessions[digest] { return earlier != session }
        sessions[digest] = session
        order.append(digest)
        if order.count > limit, let oldest = order.popFirst() { sessions[oldest] = nil }
        return false
    }
}

extension NotificationFeed.Delivery {
    /// The octets that tell a notification apart from others in any session: its app, date and texts, each
    /// preceded by its length. `nil` if it was removed or its content is not known.
    public var identifyingOctets: [UInt8]? {
        guard source.eventID != .removed, failure == nil, !isWithheld else { return nil }
        var octets: [UInt8] = []
        for id in [NotificationAttributeID.appIdentifier, .date, .title, .subtitle, .message] {
            guard let value = self[id] else { continue }
            let count = value.octets.count
            octets += [id.rawValue, UInt8(count & 0xFF), UInt8(count >> 8 & 0xFF)] + value.octets
        }
        return octets.isEmpty ? nil : octets
    }
}
