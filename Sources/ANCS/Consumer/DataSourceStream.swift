internal import Octets

/// The octets of the Data Source, given to the request that they answer.
///
/// Nothing but its identity ties an answer to its command (S4). An answer that comes after its request
/// has ended starts with an identity that is kept for this: it is read to its end, and never taken for
/// the answer to the next request. If it has the identity of the answer that was taken last, that one
/// was not the newest.
struct DataSourceStream: Sendable {
    /// What octets from the front of a value meant.
    enum Finding: Sendable {
        /// Nothing, or not yet.
        case nothing
        /// They belong to the answer that is waited for.
        case progress
        /// With them the answer that is waited for is whole.
        case complete(AttributeResponse)
        /// The answer that is waited for is longer than any may be.
        case tooLong
        /// A later answer to the question that was answered last is whole.
        case superseding(AttributeResponse)
    }

    /// What the next octet belongs to.
    private enum Part: Sendable {
        /// The header of an answer, as far as ``header`` has it.
        case header
        /// The answer that is waited for.
        case current
        /// The answer to a request that has ended.
        case late
        /// Another answer to the request that was answered last.
        case answered
        /// An answer that nobody asked for.
        case unknown
    }

    private let limits: ResponseLimits
    private let maximumLateAnswers: Int
    private var part = Part.header
    /// The two readers stay where they are, so that an octet moves nothing but itself.
    private var header = ResponseHeaderReader()
    private var attributes: AttributeReader
    /// The command whose answer is being read, if it is known.
    private var command: WrittenCommand?
    private var late: [WrittenCommand] = []
    /// What was answered last.
    private var answered: WrittenCommand?
    private var beginnings = AnswerBeginnings()
    /// How many octets were nobody's.
    private(set) var discardedOctets = 0

    init(limits: ResponseLimits, maximumLateAnswers: Int) {
        self.limits = limits
        self.maximumLateAnswers = maximumLateAnswers
        attributes = AttributeReader(AttributeIDSet(), keeping: .requested, limits: limits)
    }

    /// The attributes that have come for the request that waits; `nil` before its answer starts.
    var attributesOfCurrent: [AttributeValue]? {
        part == .current ? attributes.attributes : nil
    }

    /// Whether the answer that has started is about an app, and nothing but a header so far (S23).
    var isAppHeaderOnly: Bool {
        part == .current && command?.commandID == .getAppAttributes
            && attributes.attributes.isEmpty && attributes.isBetweenAttributes
    }

    /// The request that waits has ended before its answer was complete.
    mutating func abandon(_ command: WrittenCommand) {
        if part == .current {
            part = .late
            return
        }
        guard maximumLateAnswers > 0 else { return }
        if late.count >= maximumLateAnswers { late.remove(at: 0) }
        late.append(command)
    }

    /// The request that waits was refused: no answer comes (R61).
    mutating func forget() {
        if part == .current { part = .header }
    }

    /// A value that starts like an answer that is waited for starts this answer, whatever was cut off
    /// before it: the octets of earlier values that it starts with are read again, in front of it. Call it
    /// with each value, before the value is read.
    mutating func synchronise(to value: Span<UInt8>, _ current: WrittenCommand?) -> [UInt8] {
        guard let beginning = beginning(of: value, current) else { return [] }
        header = ResponseHeaderReader()
        part = .header
        return beginning
    }

    /// `nil` if the value goes on with what was there.
    private mutating func beginning(
        of value: Span<UInt8>, _ current: WrittenCommand?
    ) -> [UInt8]? {
        var isStart = true
        switch part {
        case .header where header.octets.isEmpty:
            guard !beginnings.isEmpty else { return nil }
        case .header:
            guard let current else { return nil }
            if header.octets.span.isStart(ofAnswerTo: current),
                value.isStart(ofAnswerTo: current, after: header.octets.count)
            {
                beginnings.note(value, [current], isStart: true)
                return nil
            }
        case .current:
            isStart = attributes.isBetweenAttributes
            guard isStart || !beginnings.isEmpty else { return nil }
        case .late, .answered, .unknown:
            break
        }
        var commands: [WrittenCommand] = []
        if let current { commands.append(current) }
        if part == .unknown {
            for command in late { commands.append(command) }
            if let answered { commands.append(answered) }
        }
        return beginnings.find(commands, in: value, isStart: isStart)
    }

    /// Takes octets from the front while `current` is waited for, as many as belong together.
    @inline(never)
    mutating func take(_ rest: inout Span<UInt8>, _ current: WrittenCommand?) -> Finding {
        do throws(ResponseFailure) {
            switch part {
            case .header: return try takeHeader(&rest, current)
            case .current, .late, .answered, .unknown: return try takeAttributes(&rest)
            }
        } catch {
            // What follows in this value cannot be told apart; the next value may start an answer.
            discardedOctets += rest.count
            rest = rest.extracting(first: 0)
            header = ResponseHeaderReader()
            return exchange(&part, with: .header) == .current ? .tooLong : .nothing
        }
    }

    private mutating func takeHeader(
        _ rest: inout Span<UInt8>, _ current: WrittenCommand?
    ) throws(ResponseFailure) -> Finding {
        guard try header.take(&rest) else { return .nothing }
        let header = exchange(&header, with: ResponseHeaderReader())
        if let current, header.isHeader(ofAnswerTo: current) {
            beginnings.removeAll()
            begin(.current, current)
            return .progress
        }
        if let index = late.firstIndex(where: { header.isHeader(ofAnswerTo: $0) }) {
            let command = late.remove(at: index)
            let isAnswered = answered.map { $0.asksTheSame(as: command) } ?? false
            begin(isAnswered ? .answered : .late, command)
        } else if let answered, header.isHeader(ofAnswerTo: answered) {
            begin(.answered, answered)
        } else {
            begin(.unknown, nil)
        }
        return .nothing
    }

    private mutating func begin(_ part: Part, _ command: WrittenCommand?) {
        self.part = part
        self.command = command
        attributes = AttributeReader(
            command?.requested ?? AttributeIDSet(), keeping: .requested, limits: limits)
    }

    @inline(never)
    private mutating func takeAttributes(
        _ rest: inout Span<UInt8>
    ) throws(ResponseFailure) -> Finding {
        let count = rest.count
        let isWhole = try attributes.take(&rest)
        switch part {
        case .current:
            guard isWhole else { return .progress }
            answered = command
            let response = takeResponse()
            discardExcess(&rest)
            return response.map { .complete($0) } ?? .nothing
        case .answered:
            guard isWhole else { return .nothing }
            return takeResponse().map { .superseding($0) } ?? .nothing
        case .header, .late, .unknown:
            discardedOctets += count - rest.count
            if isWhole { part = .header }
            return .nothing
        }
    }

    private mutating func takeResponse() -> AttributeResponse? {
        part = .header
        guard let command else { return nil }
        return AttributeResponse(identity: command.identity, attributes: attributes.attributes)
    }

    /// After an answer only another one that is known to be late can follow in the same value.
    private mutating func discardExcess(_ rest: inout Span<UInt8>) {
        let value = rest
        if let answered, value.isStart(ofAnswerTo: answered) { return }
        guard !late.contains(where: { value.isStart(ofAnswerTo: $0) }) else { return }
        discardedOctets += rest.count
        rest = rest.extracting(first: 0)
    }
}
