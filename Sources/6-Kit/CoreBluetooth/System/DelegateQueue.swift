internal import Foundation
internal import LinuxIO

/// Calls the delegates of a manager on its queue: one at a time, in order, and never after the manager is gone.
///
/// While the program does not run its queue, because it suspended it or blocks it, calls wait. At most 10,000 of them
/// are values and discoveries, and as many are anything else; further ones are dropped, which is said on standard
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

    /// More than a second of the fastest link.
    private static var limit: Int { 10_000 }

    /// The manager.
    weak var owner: Owner?
    private let queue: DispatchQueue
    private let loop: EventLoop?
    private let state = Lock(State())

    init(_ queue: DispatchQueue, on loop: EventLoop?) { (self.queue, self.loop) = (queue, loop) }

    /// Makes a call after those before it. A value is one of many, and may be dropped.
    func post(isValue: Bool = false, _ call: @escaping Call) {
        let isFirst = state.withLock { state in
            guard state.calls.count - state.values < Self.limit,
                !isValue || state.values < Self.limit
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
        let isVirtual = loop.map { $0.clock != .monotonic } ?? false
        guard let loop, loop.isCurrent || isVirtual else { return queue.async { self.drain() } }
        // At the end of the round: what arrives together wakes the queue once.
        loop.execute { [queue] in
            if isVirtual { queue.sync { self.drain() } } else { queue.async { self.drain() } }
        }
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
