internal import LinuxIO

/// The records without popups of their own, which are counted in a summary.
struct FoldedRecords: Sendable {
    private struct Entry: Sendable {
        let app: String
        let phone: String
    }

    /// The maximum number of records.
    static let limit = 1024
    private var entries: [RecordID: Entry] = [:] {
        didSet { if entries.isEmpty { isIncomplete = false } }
    }
    /// Whether there were more records than are counted.
    private(set) var isIncomplete = false

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    func contains(_ id: RecordID) -> Bool { entries[id] != nil }

    /// Adds a record, unless there are too many.
    mutating func insert(_ id: RecordID, app: String, phone: PhoneName) {
        guard count < Self.limit || contains(id) else {
            isIncomplete = true
            return
        }
        entries[id] = Entry(app: app, phone: phone.digest)
    }

    mutating func remove(_ id: RecordID) { entries[id] = nil }

    mutating func removeAll() { entries = [:] }

    mutating func removeAll(of phone: PhoneName) {
        entries = entries.filter { $0.value.phone != phone.digest }
    }

    /// The number of records of each app, the largest first.
    var countsByApp: [(app: String, count: Int)] {
        var counts: [String: Int] = [:]
        for entry in entries.values { counts[entry.app, default: 0] += 1 }
        return counts.map { (app: $0.key, count: $0.value) }
            .sorted(byText: \.app).sorted(byNumber: { .max - UInt64($0.count) })
    }
}
