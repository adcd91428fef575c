internal import Octets

/// The answers of one accessory, sent one after the other in the order of their commands (S4).
struct AnswerQueue: Sendable {
    /// An answer, and what is special about sending it.
    struct Entry: Sendable {
        var answer: Answer
        /// What it answers; `nil` for a repetition.
        var command: ProviderSession.Command?
        var fragmentSizes: FragmentSizes
        /// When it may begin.
        var start: MonotonicInstant?
        /// Its last value waits for the next answer.
        var waitsForNext = false
        /// The link is dropped at its end.
        var dropsLink = false

        init(
            _ answer: Answer, to command: ProviderSession.Command, _ fragmentSizes: FragmentSizes
        ) {
            self.answer = answer
            self.command = command
            self.fragmentSizes = fragmentSizes
        }
    }

    /// A value to send, and the answers that end in it.
    struct Value: Sendable {
        var octets: [UInt8] = []
        var finished: [Entry] = []
    }

    /// The entry on its way, cut as the ATT_MTU was when it began.
    private struct Current: Sendable {
        var entry: Entry
        var sizer: FragmentSizer
    }

    private var current: Current?
    private var waiting = Queue<Entry>()
    private var now = MonotonicInstant.zero

    /// How many answers there are, the one on its way included.
    var count: Int { waiting.count + (current == nil ? 0 : 1) }

    /// When the next answer may begin, if it may not yet.
    var nextDeadline: MonotonicInstant? { isNextReady ? nil : waiting.first?.start }

    mutating func append(_ entry: Entry) { waiting.append(entry) }

    mutating func handleTimeout(at now: MonotonicInstant) { self.now = max(self.now, now) }

    /// Forgets everything and returns it.
    mutating func removeAll() -> [Entry] {
        var entries = current.map { [$0.entry] } ?? []
        entries += waiting.removeAll { _ in true }
        current = nil
        return entries
    }

    /// The next value; `nil` if there is none, or none yet. Where `joins` is set, an answer that ends
    /// lets the next one begin in the same value.
    mutating func nextValue(attMTU: Int, joins: Bool) -> Value? {
        let limit = attMTU - 3
        guard var sending = current ?? popReady(limit) else { return nil }
        current = sending
        let size = sending.sizer.next()
        if isWaitingForNext(sending, size) { return nil }
        var value = Value()
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
