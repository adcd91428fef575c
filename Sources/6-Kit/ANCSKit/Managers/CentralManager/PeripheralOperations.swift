internal import BluetoothLE
internal import LinuxIO

/// The operations of a ``Peripheral`` in progress. Each ends once: with the answer of the device, or with the
/// reason why there will be none.
struct PeripheralOperations {
    typealias Completion = CheckedContinuation<Result<GATTResult, BluetoothError>, Never>

    /// Identifies an operation of a peripheral.
    struct ID: Equatable, Sendable { let rawValue: UInt64 }

    private struct Operation {
        let id: ID
        /// The handles that it concerns.
        let range: AttributeHandleRange
        let completion: Completion
    }

    /// In the order in which they were added: most often there is one, and the first ends first.
    private var operations: [Operation] = []
    private var lastID: UInt64 = 0

    /// Adds an operation, which the caller then starts.
    mutating func add(_ range: AttributeHandleRange, _ completion: Completion) -> ID {
        lastID += 1
        let id = ID(rawValue: lastID)
        operations.append(Operation(id: id, range: range, completion: completion))
        return id
    }

    /// Ends an operation, unless it has already ended.
    mutating func end(_ id: ID, with result: Result<GATTResult, BluetoothError>) {
        guard let index = operations.firstIndex(where: { $0.id == id }) else { return }
        operations.remove(at: index).completion.resume(returning: result)
    }

    /// Ends all operations.
    mutating func endAll(with error: BluetoothError) {
        for operation in operations { end(operation.id, with: .failure(error)) }
    }

    /// Ends the operations about handles in a range.
    mutating func endAll(about range: AttributeHandleRange, with error: BluetoothError) {
        for operation in operations where operation.range.overlaps(range) {
            end(operation.id, with: .failure(error))
        }
    }
}

extension AttributeHandleRange {
    /// Whether any handles are in both ranges.
    func overlaps(_ other: AttributeHandleRange) -> Bool {
        first <= other.last && other.first <= last
    }
}
