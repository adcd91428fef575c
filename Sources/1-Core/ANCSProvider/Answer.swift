internal import ANCS

/// An attribute of an answer; its octets share their storage with the notification.
struct AnswerAttribute: Sendable {
    var id: UInt8
    var value: ArraySlice<UInt8>
}

/// An answer on the Data Source (R27, R36). It is encoded only as it is sent, because a command of 512 octets
/// can ask for a hundred texts of 64 KiB.
struct Answer: Sendable {
    private let header: [UInt8]
    private var attributes: [AnswerAttribute]
    /// The next part to send: the header, then two parts for each attribute, its head and its value.
    private var part = 0
    private var offset = 0
    /// The length of the answer in octets.
    private(set) var count: Int
    /// How many octets were taken.
    private(set) var sentCount = 0

    init(_ identity: ResponseIdentity, _ attributes: [AnswerAttribute]) {
        header = identity.header
        self.attributes = attributes
        count = attributes.reduce(header.count) { $0 + 3 + $1.value.count }
    }

    /// How many octets remain to be taken.
    var remainingCount: Int { count - sentCount }

    /// Removes all attributes, which leaves the header.
    mutating func removeAttributes() {
        attributes = []
        count = header.count
    }

    /// Cuts the answer after a number of octets.
    mutating func cut(after octets: Int) { count = min(count, max(sentCount, octets)) }

    /// Appends the next octets to `octets`, at most `maximum`.
    mutating func take(_ maximum: Int, into octets: inout [UInt8]) {
        var wanted = min(maximum, remainingCount)
        sentCount += wanted
        while wanted > 0 {
            let length = partCount
            let taken = min(wanted, length - offset)
            append(offset..<(offset + taken), to: &octets)
            wanted -= taken
            offset += taken
            guard offset == length else { return }
            part += 1
            offset = 0
        }
    }

    private var attribute: AnswerAttribute { attributes[(part - 1) / 2] }
    private var isHead: Bool { part % 2 == 1 }

    private var partCount: Int {
        if part == 0 { header.count } else if isHead { 3 } else { attribute.value.count }
    }

    /// An octet of an attribute's head: its identifier, then the length of its value.
    private func headOctet(_ index: Int) -> UInt8 {
        let length = UInt16(attribute.value.count)
        return index == 0 ? attribute.id : UInt8(truncatingIfNeeded: length >> (8 * (index - 1)))
    }

    private func append(_ range: Range<Int>, to octets: inout [UInt8]) {
        if part == 0 {
            octets += header[range]
        } else if isHead {
            for index in range { octets.append(headOctet(index)) }
        } else {
            let start = attribute.value.startIndex
            octets += attribute.value[(start + range.lowerBound)..<(start + range.upperBound)]
        }
    }
}
