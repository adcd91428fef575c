/// A set of attribute identifiers: an answer is complete by the set asked for (R32), however often and
/// in whatever order its attributes come (S5).
struct AttributeIDSet: Hashable, Sendable {
    private var low: UInt128 = 0
    private var high: UInt128 = 0

    init() {}

    init(_ command: GetNotificationAttributes) {
        for attribute in command.attributes { insert(attribute.id.rawValue) }
    }

    init(_ command: GetAppAttributes) {
        for attribute in command.attributes { insert(attribute.rawValue) }
    }

    var isEmpty: Bool { low == 0 && high == 0 }

    /// How many identifiers the set has.
    var count: Int { low.nonzeroBitCount + high.nonzeroBitCount }

    func contains(_ id: UInt8) -> Bool {
        (id < 128 ? low : high) & Self.bit(id) != 0
    }

    mutating func insert(_ id: UInt8) {
        if id < 128 { low |= Self.bit(id) } else { high |= Self.bit(id) }
    }

    mutating func remove(_ id: UInt8) {
        if id < 128 { low &= ~Self.bit(id) } else { high &= ~Self.bit(id) }
    }

    private static func bit(_ id: UInt8) -> UInt128 { 1 << UInt128(id & 127) }
}
