internal import Octets

/// The octets of the Data Source, given to the request that they answer.
///
/// Nothing but its identity ties an answer to its command (S4). An answer that comes after its request
/// has ended starts with an identity that is kept for this: it is read to its end, and never taken for
/// the answer to the next request. If it has the identity of the answer that was taken last, that one
/// was not the newest.
struct DataSourceStream: Sendable {
    /// An answer that is or was waited for.
    struct Expectation: Hashable, Sendable {
        var identity: ResponseIdentity
        var requested: AttributeIDSet
    }

    /// What a value meant.
    struct Finding: Hashable, Sendable {
        enum Result: Hashable, Sendable {
            /// The answer that is waited for is whole.
            case complete(AttributeResponse)
            /// The answer that is waited for is longer than any may be.
            case tooLong
            /// A later answer to the question that was answered last is whole.
            case superseding(AttributeResponse)
        }
        /// Whether octets of the answer that is waited for came.
        var isProgress = false
        /// What is whole now, in the order in which it came.
        var results: [Result] = []
        /// How many octets were nobody's.
        var discarded = 0
        /// Whether the answer has come that is waited for.
        fileprivate var isAnswered = false
    }

    private enum Recipient: Hashable, Sendable {
        case current(Expectation)
        /// A request that has ended.
        case late
        /// The request that was answered last.
        case answered(Expectation)
        case nobody
    }

    private enum State: Sendable {
        case start
        case header(ResponseHeaderReader)
        case answer(AttributeReader, Recipient)
    }

    private let limits: ResponseLimits
    private let maximumLateAnswers: Int
    private var state = State.start
    private var late: [Expectation] = []
    /// What was answered last.
    private var answered: Expectation?
    private var beginnings = AnswerBeginnings()

    init(limits: ResponseLimits, maximumLateAnswers: Int) {
        self.limits = limits
        self.maximumLateAnswers = maximumLateAnswers
    }

    /// The attributes that have come for the request that waits; `nil` before its answer starts.
    var attributesOfCurrent: [AttributeValue]? {
        guard case .answer(let reader, .current) = state else { return nil }
        return reader.attributes
    }

    /// Whether the answer that has started is about an app, and nothing but a header so far (S23).
    var isAppHeaderOnly: Bool {
        guard case .answer(let reader, .current(let expectation)) = state,
            case .app = expectation.identity
        else { return false }
        return reader.attributes.isEmpty && reader.isBetweenAttributes
    }

    /// The request that waits has ended before its answer was complete.
    mutating func abandon(_ expectation: Expectation) {
        if case .answer(let reader, .current) = state {
            state = .answer(reader, .late)
            return
        }
        guard maximumLateAnswers > 0 else { return }
        if late.count >= maximumLateAnswers { late.removeFirst() }
        late.append(expectation)
    }

    /// The request that waits was refused: no answer comes (R61).
    mutating func forget() {
        if case .answer(_, .current) = state { state = .start }
    }

    /// A value was received while `current` was waited for.
    mutating func receive(_ value: Span<UInt8>, current: Expectation?) -> Finding {
        var finding = Finding()
        if let beginning = synchronise(to: value, current) {
            state = .start
            read(beginning.span, current, &finding)
        }
        read(value, current, &finding)
        return finding
    }

    private mutating func read(
        _ value: Span<UInt8>, _ current: Expectation?, _ finding: inout Finding
    ) {
        var rest = value
        while !rest.isEmpty {
            do throws(ResponseFailure) {
                switch exchange(&state, with: .start) {
                case .start:
                    state = .header(ResponseHeaderReader())
                case .header(let reader):
                    // Once its answer is complete, another with the same identity is a late one.
                    let awaited = finding.isAnswered ? nil : current
                    try readHeader(consume reader, &rest, awaited, &finding)
                case .answer(let reader, let recipient):
                    try readAnswer(consume reader, recipient, &rest, &finding)
                }
            } catch {
                // What follows in this value cannot be told apart; the next value may start anew.
                finding.discarded += rest.count
                return
            }
        }
    }

    /// A value that starts like an answer that is waited for starts this answer, whatever was cut off
    /// before it: the octets of earlier values that it starts with, or `nil` if the value goes on with
    /// what was there.
    private mutating func synchronise(
        to value: Span<UInt8>, _ current: Expectation?
    ) -> [UInt8]? {
        var isStart = true
        switch state {
        case .start:
            guard !beginnings.isEmpty else { return nil }
        case .answer(let reader, .current):
            isStart = reader.isBetweenAttributes
            guard isStart || !beginnings.isEmpty else { return nil }
        case .answer(_, .late), .answer(_, .answered), .answer(_, .nobody):
            break
        case .header(let reader):
            guard let current else { return nil }
            if reader.isContinued(by: value, to: current.identity) {
                beginnings.note(value, [current.identity], isStart: true)
                return nil
            }
        }
        var identities = current.map { [$0.identity] } ?? []
        if case .answer(_, .nobody) = state {
            identities += late.map { $0.identity }
            if let answered { identities.append(answered.identity) }
        }
        return beginnings.find(identities, in: value, isStart: isStart)
    }

    private mutating func readHeader(
        _ reader: consuming ResponseHeaderReader, _ rest: inout Span<UInt8>,
        _ current: Expectation?, _ finding: inout Finding
    ) throws(ResponseFailure) {
        let identity = try reader.take(&rest)
        guard let identity else {
            state = .header(reader)
            return
        }
        if let current, current.identity == identity {
            beginnings.removeAll()
            finding.isProgress = true
            state = .answer(self.reader(current.requested), .current(current))
        } else if let index = late.firstIndex(where: { $0.identity == identity }) {
            let expectation = late.remove(at: index)
            state = .answer(
                self.reader(expectation.requested),
                expectation == answered ? .answered(expectation) : .late)
        } else if let answered, answered.identity == identity {
            state = .answer(self.reader(answered.requested), .answered(answered))
        } else {
            state = .answer(self.reader(AttributeIDSet()), .nobody)
        }
    }

    private mutating func readAnswer(
        _ reader: consuming AttributeReader, _ recipient: Recipient, _ rest: inout Span<UInt8>,
        _ finding: inout Finding
    ) throws(ResponseFailure) {
        let count = rest.count
        switch recipient {
        case .current(let expectation):
            finding.isProgress = true
            do throws(ResponseFailure) {
                guard try reader.take(&rest) else { break }
            } catch {
                finding.isAnswered = true
                finding.results.append(.tooLong)
                throw error
            }
            finding.isAnswered = true
            finding.results.append(.complete(Self.response(expectation, reader)))
            answered = expectation
            discardExcess(&rest, &finding)
            return
        case .answered(let expectation):
            guard try reader.take(&rest) else { break }
            finding.results.append(.superseding(Self.response(expectation, reader)))
            return
        case .late, .nobody:
            let isComplete = try reader.take(&rest)
            finding.discarded += count - rest.count
            guard !isComplete else { return }
        }
        state = .answer(reader, recipient)
    }

    /// After an answer only another one that is known to be late can follow in the same value.
    private func discardExcess(_ rest: inout Span<UInt8>, _ finding: inout Finding) {
        guard !rest.isEmpty else { return }
        let value = rest
        if let answered, value.matches(answered.identity) { return }
        guard !late.contains(where: { value.matches($0.identity) }) else { return }
        finding.discarded += rest.count
        rest = rest.extracting(droppingFirst: rest.count)
    }

    private func reader(_ requested: AttributeIDSet) -> AttributeReader {
        AttributeReader(requested, keeping: .requested, limits: limits)
    }

    private static func response(
        _ expectation: Expectation, _ reader: borrowing AttributeReader
    ) -> AttributeResponse {
        AttributeResponse(identity: expectation.identity, attributes: reader.attributes)
    }
}
