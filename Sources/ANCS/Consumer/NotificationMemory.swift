internal import Octets

/// Which notifications earlier sessions have delivered. Nothing names a notification across sessions but
/// its content (R51), and content is not to be kept (R52); so this keeps digests, which its owner makes
/// with a secret key, and forgets the oldest.
public struct NotificationMemory: Sendable {
    private let limit: Int
    private var sessions: [UInt128: UInt64] = [:]
    private var order = Queue<UInt128>()
    private var lastSession: UInt64 = 0

    /// A memory of digests that were kept, oldest first.
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

    /// Names a session that begins.
    public mutating func beginSession() -> UInt64 {
        lastSession += 1
        return lastSession
    }

    /// Keeps a digest; whether another session than this one kept it before. Two equal notifications of
    /// one session are two.
    public mutating func note(_ digest: UInt128, session: UInt64) -> Bool {
        if let earlier = sessions[digest] {
            return earlier != session
        }
        sessions[digest] = session
        order.append(digest)
        if order.count > limit, let oldest = order.popFirst() { sessions[oldest] = nil }
        return false
    }
}

extension NotificationFeed.Delivery {
    /// What tells a notification from others in any session: its app, date and texts, each behind its
    /// length. `nil` if it was removed, or if its content is not known.
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
