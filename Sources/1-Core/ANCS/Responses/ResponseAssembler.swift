/// Joins values of the Data Source into the answer to one command (R31). It resumes at any octet, accepts the
/// attributes in any order, skips those that were not requested, and is complete once it has the requested
/// set (R32).
public struct ResponseAssembler: Sendable {
    /// The state of the answer.
    public enum Progress: Hashable, Sendable {
        /// More octets are expected.
        case incomplete
        /// Every requested attribute has arrived; `excess` octets of the last value are not part of the
        /// answer.
        case complete(excess: Int)
        /// The octets are not the answer; all later ones are ignored.
        case failed(ResponseFailure)
    }

    private enum State: Sendable {
        case header(ResponseHeaderReader)
        case attributes(AttributeReader)
        case ended([AttributeValue])
    }

    private let expected: ResponseIdentity?
    private let requested: AttributeIDSet
    private let selection: AttributeReader.Selection
    private let limits: ResponseLimits
    private var state = State.header(ResponseHeaderReader())
    /// The state of the answer.
    public private(set) var progress = Progress.incomplete
    /// What the octets are about, once that is known.
    public private(set) var identity: ResponseIdentity?

    /// An assembler for the answer to a command; `nil` for an action, which has no answer (R42).
    public init?(
        answering command: ControlPointCommand, limits: ResponseLimits = ResponseLimits(),
        keepingEverything: Bool = false
    ) {
        switch command {
        case .getNotificationAttributes(let command): requested = AttributeIDSet(command)
        case .getAppAttributes(let command): requested = AttributeIDSet(command)
        case .performNotificationAction: return nil
        }
        expected = ResponseIdentity(answering: command)
        selection = keepingEverything ? .all : .requested
        self.limits = limits
    }

    /// An assembler for an answer whose command is unknown: it keeps every attribute and is never complete.
    public init(limits: ResponseLimits = ResponseLimits()) {
        expected = nil
        requested = AttributeIDSet()
        selection = .all
        self.limits = limits
    }

    /// The complete attributes, in order of arrival.
    public var attributes: [AttributeValue] {
        switch state {
        case .header: []
        case .attributes(let reader): reader.attributes
        case .ended(let attributes): attributes
        }
    }

    /// The answer as far as it has arrived, once it is known what it is about.
    public var response: AttributeResponse? {
        guard let identity else { return nil }
        return AttributeResponse(identity: identity, attributes: attributes)
    }

    /// Whether the octets end at the end of an attribute, so that the answer could be complete.
    public var isBetweenAttributes: Bool {
        switch state {
        case .header: false
        case .attributes(let reader): reader.isBetweenAttributes
        case .ended: true
        }
    }

    /// The attribute of which a part has arrived: its identifier, and the received and the announced length
    /// in octets.
    public var partial: (id: UInt8, received: Int, length: Int)? {
        guard case .attributes(let reader) = state else { return nil }
        return reader.partial
    }

    /// A value of the Data Source arrived. Ignored once the answer is complete or has failed.
    public mutating func receive(_ value: Span<UInt8>) {
        guard progress == .incomplete else { return }
        var rest = value
        do throws(ResponseFailure) {
            while !rest.isEmpty {
                switch exchange(&state, with: .ended([])) {
                case .ended(let attributes):
                    state = .ended(attributes)
                    return
                case .header(let reader): try readHeader(consume reader, &rest)
                case .attributes(let reader): try readAttributes(consume reader, &rest)
                }
            }
        } catch { progress = .failed(error) }
    }

    private mutating func readHeader(
        _ reader: consuming ResponseHeaderReader, _ rest: inout Span<UInt8>
    ) throws(ResponseFailure) {
        guard try reader.take(&rest) else {
            state = .header(reader)
            return
        }
        let identity = reader.identity
        self.identity = identity
        state = .attributes(AttributeReader(requested, keeping: selection, limits: limits))
        if let expected, expected != identity { throw .unexpectedIdentity(identity) }
    }

    private mutating func readAttributes(
        _ reader: consuming AttributeReader, _ rest: inout Span<UInt8>
    ) throws(ResponseFailure) {
        guard try reader.take(&rest) else {
            state = .attributes(reader)
            return
        }
        state = .ended(reader.attributes)
        progress = .complete(excess: rest.count)
    }
}
