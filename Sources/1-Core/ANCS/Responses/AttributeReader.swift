internal import Octets

/// Reads the attributes of an answer, in any order, until the requested set is complete (R32). It can stop
/// and resume at any octet (S6).
struct AttributeReader: Sendable {
    /// Which attributes are kept.
    enum Selection: Hashable, Sendable {
        /// The first of each requested attribute: memory is bounded by the request.
        case requested
        /// Every attribute that arrives: memory is bounded by ``ResponseLimits/maximumOctets``.
        case all
    }

    private enum Stage: Hashable, Sendable {
        case start
        case id(UInt8)
        case lowLength(UInt8, UInt8)
        case value(AttributeValue, remaining: Int)
    }

    private let selection: Selection
    private let limits: ResponseLimits
    private var stage = Stage.start
    private var octetCount = 0
    /// The requested attributes that have not arrived yet.
    private(set) var missing: AttributeIDSet
    /// The attributes that have arrived.
    private(set) var attributes: [AttributeValue] = []

    init(_ requested: AttributeIDSet, keeping selection: Selection, limits: ResponseLimits) {
        missing = requested
        self.selection = selection
        self.limits = limits
    }

    /// Whether the next octet starts an attribute.
    var isBetweenAttributes: Bool { stage == .start }

    /// The attribute of which a part has arrived: its identifier, and the received and the announced length
    /// in octets.
    var partial: (id: UInt8, received: Int, length: Int)? {
        guard case .value(let value, let remaining) = stage else { return nil }
        return (value.id, Int(value.length) - remaining, Int(value.length))
    }

    /// Takes octets from the front until the last requested attribute is complete, and returns whether it is;
    /// what is then left in `rest` is not part of the answer.
    mutating func take(_ rest: inout Span<UInt8>) throws(ResponseFailure) -> Bool {
        while !rest.isEmpty {
            let complete = isBetweenAttributes ? takeWhole(&rest) : false
            if complete || (!rest.isEmpty && takePart(&rest)) { return true }
            guard octetCount <= limits.maximumOctets else { throw .tooLong }
        }
        return false
    }

    /// The usual case: attributes that lie in one value.
    private mutating func takeWhole(_ rest: inout Span<UInt8>) -> Bool {
        var table = ResponseTable()
        table.fill(attributesOf: rest, from: 0)
        // Not for later values: room for exactly a few more would move all attributes each time.
        if attributes.isEmpty { attributes.reserveCapacity(table.count) }
        for index in 0..<table.count {
            let entry = table.entries[index]
            if isKept(entry.id) {
                let kept = min(Int(entry.length), limits.maximumValueOctets)
                let value = rest.extracting(entry.range).extracting(first: kept)
                attributes.append(
                    AttributeValue(id: entry.id, length: entry.length, octets: Array(value)))
            }
            if isLast(entry.id) {
                advance(entry.range.upperBound, in: &rest)
                return true
            }
        }
        advance(table.end, in: &rest)
        return false
    }

    /// An attribute that continues in the next value.
    private mutating func takePart(_ rest: inout Span<UInt8>) -> Bool {
        switch exchange(&stage, with: .start) {
        case .start:
            stage = .id(rest[0])
            advance(1, in: &rest)
        case .id(let id):
            stage = .lowLength(id, rest[0])
            advance(1, in: &rest)
        case .lowLength(let id, let low):
            let length = UInt16(low) | UInt16(rest[0]) << 8
            advance(1, in: &rest)
            return takeValue(
                AttributeValue(id: id, length: length, octets: []), Int(length), from: &rest)
        case .value(let value, let remaining):
            return takeValue(consume value, remaining, from: &rest)
        }
        return false
    }

    private mutating func takeValue(
        _ value: consuming AttributeValue, _ remaining: Int, from rest: inout Span<UInt8>
    ) -> Bool {
        let count = min(remaining, rest.count)
        if isKept(value.id) {
            let kept = min(count, max(0, limits.maximumValueOctets - value.octets.count))
            for index in 0..<kept { value.octets.append(rest[index]) }
        }
        advance(count, in: &rest)
        guard count == remaining else {
            stage = .value(value, remaining: remaining - count)
            return false
        }
        let id = value.id
        if isKept(id) { attributes.append(value) }
        return isLast(id)
    }

    private func isKept(_ id: UInt8) -> Bool {
        switch selection {
        case .requested: missing.contains(id)
        case .all: true
        }
    }

    private mutating func isLast(_ id: UInt8) -> Bool {
        guard missing.contains(id) else { return false }
        missing.remove(id)
        return missing.isEmpty
    }

    private mutating func advance(_ count: Int, in rest: inout Span<UInt8>) {
        rest = rest.extracting(droppingFirst: count)
        octetCount += count
    }
}
