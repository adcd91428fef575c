/// A set of attribute identifiers. An answer is complete once it has the requested set (R32), however often
/// and in whatever order the attributes come (S5).
struct AttributeIDSet: Sendable {
    /// One bit for each of the 256 identifiers.
    private var words: [8 of UInt32] = InlineArray(repeating: 0)
    /// The number of identifiers in the set.
    private(set) var count = 0

    init() {}

    init(_ command: GetNotificationAttributes) {
        for attribute in command.attributes { insert(attribute.id.rawValue) }
    }

    init(_ command: GetAppAttributes) {
        for attribute in command.attributes { insert(attribute.rawValue) }
    }

    var isEmpty: Bool { count == 0 }

    func contains(_ id: UInt8) -> Bool { words[Int(id >> 5)] & Self.bit(id) != 0 }

    mutating func insert(_ id: UInt8) {
        guard !contains(id) else { return }
        words[Int(id >> 5)] |= Self.bit(id)
        count += 1
    }

    mutating func remove(_ id: UInt8) {
        guard contains(id) else { return }
        words[Int(id >> 5)] &= ~Self.bit(id)
        count -= 1
    }

    private static func bit(_ id: UInt8) -> UInt32 { 1 &<< UInt32(id) }
}

extension AttributeIDSet: Equatable {
    static func == (left: Self, right: Self) -> Bool {
        for index in left.words.indices where left.words[index] != right.words[index] {
            return false
        }
        return true
    }
}
