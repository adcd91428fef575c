internal import Octets

/// The answers to one accessory, sent one after the other in the order of their commands (S4).
struct AnswerQueue: ~Copyable, Sendable {
    /// An answer, and how to send it.
    struct Entry: Sendable {
        var answer: Answer
        /// The command that it answers; `nil` for a duplicate.
        var command: ProviderSession.Command?
        var fragmentSizes: FragmentSizes
        /// The earliest time at which it may begin; `nil` for at once.
        var start: MonotonicInstant?
        /// Whether its last value is held for the next answer.
        var waitsForNext = false
        /// Whether the link is dropped at its end.
        var dropsLink = false

        init(
            _ answer: Answer, to command: ProviderSession.Command, _ fragmentSizes: FragmentSizes
        ) {
            self.answer = answer
            self.command = command
            self.fragmentSizes = fragmentSizes
        }
    }

    /// A value to send, and the answers that end with it.
    struct Value: Sendable {
        var octets: [UInt8] = []
        var finished: [Entry] = []
    }

    /// The answer being sent, cut by the ATT_MTU at which it began.
    private struct Current: Sendable {
        var entry: Entry
        var sizer: FragmentSizer
    }

    private var current: Current?
    private var waiting = Queue<Entry>()
    private var now = MonotonicInstant.zero

    /// The number of answers, including the one being sent.
    var count: Int { waiting.count + (current == nil ? 0 : 1) }

    /// When the next answer may begin, if it may not yet.
    var nextDeadline: MonotonicInstant? { isNextReady ? nil : waiting.first?.start }

    mutating func append(_ entry: Entry) { waiting.append(entry) }

    mutating func handleTimeout(at now: MonotonicInstant) { self.now = max(self.now, now) }

    /// Removes all answers and returns them.
    mutating func removeAll() -> [Entry] {
        var entries = current.map { [$0.entry] } ?? []
        entries += waiting.removeAll { _ in true }
        current = nil
        return entries
    }

    /// The next value; `nil` if there is none, or none yet. With `joins`, the next answer begins in the last
    /// value of the one before.
    mutating func nextValue(attMTU: Int, joins: Bool) -> Value? {
        let limit = attMTU - 3
        guard var sending = current ?? popReady(limit) else { return nil }
        current = sending
        let size = sending.sizer.next()
        if isWaitingForNext(sending, size) { return nil }
        var value = Value()
        value.octets.reserveCapacity(min(size, sending.entry.answer.remainingCount))
        sending.entry.answer.take(size, into: &value.octets)
        current = sending
        while let ended = current, ended.entry.answer.remainingCount == 0 {
            value.finished.append(ended.entry)
            current = nil
            let room = size - value.octets.count
            guard room > 0, joins || ended.entry.waitsForNext, !ended.entry.dropsLink,
                var next = popReady(limit)
            else { break }
            next.entry.answer.take(room, into: &value.octets)
            current = next
        }
        return value
    }

    private var isNextReady: Bool {
        guard let next = waiting.first else { return false }
        return next.start.map { $0 <= now } ?? true
    }

    private mutating func popReady(_ limit: Int) -> Current? {
        guard isNextReady, let entry = waiting.popFirst() else { return nil }
        return Current(entry: entry, sizer: FragmentSizer(entry.fragmentSizes, limit: limit))
    }

    private func isWaitingForNext(_ sending: Current, _ size: Int) -> Bool {
        sending.entry.waitsForNext && !sending.entry.dropsLink
            && sending.entry.answer.remainingCount <= size && !isNextReady
    }
}
