internal import BluetoothLE

/// What a ``Peripheral`` was asked to do and has not ended yet. Each ends once: with what the device
/// answered, or with the reason why nobody waits for that any more.
struct PeripheralOperations {
    typealias Completion = CheckedContinuation<Result<GATTResult, BluetoothError>, Never>

    /// Names an operation of one peripheral.
    struct ID: Hashable, Comparable, Sendable {
        let rawValue: UInt64
        static func < (one: ID, other: ID) -> Bool { one.rawValue < other.rawValue }
    }

    private struct Operation {
        /// The handles that it is about.
        let range: AttributeHandleRange
        let completion: Completion
    }

    private var operations: [ID: Operation] = [:]
    private var lastID: UInt64 = 0

    /// Notes an operation, which is to be started then.
    mutating func add(_ range: AttributeHandleRange, _ completion: Completion) -> ID {
        lastID += 1
        let id = ID(rawValue: lastID)
        operations[id] = Operation(range: range, completion: completion)
        return id
    }

    /// An operation ended; one that has ended before ends no more.
    mutating func end(_ id: ID, with result: Result<GATTResult, BluetoothError>) {
        operations.removeValue(forKey: id)?.completion.resume(returning: result)
    }

    /// Nobody waits for any operation any more.
    mutating func endAll(with error: BluetoothError) {
        for id in operations.keys.sorted() { end(id, with: .failure(error)) }
    }

    /// Nobody waits for what is about handles in a range any more.
    mutating func endAll(about range: AttributeHandleRange, with error: BluetoothError) {
        let ids = operations.filter { $0.value.range.overlaps(range) }.keys.sorted()
        for id in ids { end(id, with: .failure(error)) }
    }
}

extension AttributeHandleRange {
    /// Whether there are handles that lie in both.
    func overlaps(_ other: AttributeHandleRange) -> Bool {
        first <= other.last && other.first <= last
    }
}
