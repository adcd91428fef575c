internal import Foundation
internal import LinuxIO

/// Calls the delegates of a manager on its queue: one at a time, in order, and never after the manager is gone.
///
/// While the program does not run its queue, because it suspended it or blocks it, calls wait. At most 1,000 of them
/// are values and discoveries, and at most 10,000 are anything else; further ones are dropped, which is said on standard
/// error.
///
/// On a virtual clock, the loop waits until the queue has made the calls: no virtual time passes meanwhile.
final class DelegateQueue<Owner: AnyObject>: @unchecked Sendable {
    // Unchecked: `owner` is set before the first call, and everything else is behind the lock.

    /// What is to be done on the queue.
    typealias Call = @Sendable (Owner) -> Void

    private struct State {
        var calls: [Call] = []
        var values = 0
        var dropped = 0
        var isScheduled = false
    }

    private static var maximumValues: Int { 1_000 }
    private static var maximumCalls: Int { 10_000 }

    /// The manager.
    weak var owner: Owner?
    private let queue: DispatchQueue
    private let loop: EventLoop?
    private let state = Lock(State())

    init(_ queue: DispatchQueue, virtualTimeOf loop: EventLoop?) {
        self.queue = queue
        self.loop = loop?.clock == .monotonic ? nil : loop
    }

    /// Makes a call after those before it. A value is one of many, and may be dropped.
    func post(isValue: Bool = false, _ call: @escaping Call) {
        let isFirst = state.withLock { state in
            guard state.calls.count - state.values < Self.maximumCalls,
                !isValue || state.values < Self.maximumValues
            else {
                state.dropped += 1
                return false
            }
            state.calls.append(call)
            if isValue { state.values += 1 }
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { schedule() }
    }

    private func schedule() {
        guard let loop else { return queue.async { self.drain() } }
        loop.execute { [queue] in queue.sync { self.drain() } }
    }

    private func drain() {
        let (calls, dropped) = state.withLock { state in
            defer { (state.calls, state.values, state.dropped) = ([], 0, 0) }
            return (state.calls, state.dropped)
        }
        if dropped > 0 {
            Diagnostics.write(
                "\(dropped) calls of the delegate were dropped, because its queue did not run")
        }
        for call in calls {
            guard let owner else { break }
            call(owner)
        }
        let hasMore = state.withLock { state in
            state.isScheduled = !state.calls.isEmpty
            return state.isScheduled
        }
        if hasMore { schedule() }
    }
}
