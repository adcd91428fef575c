internal import Octets

/// The octets of the Data Source, given to the request that they answer.
///
/// Nothing but its identity ties an answer to its command (S4). An answer that comes after its request
/// has ended starts with an identity that is kept for this: it is read to its end and dropped, and never
/// taken for the answer to the next request.
struct DataSourceStream: Sendable {
    /// An answer that is or was waited for.
    struct Expectation: Hashable, Sendable {
        var identity: ResponseIdentity
        var requested: AttributeIDSet
    }

    /// What a value meant for the request that waits.
    struct Finding: Hashable, Sendable {
        enum Result: Hashable, Sendable {
            case incomplete
            case complete(AttributeResponse)
            case tooLong
        }
        /// Whether octets of the answer came.
        var isProgress = false
        var result = Result.incomplete
        /// How many octets were nobody's.
        var discarded = 0
    }

    private enum Recipient: Hashable, Sendable {
        case current(Expectation)
        case late
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
        if late.count == maximumLateAnswers { late.removeFirst() }
        if maximumLateAnswers > 0 { late.append(expectation) }
    }

    /// The request that waits was refused: no answer comes (R61).
    mutating func forget() {
        if case .answer(_, .current) = state { state = .start }
    }

    /// A value was received while `current` was waited for.
    mutating func receive(_ value: Span<UInt8>, current: Expectation?) -> Finding {
        var finding = Finding()
        var rest = value
        synchronise(to: value, current)
        while !rest.isEmpty {
            do throws(ResponseFailure) {
                switch exchange(&state, with: .start) {
                case .start:
                    state = .header(ResponseHeaderReader())
                case .header(let reader):
                    // Once its answer is complete, another with the same identity is a late one.
                    let awaited = finding.result == .incomplete ? current : nil
                    try readHeader(consume reader, &rest, awaited, &finding)
                case .answer(let reader, let recipient):
                    try readAnswer(consume reader, recipient, &rest, &finding)
                }
            } catch {
                // What follows in this value cannot be told apart; the next value may start anew.
                finding.discarded += rest.count
                return finding
            }
        }
        return finding
    }

    /// A value that starts like an answer that is waited for starts this answer, whatever was cut off
    /// before it.
    private mutating func synchronise(to value: Span<UInt8>, _ current: Expectation?) {
        switch state {
        case .start:
            break
        case .answer(let reader, .current):
            guard let current, reader.isBetweenAttributes else { return }
            if value.starts(current.identity) { state = .start }
        case .header(let reader):
            guard let current, !reader.isContinued(by: value, to: current.identity) else { return }
            if value.starts(current.identity) { state = .start }
        case .answer(_, .late):
            if let current, value.starts(current.identity) { state = .start }
        case .answer(_, .nobody):
            let expected = (current.map { [$0] } ?? []) + late
            if expected.contains(where: { value.starts($0.identity) }) { state = .start }
        }
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
            finding.isProgress = true
            state = .answer(self.reader(current.requested), .current(current))
        } else if let index = late.firstIndex(where: { $0.identity == identity }) {
            state = .answer(self.reader(late.remove(at: index).requested), .late)
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
                finding.result = .tooLong
                throw error
            }
            finding.result = .complete(
                AttributeResponse(identity: expectation.identity, attributes: reader.attributes))
            discardExcess(&rest, &finding)
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
        let value = rest
        guard !late.contains(where: { value.starts($0.identity) }) else { return }
        finding.discarded += rest.count
        rest = rest.extracting(droppingFirst: rest.count)
    }

    private func reader(_ requested: AttributeIDSet) -> AttributeReader {
        AttributeReader(requested, keeping: .requested, limits: limits)
    }
}

extension Span where Element == UInt8 {
    /// Whether the octets are the start of an answer with this identity, as far as they go. Fewer than
    /// five octets of it do not tell.
    fileprivate func starts(_ identity: ResponseIdentity) -> Bool {
        let header = identity.header
        let compared = Swift.min(count, header.count)
        guard compared >= Swift.min(5, header.count) else { return false }
        for index in 0..<compared where self[index] != header[index] { return false }
        return true
    }
}
