import ANCSKit

/// Lets the calls of some people pass.
public struct CallFilter: Sendable {
    /// What becomes of a call.
    public enum Verdict: Sendable {
        /// It is shown.
        case pass
        /// It rings on, but is not shown.
        case silence
        /// The phone is told to decline it.
        case decline
    }

    /// The people whose calls pass, by the names that the phone shows.
    public var callers: Set<String>
    /// What becomes of the calls of all others.
    public var others: Verdict

    /// A filter.
    public init(callers: Set<String>, others: Verdict) {
        self.callers = callers
        self.others = others
    }

    /// What becomes of a call.
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
                    } catch { report("a call rings on: \(error.message)") }
                }
            }
        }
    }
}
