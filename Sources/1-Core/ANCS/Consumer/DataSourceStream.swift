/// Assigns the octets of the Data Source to the request that they answer.
///
/// Only its identity ties an answer to its command (S4). When a request ends early, its identity is kept, so
/// that an answer that arrives later is read to its end and never mistaken for the answer to the next
/// request. A second answer with the identity of the last one is newer than that one.
struct DataSourceStream: ~Copyable, Sendable {
    /// The meaning of octets taken from the front of a value.
    enum Meaning: Sendable {
        /// Nothing, or not yet.
        case nothing
        /// They belong to the expected answer.
        case progress
        /// They complete the expected answer.
        case complete(AttributeResponse)
        /// The expected answer is longer than the limit.
        case tooLong
        /// They complete a later answer to the last answered command.
        case superseding(AttributeResponse)
        /// They complete the answer about an app whose request has ended.
        case late(AttributeResponse)
    }

    /// The answer that the next octet belongs to.
    private enum Part: Sendable {
        /// The header of an answer, read so far into ``header``.
        case header
        /// The expected answer.
        case current
        /// The answer to a request that has ended.
        case late
        /// A later answer to the command that was answered last.
        case answered
        /// An answer that belongs to no request.
        case unknown
    }

    private let limits: ResponseLimits
    private let maximumLateAnswers: Int
    private var part = Part.header
    /// Both readers are stored properties, so that no octet is copied with a state.
    private var header = ResponseHeaderReader()
    private var attributes: AttributeReader
    /// The command whose answer is being read, if it is known.
    private var command: WrittenCommand?
    private var late: [WrittenCommand] = []
    /// The command that was answered last.
    private var answered: WrittenCommand?
    private var beginnings = AnswerBeginnings()
    /// Whether octets that were read as a late answer may have been those of another one: a value was too short to tell.
    private var isDoubtful = false
    /// How many octets belonged to no answer.
    private(set) var discardedOctets = 0

    init(limits: ResponseLimits, maximumLateAnswers: Int) {
        self.limits = limits
        self.maximumLateAnswers = maximumLateAnswers
        attributes = AttributeReader(AttributeIDSet(), keeping: .requested, limits: limits)
    }

    /// The attributes that have arrived for the pending request; `nil` before its answer starts.
    var attributesOfCurrent: [AttributeValue]? { part == .current ? attributes.attributes : nil }

    /// Whether the answer in progress is about an app and consists of its header so far (S23).
    var isAppHeaderOnly: Bool {
        part == .current && command?.commandID == .getAppAttributes
            && attributes.attributes.isEmpty && attributes.isBetweenAttributes
    }

    /// The pending request has ended before its answer was complete.
    mutating func abandon(_ command: WrittenCommand) {
        if part == .current {
            part = .late
            return
        }
        guard maximumLateAnswers > 0 else { return }
        if late.count >= maximumLateAnswers { late.remove(at: 0) }
        late.append(command)
    }

    /// The pending request was refused: there will be no answer (R61).
    mutating func forgetCurrent() { if part == .current { part = .header } }

    /// A request that has ended turned out to be refused: there will be no late answer (R61).
    mutating func forget(_ command: WrittenCommand) {
        guard let index = late.firstIndex(where: { $0.octets == command.octets }) else { return }
        late.remove(at: index)
    }

    /// Looks for the start of an expected answer at the start of a value, whatever was cut off before it, and
    /// returns the octets of earlier values that belong to that start and must be read again first. Call it
    /// for each value, before reading the value.
    mutating func synchronize(to value: Span<UInt8>, _ current: WrittenCommand?) -> [UInt8] {
        guard let beginning = beginning(of: value, current) else { return [] }
        header = ResponseHeaderReader()
        part = .header
        return beginning
    }

    /// `nil` if the value continues the answer in progress.
    private mutating func beginning(of value: Span<UInt8>, _ current: WrittenCommand?) -> [UInt8]? {
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
        case .late: isDoubtful = isDoubtful || mayBeStart(value, current)
        case .answered, .unknown: break
        }
        var commands: [WrittenCommand] = []
        if let current { commands.append(current) }
        if part == .unknown {
            for command in late { commands.append(command) }
            if let answered { commands.append(answered) }
        }
        return beginnings.find(commands, in: value, isStart: isStart)
    }

    /// Whether a value that follows a late answer's header or attribute may begin another answer.
    private func mayBeStart(_ value: Span<UInt8>, _ current: WrittenCommand?) -> Bool {
        guard attributes.isBetweenAttributes else { return false }
        for case let command? in [current, answered] where value.isStart(ofAnswerTo: command) {
            return true
        }
        return value.count < AnswerBeginnings.distinctive
            && (current != nil || answered != nil || !late.isEmpty)
            || late.contains { value.isStart(ofAnswerTo: $0) }
    }

    /// Takes octets that belong together from the front; `current` is the command whose answer is expected.
    @inline(never)
    mutating func take(_ rest: inout Span<UInt8>, _ current: WrittenCommand?) -> Meaning {
        do throws(ResponseFailure) {
            switch part {
            case .header: return try takeHeader(&rest, current)
            case .current, .late, .answered, .unknown: return try takeAttributes(&rest)
            }
        } catch {
            // The rest of this value cannot be assigned; the next value may start an answer.
            discardedOctets += rest.count
            rest = rest.extracting(first: 0)
            header.reset()
            return exchange(&part, with: .header) == .current ? .tooLong : .nothing
        }
    }

    private mutating func takeHeader(
        _ rest: inout Span<UInt8>, _ current: WrittenCommand?
    ) throws(ResponseFailure) -> Meaning {
        guard try header.take(&rest) else { return .nothing }
        defer { header.reset() }
        if let current, header.isHeader(ofAnswerTo: current) {
            beginnings.removeAll()
            begin(.current, current)
            return .progress
        }
        if let index = late.firstIndex(where: { header.isHeader(ofAnswerTo: $0) }) {
            let command = late.remove(at: index)
            let isAnswered = answered.map { $0.asksTheSame(as: command) } ?? false
            begin(isAnswered ? .answered : .late, command)
            // What stands behind a header in its value may be another answer.
            if !rest.isEmpty { isDoubtful = mayBeStart(rest, current) }
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
        isDoubtful = false
        attributes = AttributeReader(
            command?.requested ?? AttributeIDSet(), keeping: .requested, limits: limits)
    }

    @inline(never) private mutating func takeAttributes(
        _ rest: inout Span<UInt8>
    ) throws(ResponseFailure) -> Meaning {
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
            guard isWhole else { return .nothing }
            guard exchange(&part, with: .header) == .late, !isDoubtful,
                command?.commandID == .getAppAttributes
            else { return .nothing }
            return takeResponse().map { .late($0) } ?? .nothing
        }
    }

    private mutating func takeResponse() -> AttributeResponse? {
        part = .header
        guard let command else { return nil }
        return AttributeResponse(identity: command.identity, attributes: attributes.attributes)
    }

    /// Within one value, an answer can be followed only by another one that is known to be late.
    private mutating func discardExcess(_ rest: inout Span<UInt8>) {
        let value = rest
        if let answered, value.isStart(ofAnswerTo: answered) { return }
        guard !late.contains(where: { value.isStart(ofAnswerTo: $0) }) else { return }
        discardedOctets += rest.count
        rest = rest.extracting(first: 0)
    }
}
