internal import BluetoothLE
internal import LinuxIO

/// The operations of a ``Peripheral`` in progress. Each ends once: with the answer of the device, or with the
/// reason why there will be none.
struct PeripheralOperations {
    typealias Completion = CheckedContinuation<Result<GATTResult, BluetoothError>, Never>

    /// Identifies an operation of a peripheral.
    struct ID: Hashable, Sendable {
        let rawValue: UInt64
    }

    private struct Operation {
        /// The handles that it concerns.
        let range: AttributeHandleRange
        let completion: Completion
    }

    private var operations: [ID: Operation] = [:]
    private var lastID: UInt64 = 0

    /// Adds an operation, which the caller then starts.
    mutating func add(_ range: AttributeHandleRange, _ completion: Completion) -> ID {
        lastID += 1
        let id = ID(rawValue: lastID)
        operations[id] = Operation(range: range, completion: completion)
        return id
    }

    /// Ends an operation, unless it has already ended.
    mutating func end(_ id: ID, with result: Result<GATTResult, BluetoothError>) {
        operations.removeValue(forKey: id)?.completion.resume(returning: result)
    }

    /// Ends all operations.
    mutating func endAll(with error: BluetoothError) {
        for id in operations.keys.sorted(byNumber: \.rawValue) { end(id, with: .failure(error)) }
    }

    /// Ends the operations about handles in a range.
    mutating func endAll(about range: AttributeHandleRange, with error: BluetoothError) {
        let ids = operations.filter { $0.value.range.overlaps(range) }.keys
            .sorted(byNumber: \.rawValue)
        for id in ids { end(id, with: .failure(error)) }
    }
}

extension AttributeHandleRange {
    /// Whether any handles are in both ranges.
    func overlaps(_ other: AttributeHandleRange) -> Bool {
        first <= other.last && other.first <= last
    }
}
