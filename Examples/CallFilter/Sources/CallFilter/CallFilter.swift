import ANCSKit

/// Lets calls of some people pass, and treats all others alike.
public struct CallFilter: Sendable {
    /// What to do with a call.
    public enum Verdict: Sendable {
        /// Show it.
        case pass
        /// Let it ring, but do not show it.
        case silence
        /// Decline it on the phone.
        case decline
    }

    /// The people whose calls pass, by the names that the phone shows.
    public var callers: Set<String>
    /// What to do with the calls of all others.
    public var others: Verdict

    /// A filter.
    public init(callers: Set<String>, others: Verdict) {
        self.callers = callers
        self.others = others
    }

    /// What to do with a call.
    public func verdict(on caller: String) -> Verdict {
        callers.contains(caller) ? .pass : others
    }

    /// Filters the calls of every phone that connects, until the consumer is stopped.
    public func run(
        on consumer: NotificationConsumer, report: @escaping @Sendable (String) -> Void
    ) async throws {
        try await consumer.run { session in
            for await event in session.events {
                guard case .notification(let call) = event, call.event == .added,
                    call.category == .incomingCall
                else { continue }
                switch verdict(on: call.title) {
                case .pass: report("\(call.title) is calling")
                case .silence: break
                case .decline:
                    do throws(RequestError) {
                        try await session.perform(.negative, on: call.uid)
                        report("declined a call from \(call.title)")
                    } catch { report("could not decline a call: \(error.message)") }
                }
            }
        }
    }
}
